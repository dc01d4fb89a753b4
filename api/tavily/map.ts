import type { WalkedPage } from "#crawler"

import { mapCost } from "../accounts/billing/credits.ts"
import { type Middleware, responseTime, liveDeadline } from "../context.ts"
import type { LiveParts } from "./extract.ts"
import { addressWords, fitting, judgeLinks } from "../core/relevance/relevant-pages.ts"
import { type Relevance, relevanceTo } from "../core/relevance/relevance.ts"
import { type MapRequest, mapSchema } from "./schema.ts"
import { withDegraded } from "../answers/degradation.ts"
import { bodyReader } from "../wire/validate.ts"
import { presentWarnings, shortened, unknownFields } from "../wire/warnings.ts"
import { MAX_SEARCHED_CHARS } from "../core/understand/searched-text.ts"
import { walkFor } from "./walk-request.ts"

/** POST /map: the addresses of a site, found now. */
export function map(parts: LiveParts): Middleware {
  const read = bodyReader<MapRequest>(mapSchema)
  return async (ctx) => {
    const request = read(ctx.state.body)
    const signal = liveDeadline(ctx, request.timeout)
    const { instructions } = request
    const { bill, reach } = ctx.state
    const memory = parts.memory.open(ctx)
    await bill.reserve(mapCost(instructions !== undefined, request.limit))
    const relevance = instructions === undefined ? null : relevanceTo(instructions, parts.embedder, signal)
    const how = { signal, discoverOnly: true, ...(relevance && { judge: judgeLinks(relevance) }) }
    const found: Found[] = []
    const metered = { ...reach, reader: memory.metered(reach.reader) }
    await walkFor(request, metered, how, (page) => {
      if (page.result !== null && page.result.kind !== "read") return
      // Not the page itself: a map of many pages would hold all their text.
      const about = relevance === null ? "" : describe(page)
      found.push({ url: page.url, about })
      if (page.result) memory.keep(page.result.reading.extracted, page.url.length + about.length)
    })
    const ordered = relevance === null ? found : await fittingOf(found, relevance)
    const results = [...new Set(ordered.map((page) => page.url))].slice(0, request.limit)
    const failures = memory.failures(results.length)
    const credits = await bill.settle(mapCost(relevance !== null, results.length), {
      depth: "basic",
      query: instructions,
    })
    ctx.body = withDegraded(ctx, {
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

interface Found {
  readonly url: string
  /** What is known of the page, when that matters. */
  readonly about: string
}

async function fittingOf(pages: readonly Found[], relevance: Relevance): Promise<readonly Found[]> {
  const scores = await relevance.texts(pages.map((page) => page.about))
  return fitting(pages.map((page, i) => ({ ...page, relevance: scores[i]! })))
}

/** What can be known of a page: its title and description when it was read, and the words of its address. */
function describe({ url, result }: WalkedPage): string {
  const extracted = result?.kind === "read" ? result.reading.extracted : null
  return [extracted?.title, extracted?.description, addressWords(url)].filter((part) => part).join("\n")
}
