import { degradedText } from "#base/flow/degraded.ts"
import { statisticsOf } from "#engine/search/ranking/word-statistics.ts"

import { searchCost, searchCredits } from "../../identity/accounts/billing/credits.ts"
import type { ApiKey } from "../../identity/accounts/keys/keys.ts"
import type { Reach } from "../../identity/accounts/reach/reach.ts"
import { limitsText } from "../../identity/accounts/reach/scoped-pages.ts"
import type { AnswerParts } from "../../services/answers/answer.ts"
import { withDegraded } from "../../server/degradation.ts"
import { clientGone, type Context, liveDeadline, type Middleware, responseTime } from "../../context.ts"
import {
  answer,
  ask,
  type AskedBy,
  type AskParts,
  find,
  freshParts,
  SEARCH_SECONDS,
  show,
} from "../../core/ask/ask.ts"
import type { VisitKnowledge } from "../../core/read/last-check.ts"
import type { FormKnowledge } from "../../core/ask/other-forms.ts"
import type { SearchLimits } from "../../core/ask/question.ts"
import type { ImageKnowledge } from "../../core/ask/search-images.ts"
import { ApiError } from "../../errors.ts"
import type { WireStatistics } from "../../services/federation/answer-schema.ts"
import { toWire } from "../../services/federation/evidence.ts"
import { HOPS_HEADER, hopsOf } from "../../services/federation/hops.ts"
import { isMiss } from "../../services/misses/miss-threshold.ts"
import type { MissKnowledge } from "../../services/misses/miss-knowledge.ts"
import { searchedOf, unreadTexts } from "../../services/misses/search-miss.ts"
import { missedQuestions } from "../../services/queries/missed.ts"
import type { QueryLog } from "../../services/queries/query-log.ts"
import { wantsEvents } from "../../server/server-sent-events.ts"
import { bodyReader } from "../../server/wire/validate.ts"
import { unknownFields, type Warning } from "../../server/wire/warnings.ts"
import { type PreparedSearch, prepareSearch, withUnknown } from "./prepare.ts"
import { type Outcome, presentSearch } from "./present.ts"
import { searchSchema, type SearchRequest } from "./schema.ts"
import { SearchEvents } from "./search-events.ts"

