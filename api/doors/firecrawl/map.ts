import { mapCost } from "../../identity/accounts/billing/credits.ts"
import { type Middleware, liveDeadline, untilClosed } from "../../context.ts"
import type { LiveParts } from "../../core/read/live-parts.ts"
import { type MappedPage, mapSite, rankedPages } from "../../core/walk/map-site.ts"
import { relevanceTo } from "../../core/relevance/relevance.ts"
import { FieldReader } from "../../server/wire/fields.ts"
import type { Version } from "./documents/formats.ts"
import { hostPattern, readSitemap, readUrl, walkedSitemap } from "./scrape-request.ts"

const MAX_LIMIT = 100_000
const DEFAULT_LIMIT = 5000
const TIMEOUT_MS = 60_000
const MAX_TIMEOUT_MS = 300_000
const MAX_SEARCH_CHARS = 2000
/** The start and the pages it links to are read; the addresses those link to are only listed. */
const DEPTH = 2

/** POST /v1/map, /v2/map: the addresses of a site, found now through its links and its sitemaps. */
export function map(version: Version, { memory: live, embedder }: LiveParts): Middleware {
  return async (ctx) => {
    const body = new FieldReader(ctx.state.body)
    const { url } = readUrl(body)
    const limit = body.number("limit", 1, MAX_LIMIT) ?? DEFAULT_LIMIT
    const search = body.string("search", MAX_SEARCH_CHARS)?.trim() || null
    const timeoutMs = body.number("timeout", 1000, MAX_TIMEOUT_MS) ?? TIMEOUT_MS
    const withSubdomains = body.boolean("includeSubdomains") ?? true
    const withoutQueries = version === 2 ? (body.boolean("ignoreQueryParameters") ?? true) : false
    // Version 1 reads sitemaps only on request; version 2 reads them unless asked not to.
    const sitemap = readSitemap(body, version, version === 1 ? "skip" : "include")
    body.passedOver("origin", "integration", "auditMetadata")
    // Sitemaps are never cached.
    body.passedOver("ignoreCache")
    body.only([{}], ["location"], "Pages are read from where the appliance runs.")
    body.only([], ["threatProtection", "filterByPath", "useMock"], "Not supported here.")
    body.only([true], ["useIndex"], "Addresses are always found live.")
    body.end()
    const signal = liveDeadline(ctx, timeoutMs / 1000)
    const { bill, reach, requestId } = ctx.state
    const memory = untilClosed(ctx, live.open())
    const cost = (pages: number) => mapCost(search !== null, pages)
    await bill.reserve(cost(limit))
    const relevance = search === null ? null : relevanceTo(search, embedder, signal)
    const site = {
      url,
      maxDepth: DEPTH,
      maxBreadth: limit,
      limit,
      allowExternal: false,
      ...(!withSubdomains && { selectDomains: [hostPattern(url)] }),
    }
    const pages = await mapSite(site, { ...walkedSitemap(sitemap), reach, memory, relevance, signal })
    const found = new Map<string, MappedPage>()
    for (const page of pages) {
      const isStart = found.size === 0 && page.isRead
      if (!isStart && withoutQueries && new URL(page.url).search !== "") continue
      if (!found.has(page.url)) found.set(page.url, page)
    }
    memory.failures(found.size)
    const all = [...found.values()]
    const links = relevance === null ? all : await rankedPages(all, relevance)
    await bill.settle(cost(links.length), { depth: "basic", query: search ?? undefined })
    ctx.body = {
      success: true,
      ...(version === 2 && { id: requestId }),
      links: version === 2 ? links.map(onWire) : links.map((one) => one.url),
    }
  }
}

const onWire = ({ url, title, description }: MappedPage) => ({
  url,
  ...(title !== "" && { title }),
  ...(description !== "" && { description }),
})
