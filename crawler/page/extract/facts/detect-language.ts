import { detectAll } from "tinyld"
import { LETTERS_PER_CHARACTER, eastAsianIn } from "#base/text/east-asian.ts"

const LATIN = /\p{Script=Latin}/gu
const KANA = /[\p{Script=Hiragana}\p{Script=Katakana}]/gu
const HANGUL = /\p{Script=Hangul}/gu
/** Of a Japanese text about half of the characters are kana, of a Chinese one those of a few names. */
const KANA_SHARE = 0.1

/** ISO 639-1 code of the language a text most likely has; null when none is known. */
export function detectLanguage(text: string): string | null {
  const eastAsian = eastAsianLanguage(text)
  if (eastAsian !== null) return eastAsian
  // tinyld also knows languages that have three letters only, and takes English manuals for them.
  return detectAll(text).find(({ lang }) => lang.length === 2)?.lang ?? null
}

/** By its script: tinyld takes most pages of a Chinese manual for English ones, since they are full of commands in Latin letters. */
function eastAsianLanguage(text: string): string | null {
  const count = (letters: RegExp) => text.match(letters)?.length ?? 0
  const characters = eastAsianIn(text)
  if (characters === 0 || characters * LETTERS_PER_CHARACTER < count(LATIN)) return null
  if (count(HANGUL) > characters / 2) return "ko"
  return count(KANA) >= KANA_SHARE * characters ? "ja" : "zh"
}
