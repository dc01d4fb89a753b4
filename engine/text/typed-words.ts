import { isAscii } from "#base/text/ascii.ts"

/** Scripts without spaces between words: each character is a separate word, since users of a prefix search do not type whole words. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/gu

/** The words of a text as they are compared while a user types: lower case, without accents, as written and not stemmed. */
export function typedWords(text: string): string[] {
  if (isAscii(text)) return text.toLowerCase().match(/[a-z0-9]+/g) ?? []
  const folded = text.normalize("NFKD").replaceAll(/\p{M}/gu, "").normalize("NFC").toLowerCase()
  return folded.replaceAll(UNSPACED, " $& ").match(/[\p{L}\p{N}]+/gu) ?? []
}
