/** V8 cuts a longer text out of another by pointing into it. */
const LONGEST_COPIED = 12

/** The same text, apart from the one that it was cut out of: for whoever keeps a word and is to let its page go. */
export const ownCopy = (text: string): string =>
  text.length > LONGEST_COPIED ? Array.from(text).join("") : text
