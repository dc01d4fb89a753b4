import type { Middleware } from "../../context.ts"
import { ENGINE } from "./searxng-request.ts"

/** GET /searxng/config: what a client can request. */
export function searxngConfig(): Middleware {
  return async (ctx) => {
    const { names } = ctx.state.reach
    const { sources, collections } = await names.all()
    const engines = [...new Set([ENGINE, ...collections, ...sources])]
    ctx.body = {
      instance_name: "Fossick",
      categories: ["general", "news", "images"],
      engines: engines.map((name) => ({
        name,
        categories: ["general", "news", "images"],
        shortcut: name,
        enabled: name === ENGINE,
        paging: true,
        language_support: true,
        safesearch: true,
        time_range_support: true,
      })),
      plugins: [],
      default_locale: "en",
      safe_search: 0,
    }
  }
}
