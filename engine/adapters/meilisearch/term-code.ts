import { createHash } from "node:crypto"
import { SHORTEST_WITH_TYPO } from "../server/unknown-words.ts"

/**
 * Prefix of every encoded term: the server counts a wrong first letter as two typos, and with the prefix no letter of
 * the term comes first.
 */
const FIRST = "x"
/** Minimum word lengths for which the server allows one typo, and two: the stem of the shortest corrected word has three letters. */
export const TYPO_SIZES = {
  oneTypo: FIRST.length + SHORTEST_WITH_TYPO,
  twoTypos: FIRST.length + 6,
} as const
/** Letters of other alphabets, each represented by one Latin-script letter that no language uses, so that a typo still counts as one. */
const LETTERS =
  "абвгдежзийклмнопрстуфхцчшщъыьэюяіїєґ" +
  "αβγδεζηθικλμνξοπρσςτυφχψω" +
  "אבגדהוזחטיךכלםמןנסעףפץצקרשת" +
  "ابتثجحخدذرزسشصضطظعغفقكلمنهويةىءأإآؤئ"
/** The Unicode blocks IPA Extensions and Phonetic Extensions: the server neither splits nor folds their letters. */
const STAND_INS = Array.from({ length: 96 + 37 }, (_, i) =>
  String.fromCodePoint(i < 96 ? 0x250 + i : 0x1d00 + i - 96),
)
/** Marks any other character, which follows as four base-36 digits. */
const ESCAPE = "\u1d25"
/** Maximum length of an encoded term in bytes: the server silently drops words of more than 250 bytes. */
const LONGEST_BYTES = 200

const standIns = new Map(Array.from(LETTERS, (letter, i) => [letter, STAND_INS[i]!]))
const letters = new Map([...standIns].map(([letter, standIn]) => [standIn, letter]))

/**
 * Encodes a term as one word that the server's tokenizer leaves unchanged: `a-z` and digits stay, everything else is
 * represented by letters that it neither folds nor splits. Different terms become different words.
 */
export function encodeTerm(term: string): string {
  if (term.length < 100 && /^[a-z0-9]*$/.test(term)) return FIRST + term
  let word = FIRST
  for (const character of term) {
    word += /[a-z0-9]/.test(character) ? character : (standIns.get(character) ?? escaped(character))
  }
  if (Buffer.byteLength(word) <= LONGEST_BYTES) return word
  const hash = createHash("sha256").update(word).digest("hex").slice(0, 40)
  return `${FIRST}${ESCAPE}${ESCAPE}${hash}`
}

/** The term that a word encodes; `null` if the term was too long to be encoded. */
export function decodeTerm(word: string): string | null {
  const hashed = `${FIRST}${ESCAPE}${ESCAPE}`
  if (!word.startsWith(FIRST) || word.startsWith(hashed)) return null
  let term = ""
  const characters = Array.from(word.slice(FIRST.length))
  for (let at = 0; at < characters.length; at++) {
    const character = characters[at]!
    if (character === ESCAPE) {
      term += String.fromCodePoint(Number.parseInt(characters.slice(at + 1, at + 5).join(""), 36))
      at += 4
    } else {
      term += letters.get(character) ?? character
    }
  }
  return term
}

const escaped = (character: string) => ESCAPE + character.codePointAt(0)!.toString(36).padStart(4, "0")
