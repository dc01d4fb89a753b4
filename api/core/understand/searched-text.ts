/** A question longer than this is a document; what follows says little and costs much. */
export const MAX_SEARCHED_CHARS = 4000

/** The part of a question, query or instruction that is looked for: its first {@link MAX_SEARCHED_CHARS} characters. */
export const searchedText = (text: string): string =>
  text.length <= MAX_SEARCHED_CHARS ? text : text.slice(0, MAX_SEARCHED_CHARS)
