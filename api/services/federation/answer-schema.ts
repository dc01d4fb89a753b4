import { Ajv, type ValidateFunction } from "ajv"

import { OWN_SCHEMA } from "#base/text/json/own-schema.ts"

import {
  listOf as list,
  object,
  type Of,
  oneOf,
  optional,
  orNull,
  type Schema,
  share,
  text as anyText,
  whole,
  yesNo,
} from "../../server/schema/schemas.ts"

// The answers that appliances give each other, in snake_case like the whole API, and the checks by the receiving
// appliance, which ignores unknown fields and rejects an answer with an invalid one.

/** Maximum number of a question's words for which counts are sent or accepted: a question of 4,000 characters has fewer words in one language. */
export const MOST_WORDS = 2000
/** Maximum number of characters of a page in an answer. */
const MOST_CHARS = 20_000_000

const text = (maxLength: number, description?: string) => anyText(description, { maxLength })
const time = anyText(undefined, { format: "date-time", maxLength: 40 })
const listOf = <S extends Schema>(items: S, maxItems: number) => list(items, undefined, { maxItems })
const count = (description?: string) => whole(0, 1e12, description)
const address = text(8000)

/** The evidence for one result. All numbers are from 0 to 1. */
export const pageEvidence = object(
  {
    words: share(),
    best_passage: share(),
    meaning: share(),
    late: share(),
    rerank: share(),
    has_vectors: yesNo(),
    holds_phrases: yesNo("Whether it contains the phrases that the query quotes."),
    lacks_numbers: share(),
    fingerprint: object({
      exact: orNull(text(64)),
      similar: orNull(anyText(undefined, { pattern: "^[0-9a-f]{16}$" })),
    }),
    passages: listOf(
      object({
        text: text(20_000),
        headings: listOf(text(5000), 20),
        position: count("Position in the page, from 0."),
        ...optional({
          shown: text(20_000),
          anchor: text(2000),
          page: text(100),
          begins_under: text(5000),
        }),
      }),
      20,
    ),
    description: orNull(text(100_000)),
    author: orNull(text(10_000)),
    published_at: orNull(time),
    fetched_at: time,
    topic: orNull(oneOf(["news", "finance"])),
    country: orNull(text(10)),
    unsafe: yesNo(),
    is_listing: yesNo(),
    images: listOf(object({ url: address, description: orNull(text(10_000)) }), 100),
    favicon: orNull(address),
  },
  "With `include_evidence`: what another appliance needs to rank and show the page.",
)
export type WireEvidence = Of<typeof pageEvidence>

/** Facts about a whole answer: `reach` is the highest score that the question's words could give a page, `nowhere` the weighted share of words that no page has. */
export const evidenceFacts = object(
  { version: count("Version of the format that appliances exchange."), reach: share(), nowhere: share() },
  "With `include_evidence`.",
)
export type WireFacts = Of<typeof evidenceFacts>

/** Number of pages that contain each word. */
export const wordStatistics = object(
  {
    pages: count("Pages in the index."),
    words: listOf(
      object({ word: text(500, "As stored in the index."), pages: count("Pages that contain it.") }),
      MOST_WORDS,
    ),
  },
  "With `include_word_statistics`, for keys that reach all pages.",
)
export type WireStatistics = Of<typeof wordStatistics>

const result = object({
  url: address,
  title: text(10_000),
  raw_content: orNull(text(MOST_CHARS)),
  type: text(40),
  language: orNull(text(20)),
  evidence: pageEvidence,
  // Left out by some appliances.
  ...optional({ checked_at: time }),
})
/** A result as an appliance sends it. */
export type WireResult = Of<typeof result>

const facet = object({
  field: text(40),
  values: listOf(object({ value: text(2000), count: count() }), 100),
  pages: count(),
  exact: yesNo(),
})
/** A facet as counted by a peer. */
export type PeerFacet = Of<typeof facet>

const answer = object({
  evidence: evidenceFacts,
  results: listOf(result, 50),
  // Parts that the peer left out; unknown names are ignored.
  ...optional({ facets: listOf(facet, 20), degraded: listOf(text(40), 20) }),
})
/** The answer to a question. */
export type PeerAnswer = Of<typeof answer>

const told = object(optional({ word_statistics: wordStatistics }))

let validators: { answer: ValidateFunction<PeerAnswer>; told: ValidateFunction<Of<typeof told>> } | undefined

function compiled() {
  const ajv = new Ajv({
    ...OWN_SCHEMA,
    strict: true,
    strictRequired: false,
    strictTypes: false,
    validateFormats: false,
  })
  return { answer: ajv.compile<PeerAnswer>(answer), told: ajv.compile<Of<typeof told>>(told) }
}

/** The answer, or `null` if it is invalid. */
export function readAnswer(body: unknown): PeerAnswer | null {
  validators ??= compiled()
  return validators.answer(body) ? body : null
}

/** The statistics; `undefined` if the peer sends none, `null` if they are invalid. */
export function readStatistics(body: unknown): WireStatistics | undefined | null {
  validators ??= compiled()
  return validators.told(body) ? body.word_statistics : null
}
