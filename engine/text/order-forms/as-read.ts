/** Undoes the ways in which orders to models are disguised, and adds the decoded form of encoded text. */

import { lazily } from "#base/process/lazily.ts"
import { isAscii } from "#base/text/ascii.ts"
import { murmurMix } from "#base/text/hash.ts"
import { orderWords } from "./order-forms.ts"

/** Invisible marks: soft hyphens, joiners, directions, variant selectors. */
const UNSEEN_MARKS = /\p{Default_Ignorable_Code_Point}/gu
/** Maps each letter of one text to the letter at the same position in the other. */
const pairs = (from: string, to: string): (readonly [string, string])[] => {
  const plain = Array.from(to)
  return Array.from(from, (letter, at) => [letter, plain[at]!] as const)
}
/** Letters of the Cyrillic and Greek scripts that look like Latin ones. */
const LOOK_ALIKES: ReadonlyMap<string, string> = new Map(
  [..."аaеeоoрpсcхxуyіiјjѕsԁdɡgһhӏlԛqԝwοoαaνvιiκk".matchAll(/(.)(.)/gu)]
    .map(([, from, to]) => [from!, to!] as const)
    .concat(pairs("АЕОРСХТНМКВІЅЈ", "AEOPCXTHMKBISJ"), pairs("υητρΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "untpABEZHIKMNOPTYX")),
)

/** Small capitals, which Unicode includes for phonetics. */
const SMALL_CAPITALS = new Map(pairs("ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢ", "abcdefghijklmnoprstuvwyz"))
const SIGN_LETTERS = new Map(pairs("431075@$!", "aeiotsasi"))
/** Maximum number of marks per letter: no language has words with more. */
const MOST_MARKS = 0.6
/** Minimum number of words with digits and signs in place of letters: if there are fewer, they are names and units. */
const LEAST_LEET = 3
/** Base64 text that is long enough to contain an order. */
const ENCODED = /[A-Za-z0-9+/]{40,4000}={0,2}/g
const MOST_ENCODED = 20
/** Minimum number of letters in a word used in orders, and maximum number of characters in an ending. */
const LEAST_WORD = 5
const LONGEST_ENDING = 3

/**
 * A text as readers and models read it: letters of other weights and widths as plain ones, without invisible marks,
 * emphasis and link addresses, and with each run of blanks as a single one; the rules would otherwise try every way to
 * split a long run.
 */
export function asRead(text: string): string {
  const turned = text.includes("\u202E")
    ? text.replace(TURNED, (_, inside: string) => reversed(inside))
    : text
  const written = turned + decoded(turned)
  const plain = isAscii(written)
    ? written
    : withoutMarks(
        written
          .replace(/[\u{E0020}-\u{E007E}]/gu, (tag) => String.fromCodePoint(tag.codePointAt(0)! - 0xe_00_00))
          .normalize("NFKD")
          .replace(UNSEEN_MARKS, ""),
      )
        .normalize("NFKC")
        .replace(
          /[\u0262-\u0299\u029C\u029F\u1D00-\u1D22\uA730\uA731]/g,
          (letter) => SMALL_CAPITALS.get(letter) ?? letter,
        )
  return withWords(withLetters(apart(isAscii(plain) ? plain : inOneScript(plain))))
    .replace(/\[([^[\]]*)\]\([^()\s]*\)/g, "$1")
    .replace(/[*\\]/g, "")
    .replace(/\s+/g, " ")
}

/** In words with more marks than any language uses, removes the most frequent mark; if there are many such words, removes it everywhere. */
function withoutMarks(text: string): string {
  if (!/\p{Mn}/u.test(text)) return text
  const words = new Map<string, number>()
  const read = text.replace(/[\p{Script=Latin}\p{Mn}]{2,}/gu, (word) => {
    const counts = new Map<string, number>()
    let letters = 0
    for (const sign of word)
      if (/\p{Mn}/u.test(sign)) counts.set(sign, (counts.get(sign) ?? 0) + 1)
      else letters += 1
    let [mark, most] = ["", 0]
    for (const [sign, count] of counts) if (count > most) [mark, most] = [sign, count]
    if (letters < 2 || most <= MOST_MARKS * letters) return word
    if (letters >= LEAST_MARKED) words.set(mark, (words.get(mark) ?? 0) + 1)
    return word.replaceAll(mark, "")
  })
  let [mark, most] = ["", LEAST_MARKED_WORDS - 1]
  for (const [sign, count] of words) if (count > most) [mark, most] = [sign, count]
  return mark === "" ? read : read.replaceAll(mark, "")
}
/** Minimum number of letters that a word must have for its marks to count as too many. */
const LEAST_MARKED = 4
const LEAST_MARKED_WORDS = 3

/** Replaces letters of other scripts that look like Latin ones, in words that mix both; in a text with many such words, in short unmixed words as well. */
function inOneScript(text: string): string {
  if (!/[\p{Script=Cyrillic}\p{Script=Greek}]/u.test(text)) return text
  let mixedWords = 0
  const plain = (word: string) => word.replace(/./gu, (letter) => LOOK_ALIKES.get(letter) ?? letter)
  const read = text.replace(/\p{L}{2,}/gu, (word) => {
    const isMixed =
      word.length < 60 &&
      /\p{Script=Latin}/u.test(word) &&
      /[\p{Script=Cyrillic}\p{Script=Greek}]/u.test(word)
    if (!isMixed) return word
    mixedWords += 1
    return plain(word)
  })
  return mixedWords < LEAST_MIXED_SCRIPTS
    ? read
    : read.replace(/(?<!\p{L})[\p{Script=Cyrillic}\p{Script=Greek}]{1,3}(?!\p{L})/gu, plain)
}
const LEAST_MIXED_SCRIPTS = 2

/** Text written right to left, up to the mark that ends it. */
const TURNED = /\u202E([^\u202C\n]*)\u202C?/g
const reversed = (text: string): string => Array.from(text).toReversed().join("")

/** Joins letters that are separated by signs into the word they spell; short words are only joined if there are long ones. */
function apart(text: string): string {
  // This check is twice as fast as trying the whole form at each letter.
  if (!/([.·_-])\p{L}\1/u.test(text)) return text
  if ((text.match(PARTED)?.length ?? 0) < LEAST_PARTED) return text
  return text.replace(
    /(?<![\p{L}\d])\p{L}{1,4}([.·_-])\p{L}{1,4}(?:\1\p{L}{1,4}){0,40}(?![\p{L}\d])/gu,
    (word) => word.replace(/[.·_-]/g, ""),
  )
}
const PARTED = /(?<![\p{L}\d])\p{L}{1,3}([.·_-])\p{L}(?:\1\p{L}{1,3}){2,40}(?![\p{L}\d])/gu
const LEAST_PARTED = 2

/** The decoded content of text in base64, hexadecimal, percent encoding or ROT13, if it is text itself. */
function decoded(text: string): string {
  let out = ""
  let left = MOST_ENCODED
  for (const [run] of text.matchAll(ENCODED)) {
    if ((left -= 1) < 0) break
    const isHex = /^(?:[0-9a-f]{2})+$/i.test(run)
    const plain = Buffer.from(run, isHex ? "hex" : "base64").toString("utf8")
    if (isText(plain)) out += `\n${plain}`
  }
  if (/(?:%[0-9a-f]{2}[^%]{0,20}){6}/i.test(text)) out += `\n${withoutPercents(text)}`
  if (isRotated(text)) out += `\n${rotated(text)}`
  return out
}

const rotated = (text: string): string =>
  text.replace(/[a-z]/gi, (letter) => {
    const first = letter < "a" ? 65 : 97
    return String.fromCodePoint(((letter.codePointAt(0)! - first + 13) % 26) + first)
  })

const rotatedWords = lazily(() => new Set(Array.from(orderWords(), rotated)))
const rotatedKeys = lazily(() => keysOf(rotatedWords()))

/** Whether some words of a text are words used in orders, written in ROT13. */
function isRotated(text: string): boolean {
  let found = 0
  for (const word of text.toLowerCase().match(/[a-z]{5,30}/g) ?? [])
    if (beginsRotated(word) && (found += 1) >= LEAST_ROTATED) return true
  return false
}
const LEAST_ROTATED = 2

function beginsRotated(word: string): boolean {
  for (let end = word.length; end >= shortestStart(word); end--)
    if (rotatedKeys().has(keyOf(word, end)) && rotatedWords().has(word.slice(0, end))) return true
  return false
}

const isText = (text: string): boolean =>
  /^[\p{L}\p{M}\p{N}\p{P}\p{S}\s]+$/u.test(text) && text.includes(" ") && !text.includes("\uFFFD")

const withoutPercents = (text: string): string =>
  text.replace(/(?:%[0-9a-f]{2})+/gi, (run) => {
    const plain = Buffer.from(run.replaceAll("%", ""), "hex").toString("utf8")
    return plain.includes("\uFFFD") ? run : plain
  })

/** Signs between letters: counting them is quicker than matching the words that contain them. */
const WITHIN_WORDS = /[013457@$!](?<=\p{L}.)[013457@$!]{0,2}(?=\p{L})/gu

/** Replaces digits and signs that are used as letters. */
function withLetters(text: string): string {
  if ((text.match(WITHIN_WORDS)?.length ?? 0) < LEAST_LEET) return text
  const words = text.match(/(?<![\p{L}\d])[\p{L}013457@$!]{0,30}?\p{L}[013457@$!]{1,3}\p{L}/gu)
  if (words === null || words.length < LEAST_LEET) return text
  return text.replace(/[\p{L}013457@$!]{1,40}/gu, (word) =>
    /\p{L}/u.test(word) || word.length < 3
      ? word.replace(/[013457@$!]/g, (sign) => SIGN_LETTERS.get(sign) ?? sign)
      : word,
  )
}

/** Words used in orders; the key of each is the same word with its inner letters sorted. */
const mixedWords = lazily(() => new Map(Array.from(orderWords(), (word) => [mixed(word), word])))
const keys = lazily(() => keysOf(orderWords()))

function mixed(word: string): string {
  return word[0] + Array.from(word.slice(1, -1)).toSorted().join("") + word.at(-1)
}

/**
 * A number for the first `length` letters of a word: the same for all words with the same first and last letters and
 * the same letters between them in any order, and rarely the same for other words.
 */
function keyOf(word: string, length: number): number {
  let key = length
  for (let at = 0; at < length; at++) {
    const place = at === 0 ? 0x10_00_00 : at === length - 1 ? 0x20_00_00 : 0
    key = (key + murmurMix(word.charCodeAt(at) + place)) | 0
  }
  return key
}

const keysOf = (words: Iterable<string>): ReadonlySet<number> =>
  new Set(Array.from(words, (word) => keyOf(word, word.length)))

/** Length of the shortest beginning that identifies a word used in orders. */
const shortestStart = (word: string): number => Math.max(LEAST_WORD, word.length - LONGEST_ENDING)

/** A text with shuffled letters, in which the words used in orders are restored. */
function withWords(text: string): string {
  return text.replace(/\p{Script=Latin}{5,30}/gu, (written) => {
    const word = written.toLowerCase()
    for (let end = word.length; end >= shortestStart(word); end--) {
      if (!keys().has(keyOf(word, end))) continue
      const start = word.slice(0, end)
      if (orderWords().has(start)) return written
      const meant = mixedWords().get(mixed(start))
      if (meant !== undefined) return meant + word.slice(end)
    }
    return written
  })
}

const SPELLED = /(?<![\p{L}\d])(?:\p{L}{1,2}[ .,:;]{1,3}){9,}\p{L}(?![\p{L}\d])/gu
const LEAST_SPELLED = 30
const LEAST_ORDER_WORDS = 3

/** Whether a text spells words used in orders letter by letter, with a blank after each letter: such a text doesn't show where words end. */
export function spellsOrder(read: string): boolean {
  const letters = (read.match(SPELLED) ?? [])
    .join("")
    .replace(/[ .,:;]/g, "")
    .toLowerCase()
  if (letters.length < LEAST_SPELLED) return false
  let found = 0
  for (const word of orderWords())
    if (letters.includes(word) && (found += 1) >= LEAST_ORDER_WORDS) return true
  return false
}
