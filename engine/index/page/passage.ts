/** A stretch of a page's main content: at most {@link MAX_PASSAGE_CHARS} characters of plain text. */
export interface Passage {
  readonly text: string
  /**
   * The text as results show it, where code or a table is in it: the code between fences, the table in markdown with the names of its
   * columns. Left out where it is the text itself. At most {@link MAX_SHOWN_CHARS} characters.
   */
  readonly shown?: string
  /** Headings above the passage, outermost first; the page title is not among them. */
  readonly headings: readonly string[]
  /** Fragment of the address that leads to it, or to the nearest place above; left out when none is known. */
  readonly anchor?: string
  /** With `anchor`: the heading it begins under, where several short sections share it and that one is in its text. */
  readonly beginsUnder?: string
}

export const MAX_PASSAGE_CHARS = 500

/** Two characters less, for the line breaks that part it from what stands beside it. */
export const MAX_SHOWN_CHARS = MAX_PASSAGE_CHARS - 2

/** What results show of a passage. */
export const shownOf = ({ text, shown }: Pick<Passage, "text" | "shown">): string => shown ?? text
