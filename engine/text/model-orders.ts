import { offLoop } from "#base/process/off-loop.ts"
import { ORDER_FORMS } from "./model-order-forms.ts"

/** Before an order that is shown and not given: a quotation mark, code, or a word that speaks of it. */
const SHOWN =
  /(?:["'“‘«`]\s*|\b(?:such\s+as|like|e\.g\.|example|attack|injections?|says?|said|tells?|told|asks?|asking|telling|to)[:,]?\s*["'“‘«`]?\s*)$/i
const BEFORE_CHARS = 24

/**
 * Whether a text holds orders to the language model which may read it, and not to people: to forget what it was told, to be
 * somebody else, to give away what it knows, to tell its user something. In eleven languages; a rule of forms, which finds
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
/** Letters of the Cyrillic and Greek scripts that look like Latin ones. */
const LOOK_ALIKES: ReadonlyMap<string, string> = new Map(
  [..."аaеeоoрpсcхxуyіiјjѕsԁdɡgһhӏlԛqԝwοoαaνvιiκk".matchAll(/(.)(.)/gu)].map(([, from, to]) => [from!, to!]),
)

/**
 * A text as readers and models read it: letters of other weights and widths as plain ones, without marks that are not seen,
 * emphasis and the addresses of links, with one blank for each row of them; the rules would try every way to share a long one.
 */
function asRead(text: string): string {
  const plain = isPlain(text)
    ? text
    : text
        .replace(/[\u{E0020}-\u{E007E}]/gu, (tag) => String.fromCodePoint(tag.codePointAt(0)! - 0xe_00_00))
        .normalize("NFKC")
        .replace(UNSEEN_MARKS, "")
        .replace(/\p{L}{2,}/gu, (word) =>
          word.length < 60 &&
          /\p{Script=Latin}/u.test(word) &&
          /[\p{Script=Cyrillic}\p{Script=Greek}]/u.test(word)
            ? word.replace(/./gu, (letter) => LOOK_ALIKES.get(letter) ?? letter)
            : word,
        )
  return plain
    .replace(/\[([^[\]]*)\]\([^()\s]*\)/g, "$1")
    .replace(/[*\\]/g, "")
    .replace(/\s+/g, " ")
}

// oxlint-disable-next-line no-control-regex -- ASCII is meant
const isPlain = (text: string): boolean => /^[\x00-\x7F]*$/.test(text)
