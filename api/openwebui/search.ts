import { searchCost } from "../accounts/billing/credits.ts"
import type { Middleware } from "../context.ts"
import { performSearch, prepareSearch, type SearchLimits, type SearchParts } from "../tavily/search.ts"
import { type SearchBody, searchSchema } from "../tavily/schema.ts"
import { FieldReader } from "../wire/fields.ts"
import { bodyReader } from "../wire/validate.ts"

export type ExternalSearchParts = Pick<SearchParts, "images" | "embedder" | "chatModel">

const MAX_QUERY_CHARS = 10_000
const MAX_RESULTS = 50

/** POST /openwebui/search: Open WebUI's external search. */
export function externalSearch(limits: SearchLimits, parts: ExternalSearchParts): Middleware {
  const read = bodyReader<SearchBody>(searchSchema)
  return async (ctx) => {
    const body = new FieldReader(ctx.state.body)
    const query = body.requiredString("query", MAX_QUERY_CHARS)
    const count = body.number("count", 1, 1000) ?? 5
    body.end()
    const { bill, reach } = ctx.state
    const prepared = prepareSearch(
      read({ query, max_results: Math.min(count, MAX_RESULTS) }),
      limits,
      reach.names,
    )
    const cost = searchCost("basic")
    await bill.reserve(cost)
    const found = await performSearch(prepared, ctx, { ...parts, engine: reach.engine })
    await bill.settle(cost, { depth: "basic", query })
    ctx.body = found.results.map(({ url, title, content }) => ({ link: url, title, snippet: content }))
  }
}
