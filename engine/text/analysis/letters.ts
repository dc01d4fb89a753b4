import { isAscii } from "#base/text/ascii.ts"

/** Invisible characters within a word: soft hyphen, joiners, direction marks. */
const UNSEEN = /[\u00AD\u200D-\u200F\u2060\u2066-\u2069\uFEFF]/g
/** In Persian the non-joiner separates words like a space; in other scripts it only affects how letters look. */
const NON_JOINER = /(?<![\p{Script=Arabic}])\u200C/gu
/** Hebrew points, Arabic vowels and other marks of both, and the Arabic stretching stroke (tatweel). */
const POINTS = /[[\p{scx=Hebr}\p{scx=Arab}]&&\p{M}]|\u0640/gv
/** Persian, Urdu and Arabic keyboards produce different characters for the same letter. */
const ARABIC: Readonly<Record<string, string>> = {
  ک: "ك", // keheh
  ی: "ي", // Farsi yeh
  ى: "ي", // alef maksura, which many people type instead of yeh
  ے: "ي", // yeh barree
  ہ: "ه", // heh goal
  ھ: "ه", // heh doachashmee
  ۃ: "ة", // teh marbuta goal
}
const ARABIC_SHAPES = new RegExp(`[${Object.keys(ARABIC).join("")}]`, "gu")
/** A nasal before a stop of the same row: हिन्दी is हिंदी. */
const NASAL = /ङ्(?=[क-ङ])|ञ्(?=[च-ञ])|ण्(?=[ट-ण])|न्(?=[त-न])|म्(?=[प-म])/gu
const DIGIT = /\p{Nd}/gu
/** Characters that `oneSpelling` changes; most texts have none. */
const SPELT_APART =
  /[\u00AD\u0152\u0153\u200C-\u200F\u2060\u2066-\u2069\uFEFF\p{scx=Hebr}\p{scx=Arab}\p{scx=Deva}[\p{Nd}--[0-9]]]/v

/**
 * Writes a text in one spelling per script, for variants that Unicode's NFKC keeps apart and readers consider the same:
 * digits of all scripts, pointed and unpointed Hebrew and Arabic, Persian and Arabic keyboards, the nukta, candrabindu
 * and nasals of Hindi, œ. Case and accents stay: a stemmer needs them.
 */
export function oneSpelling(text: string): string {
  if (isAscii(text)) return text
  const plain = text.normalize("NFKC")
  if (!SPELT_APART.test(plain)) return plain
  return plain
    .replace(UNSEEN, "")
    .replace(NON_JOINER, "")
    .replace(POINTS, "")
    .replace(ARABIC_SHAPES, (letter) => ARABIC[letter]!)
    .replaceAll("\u093C", "")
    .replaceAll("\u0901", "\u0902")
    .replace(NASAL, "\u0902")
    .replace(DIGIT, asciiDigit)
    .replaceAll("œ", "oe")
    .replaceAll("Œ", "OE")
}

/** Each script's ten digits are consecutive, and start at a code point ending in 0 or 6 (hexadecimal). */
function asciiDigit(digit: string): string {
  const code = digit.codePointAt(0)!
  const row = code - (code % 16)
  const zero = /\p{Nd}/u.test(String.fromCodePoint(row)) ? row : row + 6
  return String(code - zero)
}
