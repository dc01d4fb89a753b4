import { crawlCost } from "../../identity/accounts/billing/credits.ts"
import { withDegraded } from "../../server/degradation.ts"
import { liveDeadline, type Middleware, responseTime, untilClosed } from "../../context.ts"
import { crawlSite } from "../../core/walk/crawl-site.ts"
import { bodyReader } from "../../server/wire/validate.ts"
import { presentWarnings, unknownFields } from "../../server/wire/warnings.ts"
import { pageAsked, presentPage } from "./extract.ts"
import { type LiveParts } from "../../core/read/live-parts.ts"
import { crawlSchema } from "./schema.ts"
import type { CrawlAnswer } from "./described/answers.ts"
import { siteOf, walked } from "./walk-body.ts"
import { unusedChunks } from "./without-effect.ts"

/** POST /crawl: walks a site now and returns the content of its pages. */
export function crawl(parts: LiveParts): Middleware {
  const body = bodyReader(crawlSchema)
  return async (ctx) => {
    const request = body(ctx.state.body)
    const signal = liveDeadline(ctx, request.timeout)
    const { bill, reach } = ctx.state
    const memory = untilClosed(ctx, parts.memory.open())
    const { instructions, extract_depth: depth } = request
    await bill.reserve(crawlCost(instructions !== undefined, depth, request.limit))
    const wanted = pageAsked(request, instructions, parts, signal)
    const pages = await walked(crawlSite(siteOf(request), { ...wanted, reach, memory }))
    const failures = memory.failures(pages.length)
    const cost = crawlCost(instructions !== undefined, depth, pages.length)
    const credits = await bill.settle(cost, { depth, query: instructions })
    ctx.body = withDegraded<CrawlAnswer>(ctx, {
      base_url: request.url,
      results: pages.map(({ url, text, ...page }) => ({ url, ...presentPage(text, page, request) })),
      ...(failures && { failed_results: failures }),
      ...presentWarnings([
        ...unknownFields(crawlSchema, ctx.state.body),
        ...unusedChunks(request.chunks_per_source, "instructions", instructions),
      ]),
      response_time: responseTime(ctx),
      ...(request.include_usage && { usage: { credits } }),
      request_id: ctx.state.requestId,
    })
  }
}
