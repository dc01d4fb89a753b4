import { type Hit, type SearchResult, toPageUrl } from "#engine"
import { PAGE_TYPES } from "#engine/index/page/page-type.ts"
import type { WordStatistics } from "#engine/engine.ts"

import {
  MOST_WORDS,
  type WireEvidence,
  type WireFacts,
  type WireResult,
  type WireStatistics,
} from "./answer-schema.ts"
import { sourceOfPeer } from "./peers-file.ts"

// The data that appliances exchange about a page besides its result: snake_case, as in the whole API.

/** Version of this data; to be raised when an older appliance would rank data from a newer one incorrectly, or vice versa. */
export const EVIDENCE_VERSION = 2

/** Maximum number of images for one page. */
const MOST_IMAGES = 20

export function evidenceOf({ parts, evidence, ...hit }: Hit): WireEvidence | null {
  if (evidence === undefined) return null
  return {
    words: parts.lexical,
    best_passage: parts.passage,
    meaning: parts.vector,
    late: parts.late,
    rerank: parts.rerank,
    has_vectors: evidence.hasVectors,
    holds_phrases: evidence.holdsPhrases,
    lacks_numbers: evidence.lacksNumbers,
    fingerprint: evidence.fingerprint,
    passages: hit.passages.map(({ text, shown, headings, position, anchor, page, beginsUnder }) => ({
      text,
      ...(shown !== undefined && { shown }),
      headings,
      position,
      ...(anchor !== undefined && { anchor }),
      ...(page !== undefined && { page }),
      ...(beginsUnder !== undefined && { begins_under: beginsUnder }),
    })),
    description: hit.description,
    author: hit.author,
    published_at: hit.publishedAt?.toISOString() ?? null,
    fetched_at: hit.fetchedAt.toISOString(),
    topic: hit.topic,
    country: hit.country,
    unsafe: hit.unsafe,
    is_listing: hit.isListing ?? false,
    images: hit.images.slice(0, MOST_IMAGES),
    favicon: hit.favicon,
  }
}

export const factsOf = ({ reach = 1, nowhere = 0 }: Pick<SearchResult, "reach" | "nowhere">): WireFacts => ({
  version: EVIDENCE_VERSION,
  reach,
  nowhere,
})

export const toWire = ({ pages, words }: WordStatistics): WireStatistics => ({
  pages,
  words: Array.from(words, ([word, held]) => ({ word, pages: held })).slice(0, MOST_WORDS),
})

export const fromWire = ({ pages, words }: WireStatistics): WordStatistics => ({
  pages,
  words: new Map(words.map((one) => [one.word, Math.min(pages, one.pages)])),
})

/** A peer's result as one of our hits; `null` if its address is invalid. Image addresses are shown only if they are web addresses. */
export function hitOf(result: WireResult, peer: string): Hit | null {
  const { evidence } = result
  const url = toPageUrl(result.url)
  const type = PAGE_TYPES.find((one) => one === result.type)
  // The relevant time is when the page was last found in this state, changed or not.
  const seen = [evidence.fetched_at, result.checked_at ?? evidence.fetched_at].map(Date.parse)
  const fetchedAt = new Date(Math.max(...seen))
  if (url === null || type === undefined || Number.isNaN(fetchedAt.getTime())) return null
  const publishedAt = evidence.published_at === null ? null : new Date(evidence.published_at)
  return {
    url,
    type,
    title: result.title,
    // Set by the final ranking.
    score: 0,
    passages: evidence.passages.map(({ begins_under: beginsUnder, ...passage }) => ({
      ...passage,
      ...(beginsUnder !== undefined && { beginsUnder }),
    })),
    description: evidence.description,
    markdown: result.raw_content ?? "",
    language: result.language,
    author: evidence.author,
    publishedAt: publishedAt === null || Number.isNaN(publishedAt.getTime()) ? null : publishedAt,
    topic: evidence.topic,
    country: evidence.country,
    unsafe: evidence.unsafe,
    ...(evidence.is_listing && { isListing: true as const }),
    fetchedAt,
    images: evidence.images.filter((image) => isOfWeb(image.url)),
    favicon: evidence.favicon !== null && isOfWeb(evidence.favicon) ? evidence.favicon : null,
    source: sourceOfPeer(peer),
    parts: {
      lexical: evidence.words,
      passage: evidence.best_passage,
      vector: evidence.meaning,
      late: evidence.late,
      rerank: evidence.rerank,
      fused: 0,
      boost: 0,
    },
    evidence: {
      fingerprint: evidence.fingerprint,
      hasVectors: evidence.has_vectors,
      holdsPhrases: evidence.holds_phrases,
      lacksNumbers: evidence.lacks_numbers,
    },
  }
}

const isOfWeb = (address: string): boolean => /^https?:$/.test(URL.parse(address)?.protocol ?? "")
