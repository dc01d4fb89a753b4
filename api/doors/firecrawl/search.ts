import { degradedText } from "#base/flow/degraded.ts"

import { type Middleware, clientGone } from "../../context.ts"
import { writeAsHtml } from "../../services/pages/page-html.ts"
import {
  MAX_QUERY_CHARS,
  MOST_RESULTS,
  type PlainQuestion,
  plainSearch,
  type PlainSearchParts,
} from "../plain-search.ts"
import type { Freshness } from "../../core/fresh/fresh-hits.ts"
import { languageText } from "../../core/ask/language-text.ts"
import type { SearchLimits } from "../../core/ask/question.ts"
import { modelLabel } from "../../server/wire/model-label.ts"
import type { ShownPage } from "../../core/ask/shown-page.ts"
import { MAX_SEARCHED_CHARS } from "../../core/understand/searched-text.ts"
import type { GivenDates } from "../../server/wire/dates.ts"
import { shortened } from "../../server/wire/warnings.ts"
import { FieldReader, isFields } from "../../server/wire/fields.ts"
import type { Formats, Version } from "./documents/formats.ts"
import { readScrapeOptions } from "./scrape-request.ts"

const MAX_LIMIT = 100
const DEFAULT_LIMIT: Readonly<Record<Version, number>> = { 1: 5, 2: 10 }
const MAX_DOMAINS = 300
const MAX_TIMEOUT_MS = 300_000

interface AskedSearch {
  readonly question: PlainQuestion
  readonly sources: readonly Source[]
  readonly formats: Formats | null
  readonly timeoutMs: number
  /** Options that cannot be honoured, for the `warning` field. */
  readonly warnings: readonly string[]
}

const SOURCES = ["web", "news", "images"] as const
type Source = (typeof SOURCES)[number]
/** The name of a catalogue of tools, which Firecrawl's MCP server always queries in addition. */
const TOOLS = "alexandria"

/** POST /v1/search, /v2/search: searches the index. Content comes from the index, too; a page is reread if `maxAge` requires a newer version. */
export function search(version: Version, limits: SearchLimits, parts: PlainSearchParts): Middleware {
  const ask = plainSearch(limits, parts)
  return async (ctx) => {
    const asked = readSearch(new FieldReader(ctx.state.body), version)
    const signal = AbortSignal.any([clientGone(ctx), AbortSignal.timeout(asked.timeoutMs)])
    const found = await ask(ctx, asked.question, { signal })
    const pages = []
    for (const [at, page] of found.pages.entries()) {
      const { url, title } = page.hit
      const content = await contentOf(page, asked.formats, signal)
      pages.push({
        url,
        title,
        description: page.content,
        ...modelLabel(page.addressesModels),
        ...(version === 2 && { position: at + 1 }),
        ...content,
      })
    }
    const images = found.images.map(({ url, description }, at) => ({
      imageUrl: url,
      title: description ?? "",
      url,
      position: at + 1,
    }))
    const has = (source: Source) => asked.sources.includes(source)
    const data =
      version === 1
        ? pages
        : {
            ...(has("web") && { web: pages }),
            ...(has("news") && {
              news: pages.map(({ description, ...page }, at) => {
                const date = found.pages[at]?.hit.publishedAt?.toUTCString()
                return { ...page, snippet: description, ...(date && { date }) }
              }),
            }),
            ...(has("images") && { images }),
          }
    const lacks = degradedText(found.degraded)
    const warnings = [
      ...asked.warnings,
      ...[...shortened("query", asked.question.text, MAX_SEARCHED_CHARS), ...found.aged].map(
        ({ text }) => text,
      ),
      ...(found.languageNotice === undefined ? [] : [languageText(found.languageNotice)]),
      ...(lacks === null ? [] : [lacks]),
    ]
    ctx.body = {
      success: true,
      ...(warnings.length > 0 && { warning: warnings.join(" ") }),
      data,
      creditsUsed: found.credits,
      id: ctx.state.requestId,
    }
  }
}

