import type { Engine, PageFilter, Query } from "#engine"
import { analyseQuery } from "#engine/analysis/analyse.ts"

import { type Middleware, responseTime } from "../context.ts"
import { badRequest } from "../errors.ts"
import { clientGone } from "./live-call.ts"
import { countryCode } from "./countries.ts"
import { dateWindow } from "./dates.ts"
import { domainList } from "./domains.ts"
import { languageCode } from "./languages.ts"
import { presentSearch, type SearchPresentation } from "./present.ts"
import { searchSchema, type SearchRequest } from "./schema.ts"
import { searchedText } from "./searched-text.ts"
import { bodyReader } from "./validate.ts"

export interface SearchLimits {
  /** Results when the request leaves their number open. */
  readonly maxResults: number
  readonly includeDomainsCap: number
  readonly excludeDomainsCap: number
}

/** Earliest date the filter can name: with it, "has a date" is a window like any other. */
const BEGINNING = new Date(0)

/** POST /search: the index, asked. */
export function search(engine: Engine, limits: SearchLimits): Middleware {
  const read = bodyReader<SearchRequest>(searchSchema)
  return async (ctx) => {
    const request = read(ctx.state.body)
    const query = toQuery(request, limits, new Date())
    const result = query.limit === 0 ? { hits: [] } : await engine.search(query, { signal: clientGone(ctx) })
    ctx.body = await presentSearch(request, result.hits, {
      ...presentation(request),
      requestId: ctx.state.requestId,
      responseTime: responseTime(ctx),
    })
  }
}

/**
 * The engine's query for a request.
 * @throws ApiError 400 for values that a schema cannot judge, naming the field
 */
export function toQuery(request: SearchRequest, limits: SearchLimits, now: Date): Query {
  checkCountry(request)
  return {
    text: searchedText(request.query),
    limit: request.max_results === "auto" ? limits.maxResults : request.max_results,
    passagesPerPage: request.search_depth === "ultra-fast" ? 1 : request.chunks_per_source,
    filter: toFilter(request, limits, now),
  }
}

function toFilter(request: SearchRequest, limits: SearchLimits, now: Date): PageFilter {
  const includeDomains = domainList("include_domains", request.include_domains, limits.includeDomainsCap)
  const excludeDomains = domainList("exclude_domains", request.exclude_domains, limits.excludeDomainsCap)
  if (request.include_domains_mode !== undefined && includeDomains.length === 0) {
    throw badRequest("Invalid include_domains_mode. Must be given together with include_domains.")
  }
  const boosting = request.include_domains_mode === "boost" || request.include_domains_mode === "prefer"
  const window = dateWindow(request, now)
  const language = toLanguage(request)
  const phrases = request.exact_match ? analyseQuery(searchedText(request.query), null).quoted : []
  const from = window.from ?? (request.filter_by_published_date && !window.before ? BEGINNING : undefined)
  return {
    ...(includeDomains.length > 0 && !boosting && { includeDomains }),
    ...(excludeDomains.length > 0 && { excludeDomains }),
    ...(from !== undefined && { publishedFrom: from }),
    ...(window.before !== undefined && { publishedBefore: window.before }),
    ...(request.filter_by_published_date && { requirePublished: true }),
    ...(language !== null && request.filter_by_language && { languages: [language] }),
    ...(phrases.length > 0 && { phrases }),
  }
}

function toLanguage({ language, filter_by_language }: SearchRequest): string | null {
  if (language === undefined) {
    if (filter_by_language)
      throw badRequest("Invalid filter_by_language. Must be given together with language.")
    return null
  }
  const code = languageCode(language)
  if (code !== null) return code
  throw badRequest(`Invalid language. Must be ${searchSchema.properties.language["x-allowed"]}.`)
}

function checkCountry({ country }: SearchRequest): void {
  if (country === undefined || countryCode(country) !== null) return
  throw badRequest(`Invalid country. Must be ${searchSchema.properties.country["x-allowed"]}.`)
}

function presentation(request: SearchRequest): Pick<SearchPresentation, "credits"> {
  return { credits: request.search_depth === "advanced" ? 2 : 1 }
}
