import type { Middleware } from "../../context.ts"
import { MAX_QUERY_CHARS, MOST_RESULTS, plainSearch, type PlainSearchParts } from "../plain-search.ts"
import type { SearchLimits } from "../../core/ask/question.ts"
import { FieldReader } from "../../server/wire/fields.ts"

/** POST /openwebui/search: Open WebUI's external search. */
export function externalSearch(limits: SearchLimits, parts: PlainSearchParts): Middleware {
  const search = plainSearch(limits, parts)
  return async (ctx) => {
    const body = new FieldReader(ctx.state.body)
    const query = body.requiredString("query", MAX_QUERY_CHARS)
    const count = body.number("count", 1, 1000) ?? 5
    body.end()
    const { pages } = await search(ctx, { text: query, results: Math.min(count, MOST_RESULTS) })
    ctx.body = pages.map(({ hit, content }) => ({ link: hit.url, title: hit.title, snippet: content }))
  }
}
