import { emptyState } from "#base/store/testing/empty-state.ts"
import type { PageUrl } from "#engine"
import { KnownAddresses, type Visited } from "../crawl/frontier/known-addresses.ts"
import { defineSource, type SourceSpec } from "../source.ts"

export const HOUR = 3_600_000
export const DAY = 24 * HOUR

/** An address on the visited site. */
export const at = (path: string) => `https://site.example${path}` as PageUrl

export const sourceOf = (name: string, spec: Partial<SourceSpec> = {}) =>
  defineSource({ name, seeds: ["https://site.example/"], revisit: { minHours: 1, maxHours: 720 }, ...spec })

/** A visit that found a page, and one that found that it no longer exists. */
export const PAGE = { outcome: "indexed", hash: "h" } as const
export const GONE = { outcome: "failed:http-status", status: 404, hash: null } as const

/** Records of visits, made without a network, at times set by tests. */
export class VisitedSite {
  now = 1000 * DAY
  readonly db = emptyState()
  readonly known = new KnownAddresses(this.db, () => this.now)

  /** Records a visit; by default one that finds the page unchanged from the one in the index. */
  async visit(
    path: string,
    { job = 1, source = "site", ...more }: Partial<Visited> & { job?: number; source?: string } = {},
  ) {
    const visit = { url: at(path), outcome: "indexed", detail: null, ...more } as const
    await this.known.record({ id: job, source: sourceOf(source) }, [visit])
    return (await this.known.get(visit.url, source))!
  }
}
