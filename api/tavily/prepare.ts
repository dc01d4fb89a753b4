import type { PageFilter, PagePreference } from "#engine"
import { parseQueryText, type QueryText } from "#engine/text/query-text.ts"

import { type KnownNames, NAMELESS } from "../accounts/reach/known-names.ts"
import { choose } from "../core/understand/choose.ts"
import { countryCode } from "../core/understand/countries.ts"
import { languageCodes } from "../core/understand/languages.ts"
import { searchedText } from "../core/understand/searched-text.ts"
import type { Freshness } from "../core/fresh/fresh-hits.ts"
import { badRequest } from "../errors.ts"
import { fromWire } from "../federation/evidence.ts"
import type { AskedQuery } from "../misses/narrow-filters.ts"
import { domainList } from "../wire/domains.ts"
import type { Warning } from "../wire/warnings.ts"
import { dateWindow } from "./dates.ts"
import { type SearchBody, searchSchema, type SearchRequest } from "./schema.ts"
import { withoutEffect } from "./without-effect.ts"

export interface SearchLimits {
  /** Results when the request leaves their number open. */
  readonly maxResults: number
  /** Results at most when their number is `auto`. */
  readonly maxAutoResults: number
  readonly includeDomainsCap: number
  readonly excludeDomainsCap: number
}

/** Earliest date the filter can name: with it, "has a date" is a window like any other. */
const BEGINNING = new Date(0)

/** A request that is known to be right, ready to be searched for. */
export interface PreparedSearch {
  readonly request: SearchRequest
  /** The question, taken apart once for all who read it. */
  readonly question: QueryText
  readonly query: AskedQuery
  readonly chosen: AutoParameters | null
  /** How old results may be; null: of any age. */
  readonly freshness: Freshness | null
  /** What of the request the answer does not honour. */
  readonly warnings: readonly Warning[]
}

/**
 * Settles what the request leaves open.
 * @param names which sources and collections may be asked for; left out: none, and what a body says of them is not read
 * @throws ApiError 400 for values that a schema cannot judge, naming the field
 */
export function prepareSearch(
  body: SearchBody,
  limits: SearchLimits,
  names: Pick<KnownNames, "named"> = NAMELESS,
): PreparedSearch {
  const now = new Date()
  const chosen = body.auto_parameters ? chosenFor(body, now) : null
  const request = settle(body, chosen)
  const question = parseQueryText(searchedText(request.query))
  const query = toQuery(request, question, limits, now)
  const sources = names.named(request)
  const filter = { ...query.filter, ...(sources !== undefined && { sources }) }
  return {
    request,
    question,
    query: { ...query, filter },
    chosen,
    freshness: freshnessOf(request),
    warnings: withoutEffect(request, question),
  }
}

/** The same search, with warnings about fields that its schema does not have. */
export const withUnknown = (prepared: PreparedSearch, unknown: readonly Warning[]): PreparedSearch => ({
  ...prepared,
  warnings: [...unknown, ...prepared.warnings],
})

/** What `auto_parameters` chose for a request, as it stands in the answer. */
export type AutoParameters = Partial<
  Pick<SearchRequest, "search_depth" | "topic" | "time_range" | "include_domains" | "include_domains_mode">
>

function chosenFor(body: SearchBody, now: Date): AutoParameters {
  const { search_depth, topic, country, time_range, start_date, end_date, days } = body
  const isGiven = (...values: readonly unknown[]) => values.some((value) => value !== undefined)
  const given = {
    depth: search_depth,
    topic,
    hasCountry: isGiven(country),
    hasDates: isGiven(time_range, start_date, end_date, days),
    hasDomains: isGiven(body.include_domains, body.include_domains_mode),
  }
  const chosen = choose(body.query, given, now)
  return {
    ...(chosen.depth && { search_depth: chosen.depth }),
    ...(chosen.topic && { topic: chosen.topic }),
    ...(chosen.since && { time_range: chosen.since }),
    ...(chosen.domains && { include_domains: chosen.domains, include_domains_mode: "boost" }),
  }
}

/** Every parameter with its value: what was given wins over what was chosen, that over the default. */
function settle(body: SearchBody, chosen: AutoParameters | null): SearchRequest {
  return { search_depth: "basic", topic: "general", ...body, ...chosen }
}

/**
 * The engine's query for a request.
 * @throws ApiError 400 for values that a schema cannot judge, naming the field
 */