function readSearch(body: FieldReader, version: Version): AskedSearch {
  const query = body.requiredString("query", MAX_QUERY_CHARS)
  const limit = body.number("limit", 1, MAX_LIMIT) ?? DEFAULT_LIMIT[version]
  const sources = sourcesOf(body)
  const categories = namesOf(body, "categories")
  if (categories.some((one) => one !== "pdf")) throw body.refusal("categories", "Only 'pdf' is supported.")
  const include = body.strings("includeDomains", MAX_DOMAINS, 300) ?? []
  const exclude = body.strings("excludeDomains", MAX_DOMAINS, 300) ?? []
  const timeoutMs = body.number("timeout", 1000, MAX_TIMEOUT_MS) ?? 60_000
  const country = version === 2 ? body.string("country", 100) : undefined
  const options = body.object("scrapeOptions")
  const { formats, freshness } = options ? scrapeOf(options, version, timeoutMs) : NOTHING_SCRAPED
  // The country and language of a web search, which the version 1 client always sends.
  if (version === 1) body.passedOver("country", "lang")
  // These options have no effect: every result is an address that a crawl has read, and the text shown consists of its
  // best passages.
  body.passedOver("ignoreInvalidURLs", "highlights", "origin", "integration")
  body.only([], ["location", "filter"], "The index is the same for all locations and has no such filters.")
  body.only([[]], ["enterprise"], "Not supported here.")
  // Firecrawl's MCP server sends this for catalogue tools, which don't exist here.
  body.passedOver("domainTools", "toolDetail")
  body.only([], ["threatProtection", "auditMetadata"], "Not supported here.")
  const dates = timesOf(body)
  body.end()
  const isNews = sources.includes("news") && !sources.includes("web")
  return {
    sources,
    formats,
    timeoutMs,
    warnings: limit > MOST_RESULTS ? [`limit: a search returns at most ${MOST_RESULTS} results.`] : [],
    question: {
      text: query,
      results: Math.min(limit, MOST_RESULTS),
      domains: include,
      withoutDomains: exclude,
      ...(categories.length > 0 && { types: ["pdf"] }),
      ...(isNews ? { isNews } : { country }),
      withImages: sources.includes("images"),
      withWhole: formats !== null && (formats.markdown || formats.html),
      dates,
      freshness,
    },
  }
}

/** Reads names, or objects with the name in `type`. */
function namesOf(body: FieldReader, field: string): readonly unknown[] {
  const given = body.any(field)
  if (given === undefined) return []
  if (!Array.isArray(given)) throw body.refusal(field, "Must be a list.")
  return (given as unknown[]).map((one) => (isFields(one) ? one["type"] : one))
}

function sourcesOf(body: FieldReader): readonly Source[] {
  const names = namesOf(body, "sources")
  const known = SOURCES.filter((one) => names.includes(one))
  if (names.some((one) => one !== TOOLS && !SOURCES.includes(one as Source))) {
    throw body.refusal("sources", "Each must be one of web, news and images.")
  }
  return names.length === 0 ? ["web"] : known
}

const NOTHING_SCRAPED = { formats: null, freshness: null }
/** Share of a search's time that rereading pages may take. */
const READING_SHARE = 0.8

/** Returns only the index's version of a page; with `maxAge`, pages whose last check is older are reread. */
function scrapeOf(
  options: FieldReader,
  version: Version,
  timeoutMs: number,
): { readonly formats: Formats | null; readonly freshness: Freshness | null } {
  const { formats, maxAgeMs } = readScrapeOptions(options, version)
  options.end()
  const isLimited = options.any("maxAge") !== undefined
  const freshness = isLimited ? { maxAgeMs, fetchMs: timeoutMs * READING_SHARE, fallsBack: true } : null
  if (options.any("formats") === undefined) return { formats: null, freshness }
  const { rawHtml, links, images, summary, screenshot, json, changeTracking } = formats
  if (rawHtml || links || images || summary || screenshot || json || changeTracking) {
    throw options.refusal(
      "formats",
      "Must be markdown or html, which the index holds; scrape the results for other formats.",
    )
  }
  return { formats, freshness }
}

const RANGES: Readonly<Record<string, string>> = { d: "day", w: "week", m: "month", y: "year" }

/** Reads Google's `tbs`: `qdr:` and a letter, or `cdr:1,cd_min:…,cd_max:…` with days as month/day/year. */
function timesOf(body: FieldReader): GivenDates {
  const tbs = body.string("tbs", 200)?.trim()
  if (!tbs) return {}
  const range = RANGES[/^qdr:([dwmy])$/.exec(tbs)?.[1] ?? ""]
  if (range !== undefined) return { time_range: range }
  const [, from, to] = /^cdr:1,cd_min:([\d/]+),cd_max:([\d/]+)$/.exec(tbs) ?? []
  const [start, end] = [dayOf(from), dayOf(to)]
  if (start !== null && end !== null) return { start_date: start, end_date: end }
  throw body.refusal(
    "tbs",
    "Must be qdr:d, qdr:w, qdr:m, qdr:y or cdr:1,cd_min:MM/DD/YYYY,cd_max:MM/DD/YYYY.",
  )
}

function dayOf(text = ""): string | null {
  const [, month, day, year] = /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/.exec(text) ?? []
  return year === undefined ? null : `${year}-${month!.padStart(2, "0")}-${day!.padStart(2, "0")}`
}

async function contentOf(
  { hit: { url, title }, whole: markdown }: Pick<ShownPage, "hit" | "whole">,
  formats: Formats | null,
  signal: AbortSignal,
) {
  if (formats === null || markdown === null || !(formats.markdown || formats.html)) return {}
  return {
    ...(formats.markdown && { markdown }),
    ...(formats.html && { html: await writeAsHtml(markdown, url, signal) }),
    metadata: { title, sourceURL: url, url, statusCode: 200, cacheState: "hit" },
  }
}
