/** A promise of the appliance that is held to many hard tries, which are counted. One folder of this one each. */
export interface Proof {
  /** Heading of its section in the handbook's page of proofs. */
  readonly title: string
  /** The promise, and how it is tested: a paragraph of markdown, above the figures. */
  readonly promise: string
  /** Tries it. Leaves no process and no file behind, also when it throws. */
  readonly run: (effort: Effort) => Promise<Outcome>
  /**
   * For proofs that can run some rows alone, where each row says how thoroughly it was tested: makes the handbook's rows from the ones
   * there and the ones of this run. Left out: the rows of this run replace all.
   */
  readonly joined?: (before: readonly Row[], now: readonly Row[]) => readonly Row[]
}

/** Cells of a table. */
export type Row = readonly (string | number)[]

/** How hard to try. */
export interface Effort {
  /** Share of the tries behind the handbook's figures: 1 is all of them, .05 a twentieth. */
  readonly scale: number
  /** The source of chance: the same seed plays the same tries, as far as processes allow it. */
  readonly seed: number
  /** Says how far it is, one line at a time. */
  readonly tell: (line: string) => void
}

/** The result of a proof. */
export interface Outcome {
  /** The figures: a heading for each column, and cells for each row. */
  readonly columns: readonly string[]
  readonly rows: readonly Row[]
  /** Each try in which the promise was not kept, in words that let you repeat it. None: it holds. */
  readonly faults: readonly string[]
  /** A picture of the figures; left out: there is none. */
  readonly picture?: Picture
}

/** A picture of the figures. */
export interface Picture {
  /** Its name in the folder of the handbook. */
  readonly file: string
  /** A description of the picture, for people who cannot see it. */
  readonly about: string
  readonly svg: string
}

/** How many of `all` tries to make at this scale: at least `atLeast`. */
export const tries = (effort: Effort, all: number, atLeast = 1): number =>
  Math.max(atLeast, Math.round(all * effort.scale))

/** Whether a run makes so few tries that it is for whether the proof works, and says nothing by its figures. */
export const isShort = (scale: number): boolean => scale < 0.5

/** Settings for the appliance of a short run: without the model that reads statements, which is a third of what a start costs. */
export const settingsOf = ({ scale }: Pick<Effort, "scale">): Readonly<Record<string, string>> =>
  isShort(scale) ? { FOSSICK_UNIT_READER: "off" } : {}
