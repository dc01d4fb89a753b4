import { type PageUrl, toPageUrl } from "#engine"
import { readList } from "../../crawl/listings/read-list.ts"
import type { PoliteVisits } from "./polite-visits.ts"

/** How many sitemaps of a sitemap index are read. */
const READ_OF_INDEX = 1
/** The maximum uncompressed size of a sitemap, as in a run. */
const MAX_BYTES = 50 * 1024 * 1024

/** The content of a site's sitemaps. */
export interface SitemapLook {
  /** The address of the sitemap or sitemap index. */
  readonly url: PageUrl
  /** Whether runs find the sitemap without a setting: robots.txt lists it, or its path is `/sitemap.xml`. */
  readonly isFound: boolean
  /** The addresses in the sitemap, up to the point where reading stopped. */
  readonly pages: readonly PageUrl[]
  /** Estimated number of addresses: more than were read if `url` is an index of several sitemaps. */
  readonly total: number
}

/**
 * Reads sitemaps until one lists pages of the source: the one listed in robots.txt, the program's usual one (by default
 * in the folder of the site), or the one at the root. If none does, returns the first that lists any pages at all, or
 * `null`.
 */
export async function lookForSitemap(
  start: PageUrl,
  named: readonly string[],
  ofProgram: string | undefined,
  belongs: (url: PageUrl) => boolean,
  visits: PoliteVisits,
): Promise<SitemapLook | null> {
  const root = new URL("/sitemap.xml", start).href
  const found = named.flatMap((url) => toPageUrl(url, root) ?? [])
  const [first = toPageUrl(root)] = found
  const ofFolder = toPageUrl(ofProgram ?? "sitemap.xml", start)
  const other = ofFolder === first ? null : ofFolder
  // A sitemap in the site's folder is more likely to be the site's own than one at the root.
  const asked = found.length === 0 && other !== null ? [other, first] : [first, other]
  let foreign: SitemapLook | null = null
  for (const url of asked) {
    const look = url === null ? null : await read(url, visits)
    if (look === null) continue
    const found = { ...look, isFound: url === first }
    if (look.pages.some(belongs)) return found
    foreign ??= found
  }
  return foreign
}

async function read(url: PageUrl, visits: PoliteVisits): Promise<Omit<SitemapLook, "isFound"> | null> {
  const { pages, sitemaps } = await addressesIn(url, visits)
  let total = pages.length
  for (const nested of sitemaps.slice(0, READ_OF_INDEX)) {
    const more = await addressesIn(nested, visits)
    pages.push(...more.pages)
    total += more.pages.length * sitemaps.length
  }
  return pages.length === 0 ? null : { url, pages, total }
}

async function addressesIn(
  url: PageUrl,
  visits: PoliteVisits,
): Promise<{ pages: PageUrl[]; sitemaps: PageUrl[] }> {
  const found = { pages: [] as PageUrl[], sitemaps: [] as PageUrl[] }
  const fetched = await visits.listing(url)
  if (fetched === null) return found
  for await (const { pages, sitemaps } of readList({ url, kind: "sitemap", fetched }, MAX_BYTES)) {
    found.pages.push(...pages.map((page) => page.url))
    found.sitemaps.push(...sitemaps.map((sitemap) => sitemap.url))
  }
  return found
}
