import { leaveOut } from "#base/flow/degraded.ts"
import type { Embedder, Engine, Hit, PageFilter, PagePreference, SearchResult } from "#engine"
import { withMeantWords } from "#engine/text/analysis/meant-words.ts"
import { statisticsOf } from "#engine/ranking/word-statistics.ts"
import { parseQueryText, type QueryText } from "#engine/text/query-text.ts"

import { searchCost, searchCredits } from "../accounts/billing/credits.ts"
import { type Filed, type KnownNames, NAMELESS } from "../accounts/reach/known-names.ts"
import type { Reach } from "../accounts/reach/reach.ts"
import { limitsText } from "../accounts/reach/scoped-pages.ts"
import type { ApiKey } from "../accounts/keys/keys.ts"
import { answerFrom, type Answered, type AnswerParts, type Asked } from "../answers/answer.ts"
import { type Context, type Middleware, responseTime } from "../context.ts"
import { ApiError, badRequest } from "../errors.ts"
import { type AutoParameters, chooseParameters } from "./query/auto-parameters.ts"
import { autoResults } from "./query/auto-results.ts"
import { clientGone, liveDeadline } from "./live/live-call.ts"
import { countryCode } from "./query/countries.ts"
import { dateWindow } from "./query/dates.ts"
import { domainList } from "../wire/domains.ts"
import { facetsFor } from "./query/facets.ts"
import { languageCodes } from "./query/languages.ts"
import { factsOf, fromWire, toWire, type WireStatistics } from "../federation/evidence.ts"
import type { FederatedQuery, FederatedResult, PeersAsked } from "../federation/federated-engine.ts"
import { HOPS_HEADER, hopsOf } from "../federation/hops.ts"
import { withPeerFacets } from "../federation/peer-facets.ts"
import { type FormKnowledge, otherForms } from "./other-forms.ts"
import { lastCheck, type VisitKnowledge } from "./last-check.ts"
import { isMiss } from "../misses/doubtful.ts"
import type { MissKnowledge } from "../misses/miss-knowledge.ts"
import type { AskedQuery } from "../misses/narrow-filters.ts"
import { type Searched, searchedOf } from "../misses/search-miss.ts"
import { presentSearch } from "./present.ts"
import { type SearchBody, searchSchema, type SearchRequest } from "./schema.ts"
import type { ImageKnowledge } from "./search-images.ts"
import { missedQuestions } from "../queries/missed.ts"
import type { QueryLog } from "../queries/query-log.ts"
import { SearchEvents, wantsEvents } from "./search-events.ts"
import { searchedText } from "./query/searched-text.ts"
import { withDegraded } from "../answers/degradation.ts"
import { freshHits, type FreshParts } from "./fresh/fresh-hits.ts"
import { type Freshness, freshnessOf } from "./fresh/freshness.ts"
import { withoutEffect } from "./query/without-effect.ts"
import { bodyReader } from "../wire/validate.ts"
import { unknownFields, type Warning } from "../wire/warnings.ts"

export interface SearchLimits {
  /** Results when the request leaves their number open. */
  readonly maxResults: number
  /** Results at most when their number is `auto`. */
  readonly maxAutoResults: number
  readonly includeDomainsCap: number
  readonly excludeDomainsCap: number
}

/** Seconds that clients wait for a search by default; reading pages again ends earlier. */
const CLIENT_SECONDS = 60
/** Earliest date the filter can name: with it, "has a date" is a window like any other. */
const BEGINNING = new Date(0)

export interface SearchParts extends AnswerParts {
  readonly engine: Pick<Engine, "search">
  readonly embedder: Pick<Embedder, "id" | "traits" | "embed">
  /** How often the question has been handed on among appliances; left out: no other is asked. */
  readonly hops?: number
  readonly images: ImageKnowledge
  /** Counts what matches; left out where nobody may ask for it. */
  readonly facets?: Reach["facets"]
  /** What pages are filed under, as far as the caller may know it; left out where no names are shown. */
  readonly filing?: ((sources: readonly string[]) => Filed) | undefined
  /** Reads results again that are older than a request allows. */
  readonly fresh: FreshParts
  /** Whether results always say when a crawl last found them; otherwise they do so only with `max_age_hours`. Default false. */
  readonly showsChecks?: boolean
  /** Where documents in several formats are named, and to whom; left out where they are not. */
  readonly forms?: { readonly knowledge: FormKnowledge; readonly reach: Pick<Reach, "addresses"> }
  /** How complete what was asked is, and why nothing was found; left out where that is not told. */
  readonly searched?: (
    query: AskedQuery,
    hits: readonly Hit[],
    signal: AbortSignal,
  ) => Promise<Searched | null>
}

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

