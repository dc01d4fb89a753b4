import type { WalkedPage } from "#crawler"

import { type Middleware, responseTime } from "../context.ts"
import type { LiveParts } from "./extract.ts"
import { liveDeadline } from "./live-call.ts"
import { relevanceTo } from "./relevance.ts"
import { type MapRequest, mapSchema } from "./schema.ts"
import { bodyReader } from "./validate.ts"
import { walkFor } from "./walk-request.ts"

/** POST /map: the addresses of a site, found now. */
export function map(parts: LiveParts): Middleware {
  const read = bodyReader<MapRequest>(mapSchema)
  return async (ctx) => {
    const request = read(ctx.state.body)
    const signal = liveDeadline(ctx, request.timeout)
    const found: Found[] = []
    await walkFor(request, parts.reader, { signal, discoverOnly: true }, (page) => {
      if (page.result !== null && page.result.kind !== "read") return
      // Not the page itself: a map of many pages would hold all their text.
      found.push({ url: page.url, about: request.instructions === undefined ? "" : describe(page) })
    })
    const ordered =
      request.instructions === undefined
        ? found
        : await byRelevance(found, relevanceTo(request.instructions, parts.embedder, signal))
    const results = [...new Set(ordered.map((page) => page.url))].slice(0, request.limit)
    const meter = request.instructions === undefined ? "map" : "map-instructions"
    const credits = parts.meters.add(ctx.state.key.id, meter, results.length)
    ctx.body = {
      base_url: request.url,
      results,
      response_time: responseTime(ctx),
      ...(request.include_usage && { usage: { credits } }),
      request_id: ctx.state.requestId,
    }
  }
}

interface Found {
  readonly url: string
  /** What is known of the page, when that matters. */
  readonly about: string
}

async function byRelevance(pages: readonly Found[], relevance: ReturnType<typeof relevanceTo>) {
  const scores = await relevance.texts(pages.map((page) => page.about))
  return pages
    .map((page, i) => ({ page, score: scores[i]! }))
    .sort((a, b) => b.score - a.score)
    .map((one) => one.page)
}

/** What can be known of a page: its title and description when it was read, and the words of its address. */
function describe({ url, result }: WalkedPage): string {
  const extracted = result?.kind === "read" ? result.reading.extracted : null
  const words = decode(new URL(url).pathname)
    .replaceAll(/[/_.-]+/g, " ")
    .trim()
  return [extracted?.title, extracted?.description, words].filter((part) => part).join("\n")
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
