import type { Router } from "@koa/router"

import { concealedEnd, concealedMessage, untilTold } from "#crawler/fetch/concealed.ts"
import { tracePage } from "#crawler/reporting/why/trace.ts"
import { traceOnWire } from "#crawler/reporting/why/wire.ts"
import { type PageUrl, toPageUrl } from "#engine"

import type { RequestState } from "../../../../context.ts"
import { ApiError, badRequest } from "../../../../errors.ts"
import type { AdminParts } from "../../admin-parts.ts"
import { unprocessable } from "../../../../server/middleware/query-parameters.ts"
import { serve } from "../../../../server/serving/serve-operation.ts"
import { characters } from "../../../../server/wire/characters.ts"
import { MAX_QUERY_CHARS, pageOperations } from "../../operations/pages.ts"
import { whileWaiting } from "../while-waiting.ts"

/** Number of pages tried at the same time: each may start a browser. */
const TRIES = 2

/** The facts about one page, and how it would be read now. */
export function pageRoutes(router: Router<RequestState>, parts: AdminParts): void {
  let trying = 0

  serve(router, pageOperations.why, async ({ query: given }) => {
    const url = addressOf(given.url)
    if (url === null) throw badRequest("Invalid url. Must be an http or https address.")
    const { query } = given
    if (query !== undefined && characters(query) > MAX_QUERY_CHARS) {
      throw badRequest(`Invalid query. Must have at most ${MAX_QUERY_CHARS} characters.`)
    }
    return traceOnWire(await tracePage(url, { ...parts, conceals: true }, query))
  })

  serve(router, pageOperations.try, async ({ ctx, body: { url: address, source, rendering } }) => {
    const url = addressOf(address)
    if (url === null) throw unprocessable([{ field: "url", message: "must be an http or https address" }])
    if (trying >= TRIES) throw new ApiError(429, "Other pages are being tried. Try again shortly.")
    trying += 1
    try {
      // Loaded on the first call: the code for reading makes up a third of this process's code.
      const { CannotReadError, tryAddress } = await import("#crawler/reporting/why/try/try-address.ts")
      const { triedOnWire } = await import("#crawler/reporting/why/try/try-wire.ts")
      const { db, jobs, sources, crawlerConfig: config } = parts
      const signal = whileWaiting(ctx)
      const startedAt = performance.now()
      const tried = await tryAddress(url, {
        db,
        jobs,
        sources,
        config,
        source,
        rendering,
        trusted: false,
        signal,
      }).catch((error: unknown) => {
        throw error instanceof CannotReadError
          ? new ApiError(409, `The page cannot be read: ${concealedMessage(error)}.`)
          : error
      })
      if (tried === null)
        throw new ApiError(404, `There is no source ${JSON.stringify(source?.slice(0, 200))}.`)
      const end = concealedEnd(tried)
      if (end !== tried) await untilTold(startedAt, signal)
      const { robots } = tried
      const took = end === tried ? tried.tookMs : Math.round(performance.now() - startedAt)
      return triedOnWire({
        ...end,
        tookMs: took,
        robots: robots.detail === tried.detail ? { ...robots, detail: end.detail } : robots,
      })
    } finally {
      trying -= 1
    }
  })
}

export const addressOf = (text: string | undefined): PageUrl | null =>
  text === undefined ? null : toPageUrl(text)
