import { DEGRADED_PARTS } from "#base/flow/degraded.ts"

import { type Middleware, originOf } from "../../context.ts"
import { MOST_RESULTS, plainSearch, type PlainSearchParts } from "../plain-search.ts"
import type { SearchLimits } from "../../core/ask/question.ts"
import { isMiss } from "../../services/misses/miss-threshold.ts"
import { resultsAsCsv, resultsAsRss } from "./searxng-csv-rss.ts"
import { searchPage } from "./searxng-html.ts"
import { ENGINE, givenBy, PAGE_RESULTS, readSearxng } from "./searxng-request.ts"
import { imageResult, pageResult } from "./searxng-results.ts"

/** GET, POST /searxng/search: searches the index through SearXNG's API. */
export function searxngSearch(
  limits: SearchLimits,
  { publicUrl, ...parts }: PlainSearchParts & { readonly publicUrl: string },
): Middleware {
  const search = plainSearch(limits, parts)
  return async (ctx) => {
    const given = givenBy(ctx)
    ctx.set("Cache-Control", "no-store")
    if (!given("q")?.trim() && (given("format") ?? "html") === "html") {
      ctx.type = "html"
      ctx.body = searchPage("", null, null)
      return
    }
    const request = await readSearxng(given, ctx.state.reach.names)
    const found = await search(ctx, request.question)
    const from = (request.page - 1) * PAGE_RESULTS
    const pages = found.pages
      .slice(from, from + PAGE_RESULTS)
      .map((page, at) => pageResult(page, from + at + 1, request.category))
    const images = found.images.map((image, at) => imageResult(image, at + 1))
    const results = request.withImages ? (request.page === 1 ? images : []) : pages
    if (request.format === "html") {
      const isMore = found.pages.length === request.page * PAGE_RESULTS && found.pages.length < MOST_RESULTS
      ctx.type = "html"
      ctx.body = searchPage(
        request.query,
        results,
        isMore ? request.page + 1 : null,
        isMiss(found.pages.map(({ hit }) => hit)),
      )
      return
    }
    if (request.format === "csv") {
      ctx.attachment(`searx_-_${request.query}.csv`)
      ctx.type = "application/csv"
      ctx.body = resultsAsCsv(results)
      return
    }
    if (request.format === "rss") {
      ctx.type = "text/xml"
      ctx.body = resultsAsRss(request.query, results, `${originOf(ctx, publicUrl)}/searxng/search`)
      return
    }
    ctx.body = {
      query: request.query,
      number_of_results: results.length,
      results,
      answers: [],
      corrections: [],
      infoboxes: [],
      suggestions: [],
      unresponsive_engines: [
        ...request.unknownEngines.map((name) => [name, "no engine with this name"]),
        ...found.degraded.map((part) => [ENGINE, DEGRADED_PARTS[part]]),
      ],
    }
  }
}
