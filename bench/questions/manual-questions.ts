/** A question over the English manuals of `corpora/manuals.ts`. */
export interface ManualQuestion {
  readonly text: string
  /** Paths of the pages that answer it, `<manual>/<file>`. */
  readonly answers: readonly string[]
  /** Stands in each of these pages: what shows that the judgement is about the page as it is. */
  readonly holds: string
}
