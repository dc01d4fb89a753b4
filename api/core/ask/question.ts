import type { FacetField, PageFilter, PagePreference, Query, SearchDepth } from "#engine"
import { parseQueryText, type QueryText } from "#engine/text/query-text.ts"

import type { AnswerDepth } from "../../services/answers/prompt.ts"
import type { AskedQuery } from "../../services/misses/narrow-filters.ts"
import type { Freshness } from "../fresh/fresh-hits.ts"
import type { SearchTopic } from "../understand/auto-parameters.ts"
import { searchedText } from "../understand/searched-text.ts"

export interface SearchLimits {
  /** Number of results if the request doesn't specify one. */
  readonly maxResults: number
  /** Maximum number of results when the number is `auto`. */
  readonly maxAutoResults: number
  readonly includeDomainsCap: number
  readonly excludeDomainsCap: number
}

/** A question, translated from a door's request. Missing options get the appliance's defaults. */
export interface Asked {
  /** The question as the caller wrote it. */
  readonly text: string
  /** Default `basic`. */
  readonly depth?: SearchDepth
  /** Default `general`. */
  readonly topic?: SearchTopic
  /** Maximum number of results; `auto`: as many as are worth showing. */
  readonly results?: number | "auto" | undefined
  /** Passages per page. */
  readonly passages?: number
  /** Which pages may be found. The filter contains dates only if a time window was requested. */
  readonly filter?: PageFilter
  /** Whether pages without a date are left out. */
  readonly isDated?: boolean
  /** Whether adult pages are left out; the quick depths ignore this. */
  readonly isSafe?: boolean
  /** Whether pages must contain the quoted phrases. */
  readonly isExact?: boolean
  /** Which pages are boosted. Countries are boosted only with the topic `general`. */
  readonly preference?: PagePreference
  /** Maximum age of results; null if any age is fine. */
  readonly freshness?: Freshness | null
  readonly answer?: AnswerDepth | null
  /** The format for the whole text of pages; null if it is not shown. */
  readonly whole?: "markdown" | "text" | null
  readonly withImages?: boolean
  readonly facets?: readonly FacetField[]
  /** Whether to return the data behind the ranking, for another appliance. */
  readonly withEvidence?: boolean
  readonly statistics?: Query["statistics"]
}

/** A question that is ready to be sent to the engine. */
export interface Question {
  readonly text: string
  /** The question, parsed once for all the code that uses it. */
  readonly words: QueryText
  readonly query: AskedQuery
  /** Whether results that are not worth showing are cut off. */
  readonly isCut: boolean
  readonly freshness: Freshness | null
  /** Null if no answer is wanted. */
  readonly answer: AnswerDepth | null
  readonly whole: "markdown" | "text" | null
  readonly withImages: boolean
  readonly facets: readonly FacetField[] | null
}

/** Earliest date that a filter can name. With it, "has a date" can be expressed as a window. */
const BEGINNING = new Date(0)
const PASSAGES = 3

/**
 * The engine's query, plus everything needed to prepare an answer.
 * @param now the time from which the age of recent news is measured
 */
export function questionOf(asked: Asked, limits: SearchLimits, now: Date): Question {
  const { depth = "basic", results = limits.maxResults, answer = null, whole = null } = asked
  const words = parseQueryText(searchedText(asked.text))
  const limit = results === "auto" ? limits.maxAutoResults : results
  return {
    text: asked.text,
    words,
    query: {
      text: words,
      depth,
      limit,
      passagesPerPage: depth === "ultra-fast" ? 1 : (asked.passages ?? PASSAGES),
      // Answers are made from the whole text of pages.
      withMarkdown: whole !== null || answer !== null,
      ...(asked.withEvidence && { withEvidence: true }),
      ...(asked.statistics && { statistics: asked.statistics }),
      filter: filterOf(asked, words),
      preference: preferenceOf(asked, now),
    },
    isCut: results === "auto",
    freshness: asked.freshness ?? null,
    answer: limit === 0 ? null : answer,
    whole,
    withImages: asked.withImages ?? false,
    facets: asked.facets ?? null,
  }
}

function filterOf(
  { filter = {}, depth = "basic", isDated, isSafe, isExact }: Asked,
  { phrases }: QueryText,
): PageFilter {
  const hasWindow = filter.publishedFrom !== undefined || filter.publishedBefore !== undefined
  return {
    ...filter,
    ...(isDated && { requirePublished: true }),
    ...(isDated && !hasWindow && { publishedFrom: BEGINNING }),
    ...(isSafe && depth !== "fast" && depth !== "ultra-fast" && { safe: true }),
    ...(isExact && phrases.length > 0 && { phrases }),
  }
}

/**
 * News and finance are preferred, not required: few pages state their topic, and a small index would return nothing.
 */
function preferenceOf({ preference = {}, topic }: Asked, now: Date): PagePreference {
  const { countries, ...others } = preference
  switch (topic) {
    case "news":
      return { ...others, topic: "news", recentAt: now }
    case "finance":
      return { ...others, topic: "finance" }
    default:
      return preference
  }
}
