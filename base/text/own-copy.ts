/** V8 makes a substring longer than this by pointing into the original text. */
const LONGEST_COPIED = 12

/** A copy of a string that does not keep the page it was cut from in memory. */
export const ownCopy = (text: string): string =>
  text.length > LONGEST_COPIED ? Array.from(text).join("") : text
