import { Refusal } from "#base/errors.ts"

import { extractCost } from "../../identity/accounts/billing/credits.ts"
import type { ChatModel } from "../../services/chat-models/chat-model.ts"
import { type Middleware, liveDeadline, untilClosed } from "../../context.ts"
import { ApiError } from "../../errors.ts"
import type { PageKnowledge } from "../../services/pages/page-knowledge.ts"
import type { LiveParts } from "../../core/read/live-parts.ts"
import { MEMORY_SPENT } from "../../core/read/live-memory.ts"
import { FieldReader } from "../../server/wire/fields.ts"
import { requireModel, unmadeReason } from "./documents/document.ts"
import { validatorOf } from "./documents/model-formats.ts"
import type { Version } from "./documents/formats.ts"
import { readDocument } from "./documents/read-document.ts"
import { readScrapeOptions, readUrl, type ScrapeRequest } from "./scrape-request.ts"

export interface FirecrawlParts extends LiveParts {
  readonly chatModel: ChatModel | null
  readonly knowledge: PageKnowledge
}

/** The depth that a scrape is billed for: as with an extraction, using a browser makes it `advanced`. */
export const depthOf = ({ rendering }: ScrapeRequest): "basic" | "advanced" =>
  rendering === "http" ? "basic" : "advanced"

/** Refuses any request that would fail for every page. @throws ApiError 400 */
export function checkFormats({ formats }: ScrapeRequest, chatModel: ChatModel | null): void {
  if (formats.json !== null || formats.summary) requireModel(chatModel)
  if (formats.json?.schema) validatorOf(formats.json.schema)
}

/** POST /v1/scrape, /v2/scrape: returns one page as a document. */
export function scrape(version: Version, { memory: live, knowledge, chatModel }: FirecrawlParts): Middleware {
  return async (ctx) => {
    const body = new FieldReader(ctx.state.body)
    const address = readUrl(body)
    const request = readScrapeOptions(body, version)
    body.end()
    checkFormats(request, chatModel)
    const { bill, reach, requestId } = ctx.state
    const signal = liveDeadline(ctx, request.timeoutMs / 1000)
    const memory = untilClosed(ctx, live.open())
    const depth = depthOf(request)
    await bill.reserve(extractCost(depth, 1))
    const reader = memory.metered(reach.reader)
    const parts = { reach, reader, knowledge, chatModel, signal, scrapeId: requestId }
    const scraped = await readDocument(address, request, parts).catch((error: unknown) => {
      const message = unmadeReason(error)
      throw message === null || error instanceof Refusal ? error : new ApiError(500, message)
    })
    if (scraped.kind === "failure") {
      const { status, code, message } = scraped.failure
      if (scraped.unread !== null && memory.isNoRoom(scraped.unread)) {
        memory.failures(0)
        throw new ApiError(500, MEMORY_SPENT, { code: "SCRAPE_SITE_ERROR" })
      }
      await bill.settle(extractCost(depth, 0), { depth })
      ctx.status = status
      ctx.body = { success: false, code, error: message }
      return
    }
    const creditsUsed = await bill.settle(extractCost(depth, 1), { depth })
    const { document } = scraped
    const metadata = { ...document.metadata, creditsUsed }
    const { warning, ...data } = { ...document, metadata } as typeof document & { warning?: unknown }
    ctx.body = {
      success: true,
      ...(warning !== undefined && { warning }),
      data: { ...data, ...(warning !== undefined && { warning }) },
    }
  }
}
