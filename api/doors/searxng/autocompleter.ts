import type { Middleware } from "../../context.ts"
import { DEFAULT_SUGGESTIONS, MAX_TYPED_CHARS, suggestionsFor } from "../../services/suggestions/suggest.ts"
import { givenBy } from "./searxng-request.ts"

/**
 * GET /searxng/autocompleter: suggests titles and headings for the text typed so far, as a list for a search form, or
 * in the form of OpenSearch Suggestions 1.0 for a browser's address bar.
 */
export function autocompleter(): Middleware {
  return async (ctx) => {
    const typed = (givenBy(ctx)("q") ?? "").trim()
    const text = typed.slice(0, MAX_TYPED_CHARS)
    const found = text === "" ? [] : await suggestionsFor(ctx.state, { text, limit: DEFAULT_SUGGESTIONS })
    const texts = [...new Set(found.map((one) => one.text))]
    const isForm = ctx.get("X-Requested-With") === "XMLHttpRequest"
    ctx.set("Cache-Control", "no-store")
    ctx.type = isForm ? "application/json" : "application/x-suggestions+json"
    ctx.body = JSON.stringify(isForm ? texts : [typed, texts])
  }
}
