import { type Middleware, responseTime } from "../../context.ts"
import { badRequest } from "../../errors.ts"
import {
  flagParameter,
  oneOfParameter,
  parameter,
  wholeNumber,
} from "../../server/middleware/query-parameters.ts"
import { liveUrl } from "../../core/read/live-url.ts"
import type { MissKnowledge } from "../misses/miss-knowledge.ts"
import { characters } from "../../server/wire/characters.ts"
import type { PageKnowledge } from "./page-knowledge.ts"
import { labelOf, MAX_CONTENT_CHARS, PAGE_FORMATS, pageFacts, readStored } from "./stored-reading.ts"

/** Characters of the name of a section. */
export const MAX_SECTION_CHARS = 500

/** GET /pages: a page as the index holds it. Nothing is read from the web. */
export function pages(knowledge: PageKnowledge, misses: MissKnowledge | null): Middleware {
  return async (ctx) => {
    const given = parameter(ctx, "url")
    const url = given === undefined ? null : liveUrl(given)
    if (url === null) throw badRequest("Invalid url. Must be an http or https address.")
    const format = oneOfParameter(ctx, "format", PAGE_FORMATS) ?? "markdown"
    const section = parameter(ctx, "section")
    if (section !== undefined && characters(section) > MAX_SECTION_CHARS) {
      throw badRequest(`Invalid section. Must have at most ${MAX_SECTION_CHARS} characters.`)
    }
    const offset = wholeNumber(ctx, "offset", 0, 0, Number.MAX_SAFE_INTEGER)
    const limit = wholeNumber(ctx, "limit", MAX_CONTENT_CHARS, 1, MAX_CONTENT_CHARS)
    const withUsage = flagParameter(ctx, "include_usage")
    const { reading, credits } = await readStored(
      ctx,
      { url, format, section, offset, limit },
      knowledge,
      misses,
    )
    ctx.set("Cache-Control", "no-store")
    ctx.body = {
      ...(await pageFacts(reading.page, knowledge, ctx.state.reach)),
      format,
      section: reading.section,
      content: reading.content,
      offset: reading.stretch.offset,
      total_chars: reading.totalChars,
      next_offset: reading.stretch.next,
      ...labelOf(reading),
      response_time: responseTime(ctx),
      ...(withUsage && { usage: { credits } }),
      request_id: ctx.state.requestId,
    }
  }
}
