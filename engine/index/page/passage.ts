/** A stretch of a page's main content: at most {@link MAX_PASSAGE_CHARS} characters of plain text. */
export interface Passage {
  readonly text: string
  /** Headings above the passage, outermost first; the page title is not among them. */
  readonly headings: readonly string[]
  /** Fragment of the address that leads to it, or to the nearest place above; left out when none is known. */
  readonly anchor?: string
  /** With `anchor`: the heading it begins under, where several short sections share it and that one is in its text. */
  readonly beginsUnder?: string
}

export const MAX_PASSAGE_CHARS = 500
