import { withNote } from "../doors/note-on-orders.ts"
import { extractCost } from "../accounts/billing/credits.ts"
import { type Middleware, liveDeadline, untilClosed } from "../context.ts"
import { readDocument } from "../firecrawl/documents/read-document.ts"
import { unmadeReason } from "../firecrawl/documents/document.ts"
import type { FirecrawlParts } from "../firecrawl/scrape.ts"
import { readScrapeOptions } from "../firecrawl/scrape-request.ts"
import { liveUrl } from "../core/read/live-url.ts"
import { FieldReader } from "../wire/fields.ts"

/** As many as an extraction takes, and as the loader sends. */
const MAX_URLS = 20
const MAX_URL_CHARS = 4000
const SECONDS = 30

/** POST /openwebui/load: Open WebUI's external web loader. What cannot be read is left out, as it is without a reason there. */
export function externalLoad({ memory: live, knowledge, chatModel }: FirecrawlParts): Middleware {
  return async (ctx) => {
    const body = new FieldReader(ctx.state.body)
    const urls = body.strings("urls", MAX_URLS, MAX_URL_CHARS)
    if (urls === undefined || urls.length === 0) {
      throw body.refusal("urls", `Must be a list of 1 to ${MAX_URLS} addresses.`)
    }
    body.end()
    const { bill, reach, requestId, log } = ctx.state
    const request = readScrapeOptions(new FieldReader({}), 2)
    const signal = liveDeadline(ctx, SECONDS)
    const memory = untilClosed(ctx, live.open())
    await bill.reserve(extractCost("advanced", urls.length))
    const reader = memory.metered(reach.reader)
    const parts = { reach, reader, knowledge, chatModel, signal, scrapeId: requestId }
    const documents = await Promise.all(
      [...new Set(urls)].map(async (given) => {
        const url = liveUrl(given)
        if (url === null) return []
        const read = await readDocument({ given, url }, request, parts).catch((error: unknown) => {
          if (unmadeReason(error) === null) throw error
          return null
        })
        if (read?.kind !== "document") {
          log.info({ code: read?.failure.code ?? "unreadable" }, "a page could not be loaded")
          return []
        }
        const { markdown, metadata } = read.document
        const { title, description, language } = metadata
        return [
          {
            page_content: withNote(String(markdown), metadata["addresses_models"]),
            metadata: {
              source: given,
              title,
              ...(description !== undefined && { description }),
              ...(language !== undefined && { language }),
            },
          },
        ]
      }),
    )
    const loaded = documents.flat()
    memory.failures(loaded.length)
    await bill.settle(extractCost("advanced", loaded.length), { depth: "advanced" })
    ctx.body = loaded
  }
}
