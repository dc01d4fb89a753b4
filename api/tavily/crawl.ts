import { leaveOut } from "#base/flow/degraded.ts"
import { WorkError } from "#base/process/threads/work-threads.ts"
import type { Reading } from "#crawler"

import { crawlCost } from "../accounts/billing/credits.ts"
import { type Middleware, responseTime, liveDeadline } from "../context.ts"
import { textAddressesModels } from "../core/read/addresses-models.ts"
import { modelLabel } from "../wire/model-label.ts"
import { type LiveParts, renderingOf } from "./extract.ts"
import { fitting, judgeLinks } from "../core/relevance/relevant-pages.ts"
import { CHUNK_SEPARATOR, formatContent, presentImages } from "./present.ts"
import { type Relevance, relevanceTo } from "../core/relevance/relevance.ts"
import { type CrawlRequest, crawlSchema } from "./schema.ts"
import { withDegraded } from "../answers/degradation.ts"
import { bodyReader } from "../wire/validate.ts"
import { presentWarnings, unknownFields } from "../wire/warnings.ts"
import { unusedChunks } from "./without-effect.ts"
import { walkFor } from "./walk-request.ts"

/** POST /crawl: a site walked now, with the content of its pages. */
export function crawl(parts: LiveParts): Middleware {
  const body = bodyReader<CrawlRequest>(crawlSchema)
  return async (ctx) => {
    const request = body(ctx.state.body)
    const signal = liveDeadline(ctx, request.timeout)
    const { bill, reach } = ctx.state
    const memory = parts.memory.open(ctx)
    const { instructions, extract_depth: depth } = request
    await bill.reserve(crawlCost(instructions !== undefined, depth, request.limit))
    const relevance = instructions === undefined ? null : relevanceTo(instructions, parts.embedder, signal)
    // Pages are judged while others are still being read, so that little is left to do at the deadline.
    const pending: Promise<{ relevance: number; page: object } | null>[] = []
    const how = {
      signal,
      discoverOnly: false,
      ...(relevance && { judge: judgeLinks(relevance) }),
      rendering: renderingOf[depth],
    }
    const metered = { ...reach, reader: memory.metered(reach.reader) }
    await walkFor(request, metered, how, ({ url, result }) => {
      if (result?.kind !== "read") return
      const { reading } = result
      const page = presentPage(url, reading, request, { relevance, signal }).then(
        (made) => {
          memory.keep(reading.extracted, made.page.raw_content.length)
          return made
        },
        (error: unknown) => {
          // A page so large that there was no time for it, or that cannot be worked through, is left out.
          if (!signal.aborted && !(error instanceof WorkError)) throw error
          leaveOut("pages")
          return null
        },
      )
      // Handled below; without this a failure during the walk would count as nobody's.
      page.catch(() => {})
      pending.push(page)
    })
    const read = (await Promise.all(pending)).filter((page) => page !== null)
    const pages = relevance === null ? read : fitting(read)
    const failures = memory.failures(pages.length)
    const cost = crawlCost(relevance !== null, depth, pages.length)
    const credits = await bill.settle(cost, { depth, query: instructions })
    ctx.body = withDegraded(ctx, {
      base_url: request.url,
      results: pages.map((one) => one.page),
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

async function presentPage(
  url: string,
  { extracted }: Reading,
  request: CrawlRequest,
  { relevance, signal }: { relevance: Relevance | null; signal: AbortSignal },
) {
  const judged = await relevance?.passages(extracted, request.chunks_per_source)
  const content =
    judged?.texts.join(CHUNK_SEPARATOR) ?? (await formatContent(extracted.markdown, request.format, signal))
  return {
    relevance: judged?.best ?? 0,
    page: {
      url,
      raw_content: content,
      images: request.include_images ? presentImages(extracted.images, false) : [],
      ...(request.include_favicon && { favicon: extracted.favicon }),
      ...modelLabel(await textAddressesModels(content, signal)),
    },
  }
}
