import { offLoop } from "#base/process/off-loop.ts"
import { ORDER_FORMS } from "./model-order-forms.ts"

/** Before an order that is shown and not given: a quotation mark, code, or a word that speaks of it. */
const SHOWN =
  /(?:["'“‘«`]\s*|\b(?:such\s+as|like|e\.g\.|example|attack|injections?|says?|said|tells?|told|asks?|asking|telling|to)[:,]?\s*["'“‘«`]?\s*)$/i
const BEFORE_CHARS = 24

/**
 * Whether a text holds orders to the language model which may read it, and not to people: to forget what it was told, to be
 * somebody else, to give away what it knows, to tell its user something. In seventeen languages; a rule of forms, which finds
 * what is copied from page to page and not what is made up for one. Given or shown: what is taken over into
 * answers and prompts has none.
 */
export function holdsModelOrder(text: string): boolean {
  const read = asRead(text)
  return ORDER_FORMS.some((order) => order.test(read))
}

/** Whether a text gives an order to a model. What is written about such orders mostly quotes them, and is none. */
export function givesModelOrder(text: string): boolean {
  const read = asRead(text)
  return ORDER_FORMS.some((order) => {
    for (const { index } of read.matchAll(new RegExp(order, "giu"))) {
      if (!SHOWN.test(read.slice(Math.max(0, index - BEFORE_CHARS), index))) return true
    }
    return false
  })
}

/** {@link givesModelOrder}, for texts of any length. */
export const findModelOrder = offLoop(import.meta.url, givesModelOrder)

/** Marks that are not seen: soft hyphens, joiners, directions, selectors of variants. */
const UNSEEN_MARKS = /\p{Default_Ignorable_Code_Point}/gu
/** Each letter of one text with that of the other in its place. */
const pairs = (from: string, to: string): (readonly [string, string])[] => {
  const plain = Array.from(to)
  return Array.from(from, (letter, at) => [letter, plain[at]!] as const)
}
/** Letters of the Cyrillic and Greek scripts that look like Latin ones. */
const LOOK_ALIKES: ReadonlyMap<string, string> = new Map(
  [..."аaеeоoрpсcхxуyіiјjѕsԁdɡgһhӏlԛqԝwοoαaνvιiκk".matchAll(/(.)(.)/gu)]
    .map(([, from, to]) => [from!, to!] as const)
    .concat(pairs("АЕОРСХТНМКВІЅЈ", "AEOPCXTHMKBISJ")),
)

/** Capitals of the size of small letters, which Unicode has for phonetics. */
const SMALL_CAPITALS = new Map(pairs("ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢ", "abcdefghijklmnoprstuvwyz"))
const DIGIT_LETTERS = new Map(pairs("431075", "aeiots"))
/** Per letter; words of no language have as many. */
const MOST_MARKS = 0.8
/** Words in which digits stand for letters: fewer are names and units. */
const LEAST_LEET = 3
/** Of text in base64: less than an order needs is none. */
const ENCODED = /[A-Za-z0-9+/]{40,4000}={0,2}/g
const MOST_ENCODED = 20

/**
 * A text as readers and models read it: letters of other weights and widths as plain ones, without marks that are not seen,
 * emphasis and the addresses of links, with one blank for each row of them; the rules would try every way to share a long one.
 */
function asRead(text: string): string {
  const written = `${text}${decoded(text)}`
  const plain = isPlain(written)
    ? written
    : written
        .replace(/[\u{E0020}-\u{E007E}]/gu, (tag) => String.fromCodePoint(tag.codePointAt(0)! - 0xe_00_00))
        .normalize("NFKD")
        .replace(UNSEEN_MARKS, "")
        // Words that are marked all over are read without.
        .replace(/[\p{Script=Latin}\p{Mn}]{2,}/gu, (word) => {
          const bare = word.replace(/\p{Mn}/gu, "")
          return bare.length > 1 && word.length - bare.length > MOST_MARKS * bare.length ? bare : word
        })
        .normalize("NFKC")
        .replace(
          /[\u0262-\u0299\u029C\u029F\u1D00-\u1D22\uA730\uA731]/g,
          (letter) => SMALL_CAPITALS.get(letter) ?? letter,
        )
        .replace(/\p{L}{2,}/gu, (word) =>
          word.length < 60 &&
          /\p{Script=Latin}/u.test(word) &&
          /[\p{Script=Cyrillic}\p{Script=Greek}]/u.test(word)
            ? word.replace(/./gu, (letter) => LOOK_ALIKES.get(letter) ?? letter)
            : word,
        )
  return withLetters(plain)
    .replace(/\[([^[\]]*)\]\([^()\s]*\)/g, "$1")
    .replace(/[*\\]/g, "")
    .replace(/\s+/g, " ")
}

/** What stands in a text in base64 and is text itself. */
function decoded(text: string): string {
  let out = ""
  let left = MOST_ENCODED
  for (const [run] of text.matchAll(ENCODED)) {
    if ((left -= 1) < 0) break
    const plain = Buffer.from(run, "base64").toString("utf8")
    if (/^[\p{L}\p{M}\p{N}\p{P}\p{S}\s]+$/u.test(plain) && plain.includes(" ") && !plain.includes("\uFFFD"))
      out += `\n${plain}`
  }
  return out
}

/** A text in which digits stand for letters, with letters. */
function withLetters(text: string): string {
  const words = text.match(/(?<![\p{L}\d])[\p{L}013457]{0,30}?\p{L}[013457]{1,3}\p{L}/gu)
  if (words === null || words.length < LEAST_LEET) return text
  return text.replace(/[\p{L}013457]{2,40}/gu, (word) =>
    /^\d+$/.test(word) ? word : word.replace(/\d/g, (digit) => DIGIT_LETTERS.get(digit) ?? digit),
  )
}

// oxlint-disable-next-line no-control-regex -- ASCII is meant
const isPlain = (text: string): boolean => /^[\x00-\x7F]*$/.test(text)
