import { Ajv, type ValidateFunction } from "ajv"

import { OWN_SCHEMA } from "#base/text/json/own-schema.ts"
import type { WireFacts, WireResult, WireStatistics } from "./evidence.ts"
import { MOST_WORDS } from "./evidence.ts"

// What is believed of a peer's answer: all else is passed over, and what is wrong makes it no answer.

/** A facet as a peer counts it. */
export interface PeerFacet {
  readonly field: string
  readonly values: readonly { readonly value: string; readonly count: number }[]
  readonly pages: number
  readonly exact: boolean
}

/** The answer to a question. */
export interface PeerAnswer {
  readonly evidence: WireFacts
  readonly results: readonly WireResult[]
  readonly facets?: readonly PeerFacet[]
  /** What the peer left out; names that are not known here are passed over. */
  readonly degraded?: readonly string[]
}

/** No page has more that an answer shows. */
const MOST_CHARS = 20_000_000
const text = (maxLength: number) => ({ type: "string", maxLength })
const orNull = (schema: object) => ({ anyOf: [schema, { type: "null" }] })
const share = { type: "number", minimum: 0, maximum: 1 }
const count = { type: "integer", minimum: 0, maximum: 1e12 }
const flag = { type: "boolean" }
const object = (properties: Readonly<Record<string, object>>, optional: readonly string[] = []) => ({
  type: "object",
  properties,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
})
const listOf = (items: object, maxItems: number) => ({ type: "array", items, maxItems })
const address = text(8000)

const statistics = object({
  pages: count,
  words: listOf(object({ word: text(500), pages: count }), MOST_WORDS),
})

const evidence = object({
  words: share,
  best_passage: share,
  meaning: share,
  late: share,
  rerank: share,
  has_vectors: flag,
  holds_phrases: flag,
  lacks_numbers: share,
  fingerprint: object({
    exact: orNull(text(64)),
    similar: orNull({ type: "string", pattern: "^[0-9a-f]{16}$" }),
  }),
  passages: listOf(
    object(
      {
        text: text(20_000),
        shown: text(20_000),
        headings: listOf(text(5000), 20),
        position: count,
        anchor: text(2000),
        begins_under: text(5000),
      },
      ["shown", "anchor", "begins_under"],
    ),
    20,
  ),
  description: orNull(text(100_000)),
  author: orNull(text(10_000)),
  published_at: orNull(text(40)),
  fetched_at: text(40),
  topic: orNull({ type: "string", enum: ["news", "finance"] }),
  country: orNull(text(10)),
  unsafe: flag,
  is_listing: flag,
  images: listOf(object({ url: address, description: orNull(text(10_000)) }), 100),
  favicon: orNull(address),
})

const answer = object(
  {
    evidence: object({ version: count, reach: share, nowhere: share }),
    results: listOf(
      object(
        {
          url: address,
          title: text(10_000),
          raw_content: orNull(text(MOST_CHARS)),
          type: text(40),
          language: orNull(text(20)),
          checked_at: text(40),
          evidence,
        },
        ["checked_at"],
      ),
      50,
    ),
    facets: listOf(
      object({
        field: text(40),
        values: listOf(object({ value: text(2000), count }), 100),
        pages: count,
        exact: flag,
      }),
      20,
    ),
    degraded: listOf(text(40), 20),
  },
  ["facets", "degraded"],
)

const told = object({ word_statistics: statistics }, ["word_statistics"])

let validators: { answer: ValidateFunction<PeerAnswer>; told: ValidateFunction<Told> } | undefined

interface Told {
  readonly word_statistics?: WireStatistics
}

function compiled() {
  const ajv = new Ajv({ ...OWN_SCHEMA, strict: true, strictRequired: false })
  return { answer: ajv.compile<PeerAnswer>(answer), told: ajv.compile<Told>(told) }
}

/** The answer, or null when it is none. */
export function readAnswer(body: unknown): PeerAnswer | null {
  validators ??= compiled()
  return validators.answer(body) ? body : null
}

/** The statistics; undefined when the peer tells none, null when they are no statistics. */
export function readStatistics(body: unknown): WireStatistics | undefined | null {
  validators ??= compiled()
  return validators.told(body) ? body.word_statistics : null
}
