import { FACETED } from "./server/documents.ts"
import { all, filterOf, textOfFacet } from "./filter.ts"
import type { Indexes } from "./server/indexes.ts"
import type { Server } from "./server/server.ts"
import type { PagesOfReaders } from "../../engine.ts"
import type { IndexState } from "../server/backend.ts"

export async function readState({ client }: Server, { pages }: Indexes): Promise<IndexState> {
  const indexUid = pages.uid
  const { results } = await client.multiSearch({
    queries: [
      { indexUid, q: "", limit: 0, facets: [...FACETED] },
      { indexUid, q: "", limit: 0, filter: "waiting = true" },
    ],
  })
  const [all, waiting] = results
  const { language, passage_count: counts } = all!.facetDistribution ?? {}
  const found = all!.estimatedTotalHits ?? 0
  const byLanguage = new Map(
    Object.entries(language ?? {})
      .sort(([a, many], [b, few]) => few - many || (a < b ? -1 : 1))
      .map(([value, count]) => [textOfFacet(value), count]),
  )
  const unknown = found - [...byLanguage.values()].reduce((total, count) => total + count, 0)
  return {
    pages: found,
    waiting: waiting!.estimatedTotalHits ?? 0,
    passages: sum(counts),
    byLanguage: unknown > 0 ? new Map([...byLanguage, ["", unknown]]) : byLanguage,
  }
}

/** Number of pages of a source that are waiting for their vectors. */
export async function countWaiting({ client }: Server, { pages }: Indexes, source: string): Promise<number> {
  const filter = all(["waiting = true", filterOf([{ sources: [source] }])!])!
  const { results } = await client.multiSearch({
    queries: [{ indexUid: pages.uid, q: "", limit: 0, filter }],
  })
  return results[0]!.estimatedTotalHits ?? 0
}

/** Number of sources per request. */
const SOURCES_AT_ONCE = 100

/** Counts pages by source and label of readers. */
export async function countByReaders({ client }: Server, { pages }: Indexes): Promise<PagesOfReaders[]> {
  const asked = { indexUid: pages.uid, q: "", limit: 0 }
  const { results } = await client.multiSearch({ queries: [{ ...asked, facets: ["source"] }] })
  const sources = Object.keys(results[0]!.facetDistribution?.["source"] ?? {}).map(textOfFacet)
  const found: PagesOfReaders[] = []
  for (let at = 0; at < sources.length; at += SOURCES_AT_ONCE) {
    const some = sources.slice(at, at + SOURCES_AT_ONCE)
    const queries = some.map((name) => {
      const filter = filterOf([{ sources: [name] }])!
      return { ...asked, filter, facets: ["readers"] }
    })
    const counted = await client.multiSearch({ queries })
    for (const [i, { facetDistribution = {}, estimatedTotalHits: all = 0 }] of counted.results.entries()) {
      const labels = Object.entries(facetDistribution["readers"] ?? {})
      const open = all - labels.reduce((total, [, count]) => total + count, 0)
      const row = (label: string | null, count: number) => ({ sources: [some[i]!], label, pages: count })
      if (open > 0) found.push(row(null, open))
      found.push(...labels.map(([value, count]) => row(textOfFacet(value), count)))
    }
  }
  return found
}

const sum = (counts: Record<string, number> | undefined): number =>
  Object.entries(counts ?? {}).reduce((total, [value, pages]) => total + Number(value) * pages, 0)
