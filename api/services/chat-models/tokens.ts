/**
 * Approximate number of tokens in a text, erring on the high side. The tokenizers of today's models need one token for
 * three to five Latin letters of prose, for about two and a half characters of code, and for about one character of
 * Chinese or Japanese.
 */
export function tokensOf(text: string): number {
  const wide = text.match(WIDE)?.length ?? 0
  const others = text.match(OTHER_LETTERS)?.length ?? 0
  return Math.ceil(wide + others / 2 + (text.length - wide - others) / 3)
}

const WIDE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/gu
/** Letters of scripts that tokenizers know less well: Cyrillic, Greek, Arabic, Devanagari. */
const OTHER_LETTERS =
  /(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Latin}])\p{L}/gu
