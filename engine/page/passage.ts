/** A stretch of a page's main content: at most {@link MAX_PASSAGE_CHARS} characters of plain text. */
export interface Passage {
  readonly text: string
  /** Headings above the passage, outermost first; the page title is not among them. */
  readonly headings: readonly string[]
}

export const MAX_PASSAGE_CHARS = 500
