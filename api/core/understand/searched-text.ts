/** Maximum number of characters of a question that are searched. A longer question is a document; the rest adds little and costs a lot. */
export const MAX_SEARCHED_CHARS = 4000

/** The part of a question, query or instruction that is searched: its first {@link MAX_SEARCHED_CHARS} characters. */
export const searchedText = (text: string): string =>
  text.length <= MAX_SEARCHED_CHARS ? text : text.slice(0, MAX_SEARCHED_CHARS)
