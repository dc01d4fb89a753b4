import type { Passage } from "../index/page/passage.ts"
import { offLoop } from "#base/process/threads/off-loop.ts"
import { asRead, spellsOrder } from "./order-forms/as-read.ts"
import { formsFor } from "./order-forms/order-forms.ts"

/** Text before an order that is only shown, not given: a quotation mark, code, or a word that introduces it. */
const SHOWN =
  /(?:["'“‘«`]\s*|\b(?:such\s+as|like|e\.g\.|example|attack|injections?|says?|said|tells?|told|asks?|asking|telling|to)[:,]?\s*["'“‘«`]?\s*)$/i
const BEFORE_CHARS = 24

/**
 * Whether a text contains orders to a language model that may read it, rather than to people: to forget its
 * instructions, to act as another character, to reveal what it knows, to tell its user something. Covers twenty
 * languages; the rule matches known forms, so it finds orders copied from page to page, not orders made up for one
 * page. Text with such orders isn't used in answers and prompts.
 */
export function holdsModelOrder(text: string): boolean {
  const read = asRead(text)
  return formsFor(read).some((order) => order.test(read)) || spellsOrder(read)
}

/** Whether a passage contains such orders, in the text that is searched or the text that is shown. */
export const passageHoldsOrder = ({ headings, text, shown = "" }: Passage): boolean =>
  holdsModelOrder([...headings, text, shown].join("\n"))

/** Whether a text gives an order to a model. Texts about such orders mostly quote them, and quotations don't count. */
export function givesModelOrder(text: string): boolean {
  const read = asRead(text)
  if (spellsOrder(read)) return true
  return formsFor(read).some((order) => {
    if (!order.test(read)) return false
    for (const { index } of read.matchAll(new RegExp(order, "giu")))
      if (!SHOWN.test(read.slice(Math.max(0, index - BEFORE_CHARS), index))) return true
    return false
  })
}

/** {@link givesModelOrder}, for texts of any length. */
export const findModelOrder = offLoop(import.meta.url, givesModelOrder)
