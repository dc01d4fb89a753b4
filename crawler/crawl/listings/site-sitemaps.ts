import { type PageUrl, toPageUrl } from "#engine"
import type { SitemapOptions } from "../../reading.ts"
import type { Fetched } from "../../fetch/fetch.ts"
import { MAX_LIVE_FILES, MAX_LIVE_SITEMAP_BYTES } from "./listing-limits.ts"
import { readList } from "./read-list.ts"

/** Access to the files of a site, limited to the requests that its politeness rules and the source's scope allow. */
export interface SiteFiles {
  /** The sitemaps that the site's robots.txt names. */
  readonly named: () => Promise<readonly string[]>
  /** Fetches a file; `null` if that fails. */
  readonly load: (file: PageUrl) => Promise<Fetched | null>
}

/**
 * The pages in a site's sitemaps (sitemaps.org), in order and without repeats. Reads the sitemaps that its robots.txt
 * names, or else `/sitemap.xml`, and the ones that a sitemap index names.
 */
export async function pagesOfSitemaps(
  site: PageUrl,
  { named, load }: SiteFiles,
  { limit, wants = () => true, signal }: SitemapOptions,
): Promise<readonly PageUrl[]> {
  const files = new Set<PageUrl>()
  const add = (file: PageUrl | null) => {
    if (file !== null && files.size < MAX_LIVE_FILES) files.add(file)
  }
  const stated = await named()
  for (const file of stated.length > 0 ? stated : [new URL("/sitemap.xml", site).href])
    add(toPageUrl(file, site))
  const pages = new Set<PageUrl>()
  // The loop also reaches files that are added to the set in the meantime.
  for (const file of files) {
    if (signal?.aborted) break
    const fetched = await load(file)
    if (fetched === null) continue
    for await (const part of readList({ url: file, kind: "sitemap", fetched }, MAX_LIVE_SITEMAP_BYTES)) {
      for (const one of part.sitemaps) add(one.url)
      for (const { url } of part.pages) {
        if (wants(url)) pages.add(url)
        if (pages.size === limit) return [...pages]
      }
    }
  }
  return [...pages]
}
