import { searchCost } from "../accounts/billing/credits.ts"
import type { Context } from "../context.ts"
import { bodyReader } from "../wire/validate.ts"
import { type SearchBody, searchSchema } from "../tavily/schema.ts"
import type { Freshness } from "../core/fresh/fresh-hits.ts"
import type { VisitKnowledge } from "../core/ask/last-check.ts"
import { freshParts, performSearch, type SearchParts } from "../tavily/search.ts"
import { prepareSearch, type SearchLimits } from "../tavily/prepare.ts"

import { withNote } from "./note-on-orders.ts"

/** Results that other APIs' searches give at most. */
export const MOST_RESULTS = 50
/** Characters of a question that other APIs' searches take. */
export const MAX_QUERY_CHARS = 10_000

export interface PlainSearchParts extends Pick<
  SearchParts,
  "images" | "embedder" | "statementReranker" | "chatModel"
> {
  readonly visits: VisitKnowledge
}

/**
 * The search of the APIs beside our own: of the depth `basic`, paid for as such. Their results have no field that all clients
 * hand on, so the content of a page that gives orders to models begins with a note.
 * @returns asks with a body of POST /search; it throws ApiError as that does
 */
export function plainSearch(limits: SearchLimits, { visits, ...parts }: PlainSearchParts) {
  const read = bodyReader<SearchBody>(searchSchema)
  return async (
    ctx: Context,
    body: Readonly<Record<string, unknown>>,
    {
      signal,
      freshness,
      ...more
    }: Pick<SearchParts, "filing"> & {
      readonly signal?: AbortSignal
      /** How old results may be, where the API says that in words of its own. */
      readonly freshness?: Freshness | null
    } = {},
  ) => {
    const { bill, reach } = ctx.state
    const asked = prepareSearch(read(body), limits, reach.names)
    const prepared = freshness === undefined ? asked : { ...asked, freshness }
    const cost = searchCost("basic")
    await bill.reserve(cost)
    const found = await performSearch(
      prepared,
      ctx,
      { ...parts, ...more, engine: reach.engine, hops: 0, fresh: freshParts(reach, visits) },
      signal,
    )
    const credits = await bill.settle(cost, { depth: "basic", query: prepared.request.query })
    const results = found.results.map((result) => ({
      ...result,
      content: withNote(result.content, result.addresses_models),
    }))
    return { ...found, results, credits }
  }
}
