import type { Content } from "#crawler/fetch/content/content.ts"
import { OtherAddresses } from "#crawler/crawl/duplicates/other-addresses.ts"
import { migrateFrontier } from "#crawler/crawl/frontier/frontier-schema.ts"
import {
  lastCheckOf,
  pageCount,
  type PageVisits,
  pageVisits,
  whereItLed,
} from "#crawler/crawl/frontier/source-pages.ts"
import type { Jobs, Source, StateStore } from "#crawler"
import { sourceNames } from "#crawler/sources/source-names.ts"
import type { SourceTable } from "#crawler/sources/source-table.ts"
import type { PageUrl } from "#engine"
import { sharing } from "#base/flow/sharing.ts"
import { steadyNow } from "#base/steady-time.ts"

import type { AddressKnowledge } from "../../core/read/find-page.ts"

/** The index's contents for a source. */
export interface SourceHolding {
  readonly name: string
  readonly pages: number
  /** The start addresses of its crawls. */
  readonly seeds: readonly string[]
  /** When a visit last found one of its pages; `null` if never. */
  readonly checkedAt: Date | null
}

/** Information from crawls about pages, in addition to the index. */
export interface PageKnowledge extends AddressKnowledge {
  visits(url: PageUrl, sources: readonly string[]): Promise<PageVisits>
  /** The sources with pages in the index, by name. */
  sources(): Promise<readonly SourceHolding[]>
  /** A declared source whose pages are not from a website, and where they come from; `null` if there is no such source with this name. */
  content(name: string): Promise<{ readonly source: Source; readonly content: Content } | null>
}

/** Milliseconds after which sources are read again: the first message of each model session asks for them. */
const COUNTED_MS = 10_000

/** Reads the tables in which crawls store their records, and never writes. */
export function openPageKnowledge(db: StateStore, jobs: Jobs): PageKnowledge {
  migrateFrontier(db)
  const others = new OtherAddresses(db)
  let table: SourceTable | undefined
  let counted: { readonly until: number; readonly sources: readonly SourceHolding[] } | undefined
  const count = sharing(async () => {
    const sources = await holdings()
    counted = { sources, until: steadyNow() + COUNTED_MS }
    return sources
  })
  const declarations = async () => {
    // Loaded on the first call that needs it.
    const { SourceTable } = await import("#crawler/sources/source-table.ts")
    return (table ??= new SourceTable(db, jobs))
  }
  const holdings = async (): Promise<readonly SourceHolding[]> => {
    const known = await declarations()
    const held: SourceHolding[] = []
    for (const name of (await sourceNames(db)).toSorted()) {
      const pages = await pageCount(db, name)
      if (pages === 0) continue
      const source =
        (await known.get(name))?.source ?? (await jobs.list({ source: name, limit: 1 }))[0]?.source
      held.push({ name, pages, seeds: source?.seeds ?? [], checkedAt: await lastCheckOf(db, name) })
    }
    return held
  }
  return {
    standingFor: async (url, sources) => [
      ...(await others.pagesOf(url, sources)),
      ...(await whereItLed(db, url, sources)),
    ],
    spellingsOf: (url) => others.spellingsOf(url),
    visits: (url, sources) => pageVisits(db, url, sources),
    async content(name) {
      const source = (await (await declarations()).get(name))?.source
      if (source === undefined) return null
      const { contentOf } = await import("#crawler/fetch/content/kinds.ts")
      const content = await contentOf(source, { db })
      return content && { source, content }
    },
    async sources() {
      if (counted !== undefined && counted.until >= steadyNow()) return counted.sources
      return await count()
    },
  }
}
