import { DEGRADED_PARTS } from "#base/flow/degraded.ts"

import { type Middleware, originOf } from "../../context.ts"
import { MOST_RESULTS, plainSearch, type PlainSearchParts } from "../plain-search.ts"
import type { SearchLimits } from "../../core/ask/question.ts"
import { isMiss } from "../../services/misses/doubtful.ts"
import { modelLabel } from "../../server/wire/model-label.ts"
import { resultsAsCsv, resultsAsRss } from "./searxng-csv-rss.ts"
import { searchPage } from "./searxng-html.ts"
import { ENGINE, givenBy, PAGE_RESULTS, readSearxng } from "./searxng-request.ts"

/** GET, POST /searxng/search: the index, asked in SearXNG's words. */
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
      .map(({ hit, content, addressesModels }, at) => ({
        ...of(hit.url, hit.title, content, from + at + 1),
        ...modelLabel(addressesModels),
        score: hit.score,
        category: request.category,
        template: "default.html",
        publishedDate: dateOf(hit.publishedAt),
      }))
    const images = found.images.map(({ url, description }, at) => ({
      ...of(url, description ?? "", description ?? "", at + 1),
      score: 1 / (at + 1),
      category: "images",
      template: "images.html",
      img_src: url,
      thumbnail_src: url,
      publishedDate: null,
    }))
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
        ...request.unknownEngines.map((name) => [name, "no engine of this name"]),
        ...found.degraded.map((part) => [ENGINE, DEGRADED_PARTS[part]]),
      ],
    }
  }
}

/** What every result has. */
function of(url: string, title: string, content: string, position: number) {
  const { protocol, host, pathname, search, hash } = new URL(url)
  return {
    url,
    title,
    content,
    engine: ENGINE,
    engines: [ENGINE],
    positions: [position],
    // As Python's urlparse takes it apart.
    parsed_url: [protocol.slice(0, -1), host, pathname, "", search.slice(1), hash.slice(1)],
    thumbnail: "",
    priority: "",
  }
}

/** ISO 8601 without a zone, in UTC, as SearXNG writes it. */
const dateOf = (date: Date | null): string | null => date?.toISOString().slice(0, 19) ?? null

/** GET /searxng/config: what a client may ask for. */
export function searxngConfig(): Middleware {
  return async (ctx) => {
    const { names } = ctx.state.reach
    const { sources, collections } = await names.all()
    const engines = [...new Set([ENGINE, ...collections, ...sources])]
    ctx.body = {
      instance_name: "Fossick",
      categories: ["general", "news", "images"],
      engines: engines.map((name) => ({
        name,
        categories: ["general", "news", "images"],
        shortcut: name,
        enabled: name === ENGINE,
        paging: true,
        language_support: true,
        safesearch: true,
        time_range_support: true,
      })),
      plugins: [],
      default_locale: "en",
      safe_search: 0,
    }
  }
}
