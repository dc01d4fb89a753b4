/** A promise of the appliance that is tested by many demanding tries, which are counted. Each promise has a folder here. */
export interface Proof {
  /** Heading of the proof's section in the handbook's page of proofs. */
  readonly title: string
  /** The promise and how it is tested, as a paragraph of markdown above the figures. */
  readonly promise: string
  /** Tests the promise. Leaves no process or file behind, even when it throws. */
  readonly run: (effort: Effort) => Promise<Outcome>
  /**
   * For proofs that can run some rows alone, and whose rows say how thoroughly each was tested: merges the handbook's
   * rows with those of this run. If omitted, the rows of this run replace all of the handbook's.
   */
  readonly joined?: (before: readonly Row[], now: readonly Row[]) => readonly Row[]
}

/** Cells of a table. */
export type Row = readonly (string | number)[]

/** How hard to try. */
export interface Effort {
  /** Share of the number of tries behind the handbook's figures: 1 is all of them, .05 a twentieth. */
  readonly scale: number
  /** The random seed: the same seed produces the same tries, except where concurrent processes interleave differently. */
  readonly seed: number
  /** Reports progress, one line at a time. */
  readonly tell: (line: string) => void
}

/** The result of a proof. */
export interface Outcome {
  /** The figures: a heading for each column, and cells for each row. */
  readonly columns: readonly string[]
  readonly rows: readonly Row[]
  /** Each try in which the promise was broken, described so that you can repeat it. If empty, the promise holds. */
  readonly faults: readonly string[]
  /** A picture of the figures; omitted if there is none. */
  readonly picture?: Picture
}

/** A picture of the figures. */
export interface Picture {
  /** File name of the picture in the handbook's folder. */
  readonly file: string
  /** A description of the picture, for people who cannot see it. */
  readonly about: string
  readonly svg: string
}

/** Number of tries to make at this scale, out of `all`: at least `atLeast`. */
export const tries = (effort: Effort, all: number, atLeast = 1): number =>
  Math.max(atLeast, Math.round(all * effort.scale))

/** Whether a run makes so few tries that it only checks whether the proof works, and its figures mean nothing. */
export const isShort = (scale: number): boolean => scale < 0.5

/** Settings for the appliance of a short run: without the model that reads statements, which takes a third of the start-up time. */
export const settingsOf = ({ scale }: Pick<Effort, "scale">): Readonly<Record<string, string>> =>
  isShort(scale) ? { FOSSICK_UNIT_READER: "off" } : {}
