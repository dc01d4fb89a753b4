import type { PagesOfReaders } from "../../engine.ts"
import type { IndexState } from "../server/backend.ts"
import { isIn } from "./filter.ts"
import { type Cluster, orNull } from "./server/cluster.ts"
import type { Indexes } from "./server/indexes.ts"
import { Searches } from "./server/searches.ts"

/** Maximum number of languages to distinguish; there are two hundred two-letter codes. */
const MOST_LANGUAGES = 1000

interface Counts {
  readonly languages: {
    readonly buckets: ReadonlyArray<{ readonly key: string; readonly doc_count: number }>
  }
  readonly passages: { readonly value: number }
  readonly last: { readonly value: number | null }
}

/** `null` if there is no index. The cluster caches these responses until something is written. */
export async function readState(cluster: Cluster, { pages, vectors }: Indexes): Promise<IndexState | null> {
  const searches = new Searches(cluster)
  const passages = { sum: { field: "passage_count" } }
  const last = { max: { field: "written" } }
  const languages = { terms: { field: "language", size: MOST_LANGUAGES, missing: "" } }
  const asked = await orNull(
    Promise.all([
      searches.search(pages, { size: 0, track_total_hits: true, aggs: { languages, passages, last } }),
      searches.search(vectors, {
        size: 0,
        track_total_hits: true,
        query: { term: { waiting: true } },
        aggs: { passages },
      }),
    ]),
  )
  if (!asked) return null
  const [all, waiting] = asked
  const counts = all.aggregations as unknown as Counts
  return {
    pages: all.hits.total!.value,
    passages: counts.passages.value,
    lastWritten: counts.last.value ?? 0,
    waiting: waiting.hits.total!.value,
    waitingPassages: (waiting.aggregations as unknown as Counts).passages.value,
    byLanguage: new Map(
      counts.languages.buckets
        .map(({ key, doc_count: count }): [string, number] => [key, count])
        .sort(([a, many], [b, few]) => Number(a === "") - Number(b === "") || few - many || (a < b ? -1 : 1)),
    ),
  }
}

/** Number of pages of a source that are waiting for their vectors. */
export async function countWaiting(cluster: Cluster, { vectors }: Indexes, source: string): Promise<number> {
  const filter = [{ term: { waiting: true } }, isIn("source", [source])]
  const { hits } = await new Searches(cluster).search(vectors, {
    size: 0,
    track_total_hits: true,
    query: { bool: { filter } },
  })
  return hits.total!.value
}

/** Number of counts per request. */
const COUNTS_AT_ONCE = 1000

interface ByReaders {
  readonly after_key?: Readonly<Record<string, unknown>>
  readonly buckets: ReadonlyArray<{
    readonly key: { readonly source: string; readonly readers: string | null }
    readonly doc_count: number
  }>
}

/** Counts pages by source and label of readers. */
export async function countByReaders(cluster: Cluster, { pages }: Indexes): Promise<PagesOfReaders[]> {
  const searches = new Searches(cluster)
  const sources = [
    { source: { terms: { field: "source" } } },
    { readers: { terms: { field: "readers", missing_bucket: true } } },
  ]
  const found: PagesOfReaders[] = []
  for (let after: ByReaders["after_key"] | undefined; ;) {
    const composite = { size: COUNTS_AT_ONCE, sources, ...(after && { after }) }
    const body = { size: 0, track_total_hits: false, aggs: { counts: { composite } } }
    const { aggregations } = await searches.search(pages, body)
    const { buckets, after_key: last } = aggregations!["counts"] as ByReaders
    for (const { key, doc_count: count } of buckets)
      found.push({ sources: [key.source], label: key.readers, pages: count })
    if (last === undefined) return found
    after = last
  }
}

/** The highest version of a document written so far: see `versions.ts`. */
export async function lastVersion(cluster: Cluster, { pages, vectors }: Indexes): Promise<number> {
  const searches = new Searches(cluster)
  const body = { size: 0, track_total_hits: false, aggs: { last: { max: { field: "written" } } } }
  const answers = await Promise.all([pages, vectors].map((index) => searches.search(index, body)))
  const last = answers.map(({ aggregations }) => (aggregations!["last"] as { value: number | null }).value)
  return Math.max(0, ...last.map((value) => value ?? 0))
}
