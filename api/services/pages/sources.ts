import { toPageUrl } from "#engine"

import { type Middleware, responseTime } from "../../context.ts"
import type { PageKnowledge } from "./page-knowledge.ts"

/**
 * GET /sources: what the index holds, as far as the key may see it.
 * @param about what the operator says of it; empty: nothing
 */
export function sources(knowledge: Pick<PageKnowledge, "sources">, about: string): Middleware {
  return async (ctx) => {
    const limits = await ctx.state.reach.limits()
    const admits = await ctx.state.reach.addresses()
    // Who is limited to domains alone knows no source by name, as in searches.
    const named = limits === null ? null : new Set(limits.sources ?? [])
    const onDomains = limits !== null && limits.domains !== null
    const shown = (await knowledge.sources())
      .filter(({ name }) => named === null || named.has(name))
      .map(({ name, pages, seeds, checkedAt }) => ({
        name,
        // How many of them are on the domains of the key, nobody has counted.
        pages: onDomains ? null : pages,
        starts: seeds.flatMap((seed) => startOf(seed, onDomains ? admits : () => true)),
        checked_at: onDomains ? null : (checkedAt?.toISOString() ?? null),
      }))
      // That there is a source tells something of what lies outside the domains.
      .filter(({ starts }) => !onDomains || starts.length > 0)
    ctx.set("Cache-Control", "no-store")
    ctx.body = {
      about: about === "" ? null : about,
      sources: shown,
      response_time: responseTime(ctx),
      request_id: ctx.state.requestId,
    }
  }
}

/** Without parameters, which may be secrets. */
function startOf(
  seed: string,
  admits: (url: NonNullable<ReturnType<typeof toPageUrl>>) => boolean,
): string[] {
  const url = toPageUrl(seed)
  return url === null || !admits(url) ? [] : [url.replace(/[?#].*$/s, "")]
}
