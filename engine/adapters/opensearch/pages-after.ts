import type { PageWithVectors } from "../../engine.ts"
import { type PageHead, type StoredPage, toPage } from "../../index/page-record.ts"
import type { NamedPages } from "../../suggestions/suggestions.ts"
import type { Serial } from "#base/flow/serial.ts"
import { isIn } from "./filter.ts"
import type { Cluster } from "./server/cluster.ts"
import { textOf, unpacked, type VectorsDocument } from "./server/documents.ts"
import type { Indexes } from "./server/indexes.ts"
import { COLUMNS_ONLY, Searches, type SearchHit } from "./server/searches.ts"

const PAGES_AT_A_TIME = 64
/** Ids in one answer: about a hundred bytes each. */
const IDS_AT_A_TIME = 10_000

/** The next pages in the order of their ids, with their vectors; none at the end. */
export async function pagesAfter(
  cluster: Cluster,
  indexes: Indexes,
  after: string,
): Promise<PageWithVectors[]> {
  const searches = new Searches(cluster)
  const { hits } = await searches.search(indexes.pages, {
    size: PAGES_AT_A_TIME,
    track_total_hits: false,
    _source: ["markdown"],
    docvalue_fields: ["id", "revision", "head", "passage_count"],
    sort: [{ id: "asc" }],
    ...(after !== "" && { search_after: [after] }),
  })
  if (hits.hits.length === 0) return []
  const pages = hits.hits.map((hit) => ({
    ...storedIn(hit),
    count: hit.fields!["passage_count"]![0] as number,
  }))
  const vectors = await vectorsOf(
    searches,
    indexes,
    pages.map(({ id }) => id),
  )
  return pages.map(({ count, ...page }) => {
    const made = vectors.get(page.id)
    const packed = made?.revision === page.revision ? made.vectors : undefined
    const ofIt = packed === undefined ? null : unpacked(packed, count)
    return { page: toPage(page), vectors: count === 0 ? [] : ofIt }
  })
}

/** A page without its passages; null when there is none. */
export async function storedPage(
  cluster: Cluster,
  { pages }: Indexes,
  id: string,
): Promise<Pick<StoredPage, "title" | "details" | "markdown"> | null> {
  const { hits } = await new Searches(cluster).search(pages, {
    size: 1,
    track_total_hits: false,
    _source: ["markdown"],
    docvalue_fields: ["id", "revision", "head"],
    query: { bool: { filter: [isIn("id", [id])] } },
  })
  const [hit] = hits.hits
  return hit ? storedIn(hit) : null
}

function storedIn({ fields, _source: source }: SearchHit) {
  const head = JSON.parse(textOf(fields!["head"]![0])) as Pick<PageHead, "title" | "details">
  return {
    ...head,
    id: fields!["id"]![0] as string,
    revision: fields!["revision"]![0] as number,
    markdown: source!["markdown"] as string,
  }
}

async function vectorsOf(searches: Searches, { vectors }: Indexes, ids: readonly string[]) {
  const { hits } = await searches.search(vectors, {
    size: ids.length,
    track_total_hits: false,
    _source: ["id", "revision", "vectors"],
    query: { bool: { filter: [isIn("id", ids), { term: { waiting: false } }] } },
    sort: ["_doc"],
  })
  return new Map(
    hits.hits.map(({ _source: source }) => {
      const { id, revision, vectors } = source as unknown as VectorsDocument
      return [id, { revision, vectors }]
    }),
  )
}

/** What pages are suggested by, read from the cluster. */
export function namedPages(cluster: Cluster, indexes: Indexes, writes: Serial): NamedPages {
  return {
    async revisions() {
      const all: { id: string; revision: number }[] = []
      for (;;) {
        const { hits } = await new Searches(cluster).search(indexes.pages, {
          ...COLUMNS_ONLY,
          size: IDS_AT_A_TIME,
          docvalue_fields: ["id", "revision"],
          sort: [{ id: "asc" }],
          ...(all.length > 0 && { search_after: [all.at(-1)!.id] }),
        })
        for (const { fields } of hits.hits) {
          all.push({ id: fields!["id"]![0] as string, revision: fields!["revision"]![0] as number })
        }
        if (hits.hits.length < IDS_AT_A_TIME) return all
      }
    },
    read: (ids, take) =>
      writes.run(async () => {
        const { hits } = await new Searches(cluster).search(indexes.pages, {
          size: ids.length,
          track_total_hits: false,
          _source: ["markdown"],
          docvalue_fields: ["id", "revision", "head"],
          query: { bool: { filter: [isIn("id", ids)] } },
          sort: ["_doc"],
        })
        await take(hits.hits.map(storedIn))
      }),
  }
}