/** POST /search: searches the index within the key's scope. */
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
    Pick<AskParts, "embedder"> & {
      /** Number of pages in the index. */
      readonly pageCount: () => Promise<number>
      /** The log for questions; if left out, questions are not logged. */
      readonly queries?: Pick<QueryLog, "note" | "isOn"> | undefined
      readonly images: ImageKnowledge
      readonly forms: FormKnowledge
      readonly visits: VisitKnowledge
      readonly misses: MissKnowledge | null
    },
): Middleware {
  const read = bodyReader(searchSchema)
  const isMissed = missedQuestions(misses)
  return async (ctx) => {
    const { bill, reach, degraded } = ctx.state
    const asked = withUnknown(
      await prepareSearch(read(ctx.state.body), limits, reach.names),
      unknownFields(searchSchema, ctx.state.body),
    )
    const unread = misses === null ? [] : await unreadTexts(asked.question.query, reach, misses)
    const prepared = {
      ...asked,
      warnings: [...asked.warnings, ...unread.map((text): Warning => ({ code: "unread", text }))],
    }
    const { request, question } = prepared
    checkExplain(request, ctx.state.key)
    const cost = isCount(prepared) ? {} : searchCost(request.search_depth)
    await bill.reserve(cost)
    const settle = () => bill.settle(cost, { depth: request.search_depth, query: request.query })
    const note: Note = async (results) => {
      const { query } = question
      if (query.limit === 0 || !queries?.isOn) return
      const seen = await reach.limits()
      const entry = {
        at: Date.now(),
        keyId: ctx.state.key.id,
        reach: limitsText(seen),
        question: request.query,
        depth: request.search_depth,
        results: results.length,
        topScore: results[0]?.score ?? 0,
        seconds: responseTime(ctx),
      }
      // Runs after the answer, which does not wait for it.
      void isMissed({ query, results, isLimited: seen !== null, degraded }).then((missed) =>
        queries.note({ ...entry, missed }),
      )
    }
    const searching: AskParts = {
      ...parts,
      engine: reach.engine,
      peers: { body: { ...request }, hops: hopsOf(ctx.get(HOPS_HEADER)) },
      facets: (query, signal) => reach.facets(query, signal),
      filing: await reach.names.filing(),
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
    if (wantsEvents(ctx) && question.answer !== null) {
      await streamSearch(prepared, ctx, searching, { settle, note })
      return
    }
    const found = await performSearch(prepared, ctx, searching)
    const counted = request.include_word_statistics ? await statisticsFor(prepared, reach, pageCount) : null
    await settle()
    await note(found.results)
    ctx.body = counted === null ? found : { ...found, word_statistics: counted }
  }
}

/** Logs the results of a question. */
type Note = (results: readonly { readonly score: number }[]) => Promise<void>

/** Whether a request only asks for word statistics: it doesn't search, and so costs nothing. */
const isCount = ({ request, question }: PreparedSearch): boolean =>
  request.include_word_statistics && question.query.limit === 0

/**
 * The number of pages with each word of the question; null for keys that may not see all pages, and so must not learn
 * these numbers.
 */
async function statisticsFor(
  { question: { query } }: PreparedSearch,
  reach: Reach,
  pageCount: () => Promise<number>,
): Promise<WireStatistics | null> {
  if ((await reach.limits()) !== null) return null
  const { rarity } = await reach.engine.search({ ...query, limit: 0, rarityOnly: true })
  return toWire(statisticsOf(await pageCount(), rarity ?? new Map<string, number>()))
}

/** Resolves when the results have been sent; the answer follows in the stream. */
async function streamSearch(
  prepared: PreparedSearch,
  ctx: Context,
  parts: AskParts,
  { settle, note }: { readonly settle: () => Promise<unknown>; readonly note: Note },
): Promise<void> {
  const by = askedBy(ctx, clientGone(ctx))
  const { question } = prepared
  const found = await find(question, parts, by)
  const shown = await show(question, found, parts, by)
  const body = presented(prepared, ctx, { found, shown, answered: null })
  await settle()
  await note(body.results)
  const events = new SearchEvents(ctx)
  events.begin(body)
  void answer(question, found, parts, by, (piece) => events.piece(piece))
    .then((answered) => events.end(answered))
    .catch((err: unknown) => {
      if (!by.signal.aborted) by.log.error({ err }, "an answer failed while it was streamed")
      events.fail()
    })
}

/**
 * Searches, and presents the results.
 * @param stop ends the search early; by default, when the caller hangs up
 */
export async function performSearch(
  prepared: PreparedSearch,
  ctx: Context,
  parts: AskParts,
  stop: AbortSignal = clientGone(ctx),
) {
  return presented(prepared, ctx, await ask(prepared.question, parts, askedBy(ctx, stop)))
}

const askedBy = (ctx: Context, signal: AbortSignal): AskedBy => ({
  signal,
  // Rereading may use the whole time, because writing the answer afterwards takes only a moment.
  deadline: () => liveDeadline(ctx, SEARCH_SECONDS),
  log: ctx.state.log,
})

function presented(prepared: PreparedSearch, ctx: Context, outcome: Outcome) {
  const credits = isCount(prepared) ? 0 : searchCredits(prepared.request.search_depth)
  const { requestId, degraded } = ctx.state
  const warnings = degraded.parts.includes("state") ? [...prepared.warnings, OUTAGE] : prepared.warnings
  return withDegraded(
    ctx,
    presentSearch({ ...prepared, warnings }, outcome, {
      requestId,
      responseTime: responseTime(ctx),
      credits,
    }),
  )
}

const OUTAGE: Warning = { code: "outage", text: degradedText(["state"])! }

/** Explanations of the ranking reveal more about pages and weights than a search-only key should learn. */
function checkExplain({ explain }: SearchRequest, key: ApiKey): void {
  if (explain && key.role !== "admin")
    throw new ApiError(403, "Access denied. explain needs a key with the role admin.")
}