/** POST /search: the index, asked, as far as the key may see it. */
export function search(
  limits: SearchLimits,
  {
    forms: knowledge,
    visits,
    misses,
    queries,
    pageCount,
    ...parts
  }: AnswerParts &
    Pick<SearchParts, "embedder"> & {
      /** How many pages the index has. */
      readonly pageCount: () => Promise<number>
      /** Where questions are noted; left out: nowhere. */
      readonly queries?: Pick<QueryLog, "note" | "isOn"> | undefined
      readonly images: ImageKnowledge
      readonly forms: FormKnowledge
      readonly visits: VisitKnowledge
      readonly misses: MissKnowledge | null
    },
): Middleware {
  const read = bodyReader<SearchBody>(searchSchema)
  const isMissed = missedQuestions(misses)
  return async (ctx) => {
    const { bill, reach, degraded } = ctx.state
    const prepared = withUnknown(
      prepareSearch(read(ctx.state.body), limits, reach.names),
      unknownFields(searchSchema, ctx.state.body),
    )
    const { request } = prepared
    checkExplain(request, ctx.state.key)
    const cost = isCount(prepared) ? {} : searchCost(request.search_depth)
    await bill.reserve(cost)
    const settle = () => bill.settle(cost, { depth: request.search_depth, query: request.query })
    const note: Note = (results) => {
      if (prepared.query.limit === 0 || !queries?.isOn) return
      const entry = {
        at: Date.now(),
        keyId: ctx.state.key.id,
        reach: limitsText(reach.limits()),
        question: request.query,
        depth: request.search_depth,
        results: results.length,
        topScore: results[0]?.score ?? 0,
        seconds: responseTime(ctx),
      }
      const { query } = prepared
      // After the answer, which does not wait for it.
      void isMissed({ query, results, isLimited: reach.limits() !== null, degraded }).then((missed) =>
        queries.note({ ...entry, missed }),
      )
    }
    const searching: SearchParts = {
      ...parts,
      engine: reach.engine,
      hops: hopsOf(ctx.get(HOPS_HEADER)),
      facets: (query, signal) => reach.facets(query, signal),
      filing: reach.names.filing(),
      fresh: freshParts(reach, visits),
      showsChecks: true,
      forms: { knowledge, reach },
      ...(misses !== null && {
        searched: async (query, hits, signal) =>
          request.explain || isMiss(hits)
            ? await searchedOf(query, hits, { reach, key: ctx.state.key, knowledge: misses, signal })
            : null,
      }),
    }
    if (wantsEvents(ctx) && wantsAnswer(request)) {
      await streamSearch(prepared, ctx, searching, { settle, note })
      return
    }
    const found = await performSearch(prepared, ctx, searching)
    const counted = request.include_word_statistics ? await statisticsFor(prepared, reach, pageCount) : null
    await settle()
    note(found.results)
    ctx.body = counted === null ? found : { ...found, word_statistics: counted }
  }
}

/** Reads results again within the reach of a caller. */
export const freshParts = (reach: Pick<Reach, "reread" | "limits">, visits: VisitKnowledge): FreshParts => ({
  checked: (hit) => lastCheck(hit, visits, reach.limits()?.sources ?? null),
  reread: (url, options) => reach.reread(url, options),
})

/** Tells the log of questions what was found. */
type Note = (results: readonly { readonly score: number }[]) => void

/** Nothing is looked for: it costs nothing. */
const isCount = ({ request, query }: PreparedSearch): boolean =>
  request.include_word_statistics && query.limit === 0

/** In how many pages the words of the question stand; null for those who may not see all pages, and so not be told. */
async function statisticsFor(
  { query }: PreparedSearch,
  reach: Reach,
  pageCount: () => Promise<number>,
): Promise<WireStatistics | null> {
  if (reach.limits() !== null) return null
  const { rarity } = await reach.engine.search({ ...query, limit: 0, rarityOnly: true })
  return toWire(statisticsOf(await pageCount(), rarity ?? new Map<string, number>()))
}

