import { offLoop } from "#base/process/off-loop.ts"

/**
 * Text that gives orders to the language model which may read it, and not to people: to forget what it was told, to be
 * somebody else, to give away what it knows, to tell its user something. English; a rule of forms, which finds what is copied
 * from page to page and not what is made up for one.
 */
const ORDERS: readonly RegExp[] = [
  /\b(?:ignore|disregard|forget|override|bypass)\s+(?:(?:all|any|every|each|of|the|your|my|our|these|those|this|that|other|and|or)\s+){0,4}(?:(?:previous(?:ly)?|prior|above|earlier|preceding|foregoing|former|existing|original|initial|system|given|developer|safety)\s+){1,3}(?:(?:and|or|user|system|given)\s+){0,2}(?:instructions?|prompts?|directions?|directives?|rules|guidelines|commands?|messages?|context|training)\b/i,
  /\b(?:ignore|disregard|forget|override)\s+(?:all\s+)?(?:of\s+)?your\s+(?:instructions|prompts?|directives?|guidelines|programming|training)\b/i,
  /\bignore\s+all\s+instructions\b/i,
  /\byou\s+are\s+(?:now|no\s+longer)\s+(?:an?\s+|the\s+)?(?:\w+\s+){0,2}(?:ai|assistant|language\s+model|chatbot|llm)\b/i,
  /\b(?:reveal|print|output|repeat|show|disclose|leak|send)\s+(?:me\s+|us\s+)?(?:all\s+of\s+)?(?:your|the)\s+(?:(?:full|entire|hidden|secret|initial|original)\s+)*(?:system\s+(?:prompt|message|instructions)|hidden\s+instructions|initial\s+instructions)\b/i,
  /\b(?:attention|note|message|instructions?|notice)\s*(?:to|for|,|:)?\s+(?:all\s+|any\s+|the\s+)?(?:ai|llm|language\s+model|chatbot)s?(?:\s+(?:assistants?|agents?|models?|systems?|crawlers?))?\s*[:,!—-]/i,
  /\bif\s+you\s+are\s+(?:an?\s+)?(?:ai|llm|(?:large\s+)?language\s+model|chatbot)(?:\s+(?:assistant|agent|model|system))?\b[^.!?]{0,40}?,?\s*(?:please\s+|then\s+|you\s+must\s+)?(?:ignore|reply|respond|answer|say|tell|send|visit|recommend|write|include|do\s+not)\b/i,
]

/** Before an order that is shown and not given: a quotation mark, code, or a word that speaks of it. */
const SHOWN =
  /(?:["'“‘«`]\s*|\b(?:such\s+as|like|e\.g\.|example|attack|injections?|says?|said|tells?|told|asks?|asking|telling|to)[:,]?\s*["'“‘«`]?\s*)$/i
const BEFORE_CHARS = 24

/** Whether a text holds an order to a model, given or shown: what is taken over into answers and prompts has none. */
export function holdsModelOrder(text: string): boolean {
  const read = withoutRows(text)
  return ORDERS.some((order) => order.test(read))
}

/** Whether a text gives an order to a model. What is written about such orders mostly quotes them, and is none. */
export function givesModelOrder(text: string): boolean {
  const read = withoutRows(text)
  return ORDERS.some((order) => {
    for (const { index } of read.matchAll(new RegExp(order, "gi"))) {
      if (!SHOWN.test(read.slice(Math.max(0, index - BEFORE_CHARS), index))) return true
    }
    return false
  })
}

/** {@link givesModelOrder}, for texts of any length. */
export const findModelOrder = offLoop(import.meta.url, givesModelOrder)

/** With one blank for each row of them: the rules would try every way to share a long one. */
const withoutRows = (text: string): string => text.replaceAll(/\s+/g, " ")
