import type { PageFilter } from "#engine"
import { whereOf } from "../where.ts"
import { type KnownNames, NAMELESS } from "../../identity/accounts/reach/known-names.ts"
import { choose } from "../../core/understand/auto-parameters.ts"
import { type Asked, type Question, questionOf, type SearchLimits } from "../../core/ask/question.ts"
import type { Freshness } from "../../core/fresh/fresh-hits.ts"
import { badRequest } from "../../errors.ts"
import { fromWire } from "../../services/federation/evidence.ts"
import type { Warning } from "../../server/wire/warnings.ts"
import type { SearchBody, SearchRequest } from "./schema.ts"
import { withoutEffect } from "./without-effect.ts"

/** A validated request, and the question that it asks. */
export interface PreparedSearch {
  readonly request: SearchRequest
  readonly question: Question
  readonly chosen: AutoParameters | null
  /** The parts of the request that the answer does not honour. */
  readonly warnings: readonly Warning[]
}

/**
 * Fills in the options that the request leaves open.
 * @param names the sources and collections that may be searched; if left out, none may be searched, and names in the
 * body are not read
 * @throws ApiError 400 for values that a schema cannot check, naming the field
 */
export async function prepareSearch(
  body: SearchBody,
  limits: SearchLimits,
  names: Pick<KnownNames, "named"> = NAMELESS,
): Promise<PreparedSearch> {
  const now = new Date()
  const chosen = body.auto_parameters ? chosenFor(body, now) : null
  const request = settle(body, chosen)
  const question = questionOf(await askedBy(request, limits, names, now), limits, now)
  return { request, question, chosen, warnings: withoutEffect(request, question.words) }
}

/** The same search, with warnings about fields that its schema does not have. */
export const withUnknown = (prepared: PreparedSearch, unknown: readonly Warning[]): PreparedSearch => ({
  ...prepared,
  warnings: [...unknown, ...prepared.warnings],
})

/** Parameters that `auto_parameters` chose for a request, in wire format. */
type AutoParameters = Partial<
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

/** Every parameter with its value: given values take precedence over chosen values, and chosen values over defaults. */
function settle(body: SearchBody, chosen: AutoParameters | null): SearchRequest {
  return { search_depth: "basic", topic: "general", ...body, ...chosen }
}

/** The question that a request asks. */
async function askedBy(
  request: SearchRequest,
  limits: SearchLimits,
  names: Pick<KnownNames, "named">,
  now: Date,
): Promise<Asked> {
  const { include_answer: answer, include_raw_content: whole } = request
  if (request.include_domains_mode !== undefined && request.include_domains === undefined) {
    throw badRequest("Invalid include_domains_mode. Must be given together with include_domains.")
  }
  const asked = {
    ...request,
    domains: request.include_domains,
    isRaised: request.include_domains_mode === "boost" || request.include_domains_mode === "prefer",
    withoutDomains: request.exclude_domains,
    dates: request,
    isOfLanguage: request.filter_by_language,
  }
  const { filter, preference } = await whereOf(asked, limits, names, now)
  return {
    text: request.query,
    depth: request.search_depth,
    topic: request.topic,
    results: request.max_results,
    passages: request.chunks_per_source,
    filter: {
      ...filter,
      ...lastDays(request, filter, now),
      ...(request.topics !== undefined && { topics: [request.topics].flat() }),
      ...(request.paths !== undefined && { paths: [request.paths].flat() }),
      ...(request.versions !== undefined && {
        versions: [request.versions].flat().map((version) => version.toLowerCase()),
      }),
    },
    preference,
    isDated: request.filter_by_published_date,
    isSafe: request.safe_search,
    isExact: request.exact_match,
    freshness: freshnessOf(request),
    answer: answer === false ? null : answer === "advanced" ? "advanced" : "basic",
    whole: whole === false ? null : whole === "text" ? "text" : "markdown",
    withImages: request.include_images,
    ...(request.include_facets && { facets: [request.include_facets].flat() }),
    withEvidence: request.include_evidence,
    ...(request.word_statistics && { statistics: fromWire(request.word_statistics) }),
  }
}

/** The window given by the older form of `time_range`, if no other window is given. */
function lastDays({ days, topic }: SearchRequest, { publishedFrom, publishedBefore }: PageFilter, now: Date) {
  const hasWindow = publishedFrom !== undefined || publishedBefore !== undefined
  if (hasWindow || topic !== "news" || typeof days !== "number" || !(days > 0 && days < MOST_DAYS)) return {}
  return { publishedFrom: new Date(now.getTime() - days * 24 * HOUR_MS) }
}

/** A century. */
const MOST_DAYS = 36_525
const HOUR_MS = 3_600_000

/** The freshness a request asks for; null for pages of any age. */
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
