/** A mutant that no test notices, looked at by somebody: nothing that anyone can see differs. */
export interface Judged {
  readonly file: string
  /** The first line that it changes, without the white space around it. */
  readonly line: string
  /** Stryker's name for the kind of change. */
  readonly mutator: string
  /** What stands there instead; left out: whatever this mutator makes of that line. */
  readonly replacement?: string
  readonly why: string
}

export const JUDGED: readonly Judged[] = []
