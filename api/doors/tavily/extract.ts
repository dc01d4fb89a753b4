import { unlessAborted } from "#base/flow/unless-aborted.ts"

import { extractCost } from "../../identity/accounts/billing/credits.ts"
import { type Context, type Middleware, responseTime, liveDeadline, untilClosed } from "../../context.ts"
import { ApiError, badRequest } from "../../errors.ts"
import { extractAtPeer } from "../../services/federation/extract-at-peer.ts"
import { HOPS_HEADER, hopsOf } from "../../services/federation/hops.ts"
import { addressMiss } from "../../services/misses/address-miss.ts"
import type { Miss } from "../../services/misses/miss.ts"
import type { MissKnowledge } from "../../services/misses/miss-knowledge.ts"
import { textAddressesModels } from "../../core/read/addresses-models.ts"
import { modelLabel } from "../../server/wire/model-label.ts"
import { TIMED_OUT } from "../../core/read/failure-text.ts"
import { liveUrl } from "../../core/read/live-url.ts"
import { type PageReading, readPage, type ReadPage } from "../../core/read/read-page.ts"
import { relevanceTo } from "../../core/relevance/relevance.ts"
import type { LiveParts } from "../../core/read/live-parts.ts"
import { extractSchema, MAX_EXTRACT_URLS, type ExtractRequest } from "./schema.ts"
import type { ExtractAnswer } from "./described/answers.ts"
import { withDegraded } from "../../server/degradation.ts"
import { bodyReader } from "../../server/wire/validate.ts"
import { presentWarnings, unknownFields } from "../../server/wire/warnings.ts"
import { unusedChunks } from "./without-effect.ts"

/** Seconds an extraction may take if the request doesn't specify a time. */
const defaultTimeout = { basic: 10, advanced: 30 } as const

/** `advanced` loads a page in a browser if it otherwise has no content. */
const renderingOf = { basic: "http", advanced: "auto" } as const

const INVALID_URL = "Validation Error: Invalid URL format"

/** POST /extract: reads addresses now; each yields a result or a failure with its reason. */
export function extract(parts: LiveParts): Middleware {
  const read = bodyReader(extractSchema)
  return async (ctx) => {
    const request = read(ctx.state.body)
    const urls = givenUrls(request)
    const signal = liveDeadline(ctx, request.timeout ?? defaultTimeout[request.extract_depth])
    const { bill, reach } = ctx.state
    const memory = untilClosed(ctx, parts.memory.open())
    await bill.reserve(extractCost(request.extract_depth, urls.length))
    const reading = {
      ...pageAsked(request, request.query, parts, signal),
      reader: memory.metered(reach.reader),
      memory,
    }
    const outcomes = await Promise.all(
      urls.map(async (given) => ({
        given,
        ...((await atPeer(given, request, ctx, { mostHops: parts.mostHops ?? 0, signal })) ??
          (await extractOne(given, request, reading))),
      })),
    )
    const results = outcomes.flatMap((one) => ("page" in one ? [{ url: one.given, ...one.page }] : []))
    // Throws if other calls have left no memory for any of the pages.
    memory.failures(results.length)
    const failures = outcomes.flatMap((one) => ("error" in one ? [{ url: one.given, error: one.error }] : []))
    const failed = await Promise.all(failures.map((one) => withMiss(one, parts.misses, ctx, signal)))
    const credits = await bill.settle(extractCost(request.extract_depth, results.length), {
      depth: request.extract_depth,
      query: request.query,
    })
    ctx.body = withDegraded<ExtractAnswer>(ctx, {
      results,
      failed_results: failed,
      ...presentWarnings([
        ...unknownFields(extractSchema, ctx.state.body),
        ...unusedChunks(request.chunks_per_source, "query", request.query),
      ]),
      response_time: responseTime(ctx),
      ...(request.include_usage && { usage: { credits } }),
      request_id: ctx.state.requestId,
    })
  }
}

/**
 * The options that a request sets for each page.
 * @param intent the text used to choose passages
 */
export const pageAsked = (
  request: Pick<ExtractRequest, "format" | "chunks_per_source" | "include_images" | "extract_depth">,
  intent: string | undefined,
  { embedder }: Pick<LiveParts, "embedder">,
  signal: AbortSignal,
) => ({
  format: request.format,
  relevance: intent === undefined ? null : relevanceTo(intent, embedder, signal),
  passages: request.chunks_per_source,
  withImages: request.include_images,
  rendering: renderingOf[request.extract_depth],
  signal,
})

/** A failure, with the reason why the index has no page for its address. */
async function withMiss<F extends { readonly url: string }>(
  failure: F,
  knowledge: MissKnowledge | null,
  { state: { reach, key, log } }: Context,
  signal: AbortSignal,
): Promise<F & { readonly miss?: Miss }> {
  const url = liveUrl(failure.url)
  if (url === null || knowledge === null || signal.aborted) return failure
  try {
    const miss = await addressMiss(url, { reach, key, knowledge, signal })
    return { ...failure, ...(miss !== null && { miss }) }
  } catch (error) {
    // The failure is reported even if the reason cannot be found.
    log.error({ err: error }, "could not find out why a page is missing")
    return failure
  }
}

function givenUrls({ urls }: ExtractRequest): readonly string[] {
  const written = typeof urls === "string" ? [urls] : urls
  if (written.length > MAX_EXTRACT_URLS) throw badRequest(`Max ${MAX_EXTRACT_URLS} URLs are allowed.`)
  const given = [...new Set(written)]
  if (given.every((url) => liveUrl(url) === null)) {
    throw new ApiError(400, "All URLs failed validation.", {
      failed_results: given.map((url) => ({ url, error: INVALID_URL })),
    })
  }
  return given
}

/** A page as read by the peer where it was found; null if this appliance should read it. */
async function atPeer(
  given: string,
  { urls: _urls, timeout: _timeout, include_usage: _usage, ...asked }: ExtractRequest,
  ctx: Context,
  { mostHops, signal }: { readonly mostHops: number; readonly signal: AbortSignal },
) {
  const hops = hopsOf(ctx.get(HOPS_HEADER))
  const url = liveUrl(given)
  const peer = url === null || hops >= mostHops ? null : await ctx.state.reach.holderOf(url)
  if (peer === null) return null
  const page = await unlessAborted(extractAtPeer(peer, { ...asked, urls: [url] }, { hops, signal }), signal)
  if (page === null) return { error: TIMED_OUT }
  if ("error" in page) return page
  const addressesModels = await textAddressesModels(`${page.title}\n${page.raw_content}`, signal)
  return { page: { ...page, ...modelLabel(addressesModels) } }
}

async function extractOne(given: string, request: ExtractRequest, reading: PageReading) {
  const url = liveUrl(given)
  if (url === null) return { error: INVALID_URL }
  const read = await readPage(url, reading)
  if ("error" in read) return read
  const { title, text, ...page } = read.page
  return { page: { title, ...presentPage(text, page, request) } }
}

/** The response entry for a page that was read. */
export const presentPage = (
  text: string,
  { images, favicon, addressesModels }: Pick<ReadPage, "images" | "favicon" | "addressesModels">,
  request: Pick<ExtractRequest, "include_favicon">,
) => ({
  raw_content: text,
  images: images.map(({ url }) => url),
  ...(request.include_favicon && { favicon }),
  ...modelLabel(addressesModels),
})