/** Resolves when what was found has been sent; the answer follows in the stream. */
async function streamSearch(
  prepared: PreparedSearch,
  ctx: Context,
  parts: SearchParts,
  { settle, note }: { readonly settle: () => Promise<unknown>; readonly note: Note },
): Promise<void> {
  const stop = clientGone(ctx)
  const found = await hitsFor(prepared, ctx, parts, stop)
  const body = await presented(prepared, ctx, found, { parts, stop, answer: null })
  await settle()
  note(body.results)
  const events = new SearchEvents(ctx)
  events.begin(body)
  void answered(prepared, found, {
    answering: parts,
    signal: stop,
    log: ctx.state.log,
    onPiece: (piece) => events.piece(piece),
  })
    .then((answer) => events.end(answer))
    .catch((err: unknown) => {
      if (!stop.aborted) ctx.state.log.error({ err }, "an answer broke off in its stream")
      events.fail()
    })
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
  const chosen = body.auto_parameters ? chooseParameters(body, now) : null
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

/**
 * Searches, and presents what was found.
 * @param stop ends it early; by default, when the caller hangs up
 */
export async function performSearch(
  prepared: PreparedSearch,
  ctx: Context,
  parts: SearchParts,
  stop: AbortSignal = clientGone(ctx),
) {
  const found = await hitsFor(prepared, ctx, parts, stop)
  const answer = await answered(prepared, found, { answering: parts, signal: stop, log: ctx.state.log })
  return await presented(prepared, ctx, found, { parts, stop, answer })
}

/** What was found, as young as the request wants it. */
async function hitsFor(
  { request, query, question, freshness }: PreparedSearch,
  ctx: Context,
  { engine, hops, fresh, embedder }: SearchParts,
  signal: AbortSignal,
): Promise<FoundFresh> {
  const peers: PeersAsked | null = hops === undefined ? null : { body: { ...request }, hops }
  const asked: FederatedQuery = { ...query, ...(peers && { peers }) }
  const found: FederatedResult = query.limit === 0 ? { hits: [] } : await engine.search(asked, { signal })
  const hits = cut(found.hits, request)
  if (freshness === null) return { ...found, hits, aged: [] }
  const { hits: young, warnings: aged } = await freshHits(hits, freshness, {
    ...fresh,
    question,
    query,
    embedder,
    // Writing the answer then takes no more than a moment.
    signal: AbortSignal.any([signal, liveDeadline(ctx, CLIENT_SECONDS)]),
  })
  return { ...found, hits: young, aged }
}

interface FoundFresh extends FederatedResult {
  /** About pages that are older than the request wants them. */
  readonly aged: readonly Warning[]
}

async function presented(
  prepared: PreparedSearch,
  ctx: Context,
  { hits, aged, wordsAlone, notReranked, corrected, reach, peers, peerFacets }: FoundFresh,
  { parts, stop, answer }: { parts: SearchParts; stop: AbortSignal; answer: Answered | null },
) {
  const { request, query, chosen, freshness } = prepared
  const { images, forms, filing, fresh, searched, facets } = parts
  const { include_facets: fields } = request
  const counted =
    fields === undefined || facets === undefined
      ? null
      : await facetsFor([fields].flat(), query, hits, (asked) => facets(asked, stop))
  const body = await presentSearch(request, hits, {
    chosen,
    facets: counted && withPeerFacets(counted, peerFacets),
    evidence: request.include_evidence ? factsOf({ ...(reach !== undefined && { reach }) }) : null,
    peers,
    corrected,
    images,
    filing,
    checked: parts.showsChecks === true || freshness !== null ? fresh.checked : undefined,
    otherForms: forms && (await otherForms(hits, forms.knowledge, forms.reach)),
    // Where pages were too old, the warnings already say why they are missing.
    searched:
      query.limit === 0 || aged.length > 0
        ? null
        : await searchedOrNone(ctx, () => searched?.(query, hits, stop)),
    wordsAlone,
    notReranked,
    answered: answer,
    credits: isCount(prepared) ? 0 : searchCredits(request.search_depth),
    warnings: [...prepared.warnings, ...aged],
    requestId: ctx.state.requestId,
    responseTime: responseTime(ctx),
  })
  return withDegraded(ctx, body)
}

/** What was found, or not, needs no reason to be answered: one that cannot be given is left out. */
async function searchedOrNone(
  ctx: Context,
  look: () => Promise<Searched | null> | undefined,
): Promise<Searched | null> {
  try {
    return (await look()) ?? null
  } catch (error) {
    ctx.state.log.error({ err: error }, "why nothing was found could not be told")
    leaveOut("coverage")
    return null
  }
}

const wantsAnswer = (request: SearchRequest): boolean =>
  request.include_answer !== false && request.max_results !== 0

/** The answer that was asked for; null when none was, or no results were. */
async function answered(
  { request, question }: PreparedSearch,
  { hits, rarity, corrected }: SearchResult,
  { answering, ...waiting }: { answering: AnswerParts } & Pick<Asked, "signal" | "log" | "onPiece">,
): Promise<Answered | null> {
  if (!wantsAnswer(request)) return null
  const depth = request.include_answer === "advanced" ? "advanced" : "basic"
  return answerFrom(
    {
      question: corrected ? withMeantWords(question.text, corrected) : question.text,
      hits,
      ...(rarity && { rarity }),
      depth,
      ...waiting,
    },
    answering,
  )
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

function cut(hits: readonly Hit[], { max_results }: SearchRequest): readonly Hit[] {
  return max_results === "auto" ? hits.slice(0, autoResults(hits.map((hit) => hit.score))) : hits
}

/** How the ranking came about tells of pages and weights more than who may only search should learn. */
function checkExplain({ explain }: SearchRequest, key: ApiKey): void {
  if (explain && key.role !== "admin")
    throw new ApiError(403, "Access denied. explain needs a key of the role admin.")
}