function toQuery(request: SearchRequest, question: QueryText, limits: SearchLimits, now: Date): AskedQuery {
  const { max_results: results = limits.maxResults, search_depth: depth } = request
  const includeDomains = domainList("include_domains", request.include_domains, limits.includeDomainsCap)
  if (request.include_domains_mode !== undefined && includeDomains.length === 0) {
    throw badRequest("Invalid include_domains_mode. Must be given together with include_domains.")
  }
  const boosting = request.include_domains_mode === "boost" || request.include_domains_mode === "prefer"
  const languages = toLanguages(request)
  const excludeDomains = domainList("exclude_domains", request.exclude_domains, limits.excludeDomainsCap)
  return {
    text: question,
    depth,
    limit: results === "auto" ? limits.maxAutoResults : results,
    passagesPerPage: depth === "ultra-fast" ? 1 : request.chunks_per_source,
    // Answers are made from the whole text of pages.
    withMarkdown: request.include_raw_content !== false || request.include_answer !== false,
    ...(request.include_evidence && { withEvidence: true }),
    ...(request.word_statistics && { statistics: fromWire(request.word_statistics) }),
    filter: {
      ...(includeDomains.length > 0 && !boosting && { includeDomains }),
      ...(excludeDomains.length > 0 && { excludeDomains }),
      ...(languages.length > 0 && request.filter_by_language && { languages }),
      ...(request.types !== undefined && { types: [request.types].flat() }),
      ...(request.topics !== undefined && { topics: [request.topics].flat() }),
      ...(request.paths !== undefined && { paths: [request.paths].flat() }),
      ...(request.versions !== undefined && {
        versions: [request.versions].flat().map((version) => version.toLowerCase()),
      }),
      ...toFilter(request, question, now),
    },
    preference: {
      ...(includeDomains.length > 0 && boosting && { domains: includeDomains }),
      ...(languages.length > 0 && !request.filter_by_language && { languages }),
      ...toPreference(request, now),
    },
  }
}

function toFilter(request: SearchRequest, { phrases: quoted }: QueryText, now: Date): PageFilter {
  const { filter_by_published_date: dated, search_depth: depth } = request
  const window = dateWindow(request, now)
  const from = window.from ?? (dated && !window.before ? BEGINNING : undefined)
  const phrases = request.exact_match ? quoted : []
  return {
    ...(from !== undefined && { publishedFrom: from }),
    ...(window.before !== undefined && { publishedBefore: window.before }),
    ...(dated && { requirePublished: true }),
    // The contract has it for the two other depths only.
    ...(request.safe_search && depth !== "fast" && depth !== "ultra-fast" && { safe: true }),
    ...(phrases.length > 0 && { phrases }),
  }
}

/** News and finance are preferred, not required: few pages say what they are, and a thin index would fall silent. */
function toPreference(request: SearchRequest, now: Date): PagePreference {
  const country = toCountry(request)
  switch (request.topic) {
    case "news":
      return { topic: "news", recentAt: now }
    case "finance":
      return { topic: "finance" }
    default:
      return country === null ? {} : { countries: [country] }
  }
}

function toLanguages({ language, filter_by_language }: SearchRequest): readonly string[] {
  if (language === undefined) {
    if (filter_by_language)
      throw badRequest("Invalid filter_by_language. Must be given together with language.")
    return []
  }
  const codes = languageCodes(language)
  if (codes !== null) return codes
  throw badRequest(`Invalid language. Must be ${searchSchema.properties.language["x-allowed"]}.`)
}

function toCountry({ country }: SearchRequest): string | null {
  if (country === undefined) return null
  const code = countryCode(country)
  if (code !== null) return code
  throw badRequest(`Invalid country. Must be ${searchSchema.properties.country["x-allowed"]}.`)
}

const HOUR_MS = 3_600_000

/** What a request asks for; null: pages of any age. */
export function freshnessOf({
  max_age_hours: hours = Infinity,
  max_hours: alias = Infinity,
  fetch_timeout: seconds,
  cache_fallback: fallsBack,
}: Pick<
  SearchRequest,
  "max_age_hours" | "max_hours" | "fetch_timeout" | "cache_fallback"
>): Freshness | null {
  const given = [hours, alias].filter((one) => one >= 0 && one !== Infinity)
  return given.length === 0
    ? null
    : { maxAgeMs: Math.min(...given) * HOUR_MS, fetchMs: seconds * 1000, fallsBack }
}
