import { mapCost } from "../../identity/accounts/billing/credits.ts"
import { withDegraded } from "../../server/degradation.ts"
import { liveDeadline, type Middleware, responseTime, untilClosed } from "../../context.ts"
import { relevanceTo } from "../../core/relevance/relevance.ts"
import { MAX_SEARCHED_CHARS } from "../../core/understand/searched-text.ts"
import { mapSite, rankedPages } from "../../core/walk/map-site.ts"
import { fitting } from "../../core/walk/relevant-pages.ts"
import { bodyReader } from "../../server/wire/validate.ts"
import { presentWarnings, shortened, unknownFields } from "../../server/wire/warnings.ts"
import type { LiveParts } from "../../core/read/live-parts.ts"
import { mapSchema } from "./schema.ts"
import type { MapAnswer } from "./described/answers.ts"
import { siteOf, walked } from "./walk-body.ts"

/** POST /map: the addresses of a site, collected now. */
export function map(parts: LiveParts): Middleware {
  const read = bodyReader(mapSchema)
  return async (ctx) => {
    const request = read(ctx.state.body)
    const signal = liveDeadline(ctx, request.timeout)
    const { instructions } = request
    const { bill, reach } = ctx.state
    const memory = untilClosed(ctx, parts.memory.open())
    await bill.reserve(mapCost(instructions !== undefined, request.limit))
    const relevance = instructions === undefined ? null : relevanceTo(instructions, parts.embedder, signal)
    const found = await walked(mapSite(siteOf(request), { reach, memory, relevance, signal }))
    const ordered = relevance === null ? found : fitting(await rankedPages(found, relevance))
    const results = [...new Set(ordered.map((page) => page.url))].slice(0, request.limit)
    const failures = memory.failures(results.length)
    const credits = await bill.settle(mapCost(relevance !== null, results.length), {
      depth: "basic",
      query: instructions,
    })
    ctx.body = withDegraded<MapAnswer>(ctx, {
      base_url: request.url,
      results,
      ...(failures && { failed_results: failures }),
      ...presentWarnings([
        ...unknownFields(mapSchema, ctx.state.body),
        ...shortened("instructions", instructions, MAX_SEARCHED_CHARS),
      ]),
      response_time: responseTime(ctx),
      ...(request.include_usage && { usage: { credits } }),
      request_id: ctx.state.requestId,
    })
  }
}
