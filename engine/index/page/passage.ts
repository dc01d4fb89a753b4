/** A stretch of a page's main content: at most {@link MAX_PASSAGE_CHARS} characters of plain text. */
export interface Passage {
  readonly text: string
  /**
   * The text that results show if it contains code or a table: code in fences, tables in markdown with their column
   * names. Omitted if it equals the text. At most {@link MAX_SHOWN_CHARS} characters.
   */
  readonly shown?: string
  /** Headings above the passage, outermost first, without the page title. */
  readonly headings: readonly string[]
  /** Fragment of the address that links to the passage, or to the nearest place above it; omitted if none is known. */
  readonly anchor?: string
  /** The pages or slides of a document that the passage is on, as readers know them: `12`, `iv`, `12–13`. Omitted if there are none. */
  readonly page?: string
  /** If the passage spans several pages: for each page, the number of characters of the passage's text before that page, the fragment that links there (or empty), and the page. */
  readonly pages?: readonly (readonly [at: number, fragment: string, page: string])[]
  /** With `anchor` or `page`: the heading that the passage begins under, if several short sections share the passage and the heading is in its text. */
  readonly beginsUnder?: string
}

export const MAX_PASSAGE_CHARS = 500

/** Two characters less than the limit, because of the line breaks before and after the text in a result. */
export const MAX_SHOWN_CHARS = MAX_PASSAGE_CHARS - 2

/** The text of a passage that results show. */
export const shownOf = ({ text, shown }: Pick<Passage, "text" | "shown">): string => shown ?? text
