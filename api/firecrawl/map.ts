import { mapCost } from "../accounts/billing/credits.ts"
import { type Middleware, liveDeadline } from "../context.ts"
import type { LiveParts } from "../tavily/extract.ts"
import { walkFor } from "../tavily/walk-request.ts"
import { addressWords, judgeLinks } from "../core/relevance/relevant-pages.ts"
import { relevanceTo } from "../core/relevance/relevance.ts"
import { FieldReader } from "../wire/fields.ts"
import type { Version } from "./documents/formats.ts"
import { hostPattern, readSitemap, readUrl, walkedSitemap } from "./scrape-request.ts"

const MAX_LIMIT = 100_000
const DEFAULT_LIMIT = 5000
const TIMEOUT_MS = 60_000
const MAX_TIMEOUT_MS = 300_000
const MAX_SEARCH_CHARS = 2000
/** The start and what it links to are read; what those link to is named. */
const DEPTH = 2

interface Found {
  readonly url: string
  readonly title?: string
  readonly description?: string
}

/** POST /v1/map, /v2/map: the addresses of a site, found now by its links and its sitemaps. */
export function map(version: Version, { memory: live, embedder }: LiveParts): Middleware {
  return async (ctx) => {
    const body = new FieldReader(ctx.state.body)
    const { url } = readUrl(body)
    const limit = body.number("limit", 1, MAX_LIMIT) ?? DEFAULT_LIMIT
    const search = body.string("search", MAX_SEARCH_CHARS)?.trim() || null
    const timeoutMs = body.number("timeout", 1000, MAX_TIMEOUT_MS) ?? TIMEOUT_MS
    const withSubdomains = body.boolean("includeSubdomains") ?? true
    const withoutQueries = version === 2 ? (body.boolean("ignoreQueryParameters") ?? true) : false
    // The first version asks for them, the second does without only where it is told to.
    const sitemap = readSitemap(body, version, version === 1 ? "skip" : "include")
    body.passedOver("origin", "integration", "auditMetadata")
    // Sitemaps are read anew each time.
    body.passedOver("ignoreCache")
    body.only([{}], ["location"], "Pages are read from here.")
    body.only([], ["threatProtection", "filterByPath", "useMock"], "It is not known here.")
    body.only([true], ["useIndex"], "Addresses are found live.")
    body.end()
    const signal = liveDeadline(ctx, timeoutMs / 1000)
    const { bill, reach, requestId } = ctx.state
    const memory = live.open(ctx)
    const cost = (pages: number) => mapCost(search !== null, pages)
    await bill.reserve(cost(limit))
    const relevance = search === null ? null : relevanceTo(search, embedder, signal)
    const found = new Map<string, Found>()
    const walk = {
      url,
      max_depth: DEPTH,
      max_breadth: limit,
      limit,
      timeout: timeoutMs / 1000,
      include_usage: false,
      allow_external: false,
      ...(!withSubdomains && { select_domains: [hostPattern(url)] }),
    }
    const metered = { ...reach, reader: memory.metered(reach.reader) }
    const how = {
      signal,
      discoverOnly: true,
      ...walkedSitemap(sitemap),
      ...(relevance && { judge: judgeLinks(relevance) }),
    }
    await walkFor(walk, metered, how, ({ url: address, result }) => {
      if (result !== null && result.kind !== "read") return
      const about = result?.reading.extracted
      if (about) memory.keep(about, address.length + about.title.length + (about.description?.length ?? 0))
      const isStart = found.size === 0 && result !== null
      if (!isStart && withoutQueries && new URL(address).search !== "") return
      if (found.has(address)) return
      found.set(address, {
        url: address,
        ...(about?.title && { title: about.title }),
        ...(about?.description && { description: about.description }),
      })
    })
    memory.failures(found.size)
    const links = await ordered([...found.values()], relevance)
    await bill.settle(cost(links.length), { depth: "basic", query: search ?? undefined })
    ctx.body = {
      success: true,
      ...(version === 2 && { id: requestId }),
      links: version === 2 ? links : links.map((one) => one.url),
    }
  }
}

/** With a search the best first; all without one stay as they were found. */
async function ordered(
  links: readonly Found[],
  relevance: ReturnType<typeof relevanceTo> | null,
): Promise<readonly Found[]> {
  if (relevance === null) return links
  const scores = await relevance.texts(
    links.map(({ url, title = "", description = "" }) => [title, description, addressWords(url)].join("\n")),
  )
  return links
    .map((link, at) => ({ link, score: scores[at]! }))
    .toSorted((one, other) => other.score - one.score)
    .map(({ link }) => link)
}
