import { leaveOut } from "#base/flow/degraded.ts"
import type { Embedder, Engine, Hit, SearchResult } from "#engine"
import { withMeantWords } from "#engine/text/analysis/meant-words.ts"
import { statisticsOf } from "#engine/ranking/word-statistics.ts"

import { searchCost, searchCredits } from "../accounts/billing/credits.ts"
import type { Filed } from "../accounts/reach/known-names.ts"
import type { Reach } from "../accounts/reach/reach.ts"
import { limitsText } from "../accounts/reach/scoped-pages.ts"
import type { ApiKey } from "../accounts/keys/keys.ts"
import { answerFrom, type Answered, type AnswerParts, type Asked } from "../answers/answer.ts"
import { type Context, type Middleware, responseTime, clientGone, liveDeadline } from "../context.ts"
import { ApiError } from "../errors.ts"
import { autoResults } from "../core/ask/auto-results.ts"
import { facetsFor } from "../core/ask/facets.ts"
import { factsOf, toWire, type WireStatistics } from "../federation/evidence.ts"
import type { FederatedQuery, FederatedResult, PeersAsked } from "../federation/federated-engine.ts"
import { HOPS_HEADER, hopsOf } from "../federation/hops.ts"
import { withPeerFacets } from "../federation/peer-facets.ts"
import { type FormKnowledge, otherForms } from "../core/ask/other-forms.ts"
import { lastCheck, type VisitKnowledge } from "../core/ask/last-check.ts"
import { isMiss } from "../misses/doubtful.ts"
import type { MissKnowledge } from "../misses/miss-knowledge.ts"
import type { AskedQuery } from "../misses/narrow-filters.ts"
import { type Searched, searchedOf } from "../misses/search-miss.ts"
import { type PreparedSearch, prepareSearch, type SearchLimits, withUnknown } from "./prepare.ts"
import { presentSearch } from "./present.ts"
import { type SearchBody, searchSchema, type SearchRequest } from "./schema.ts"
import type { ImageKnowledge } from "../core/ask/search-images.ts"
import { missedQuestions } from "../queries/missed.ts"
import type { QueryLog } from "../queries/query-log.ts"
import { SearchEvents } from "./search-events.ts"
import { wantsEvents } from "../server/server-sent-events.ts"
import { withDegraded } from "../answers/degradation.ts"
import { freshHits, type FreshParts } from "../core/fresh/fresh-hits.ts"
import { bodyReader } from "../wire/validate.ts"
import { unknownFields, type Warning } from "../wire/warnings.ts"

/** Seconds that clients wait for a search by default; reading pages again ends earlier. */
const CLIENT_SECONDS = 60
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

function cut(hits: readonly Hit[], { max_results }: SearchRequest): readonly Hit[] {
  return max_results === "auto" ? hits.slice(0, autoResults(hits.map((hit) => hit.score))) : hits
}

/** How the ranking came about tells of pages and weights more than who may only search should learn. */
function checkExplain({ explain }: SearchRequest, key: ApiKey): void {
  if (explain && key.role !== "admin")
    throw new ApiError(403, "Access denied. explain needs a key of the role admin.")
}
