import type { PageWithVectors } from "../../engine.ts"
import { type PageHead, toPage } from "../../index/page-record.ts"
import type { NamedPage } from "../../search/suggestions/suggestible.ts"
import type { NamedPages } from "../../search/suggestions/suggestions.ts"
import type { Serial } from "#base/flow/serial.ts"
import type { Changed, PagesAsked } from "../server/backend.ts"
import { isIn } from "./filter.ts"
import type { Cluster } from "./server/cluster.ts"
import { textOf, unpacked, type VectorsDocument } from "./server/documents.ts"
import type { Indexes } from "./server/indexes.ts"
import { COLUMNS_ONLY, Searches } from "./server/searches.ts"

const PAGES_AT_A_TIME = 64
/** Number of ids per response; each is about a hundred bytes. */
const IDS_AT_A_TIME = 10_000

/** Which pages to return: those with the given ids in any order, or the next ones in id order; and the long field to return with them. */
interface StoredAsked {
  readonly ids?: readonly string[]
  readonly after?: string
  readonly text: "markdown" | "passages"
}

/** Pages as stored in the cluster, with one of their long fields. */
export async function storedPages(
  searches: Searches,
  { pages }: Indexes,
  { ids, after = "", text }: StoredAsked,
) {
  if (ids?.length === 0) return []
  const { hits } = await searches.search(pages, {
    track_total_hits: false,
    _source: [text],
    docvalue_fields: ["id", "revision", "head", "passage_count"],
    ...(ids
      ? { size: ids.length, query: { bool: { filter: [isIn("id", ids)] } }, sort: ["_doc"] }
      : {
          size: PAGES_AT_A_TIME,
          sort: [{ id: "asc" }],
          ...(after !== "" && { search_after: [after] }),
        }),
  })
  return hits.hits.map(({ fields, _source: source }) => {
    const column = (name: string): unknown => fields![name]![0]
    const { title, details } = JSON.parse(textOf(column("head"))) as Pick<PageHead, "title" | "details">
    return {
      id: column("id") as string,
      revision: column("revision") as number,
      title,
      details,
      count: column("passage_count") as number,
      text: source![text] as string,
    }
  })
}

/** As in {@link Backend.pagesWithVectors}. */
export async function pagesWithVectors(
  cluster: Cluster,
  indexes: Indexes,
  asked: PagesAsked,
): Promise<PageWithVectors[]> {
  const searches = new Searches(cluster)
  const pages = await storedPages(searches, indexes, { ...asked, text: "markdown" })
  if (pages.length === 0) return []
  const vectors = await vectorsOf(
    searches,
    indexes,
    pages.map(({ id }) => id),
  )
  return pages.map(({ count, text: markdown, ...head }) => {
    const made = vectors.get(head.id)
    const packed = made?.revision === head.revision ? made.vectors : undefined
    const ofIt = packed === undefined ? null : unpacked(packed, count)
    return { page: toPage({ ...head, markdown }), vectors: count === 0 ? [] : ofIt }
  })
}

/** A page without its passages, or `null`. */
export async function storedPage(
  cluster: Cluster,
  indexes: Indexes,
  id: string,
): Promise<Omit<NamedPage, "revision"> | null> {
  const [page] = await storedPages(new Searches(cluster), indexes, { ids: [id], text: "markdown" })
  return page ? named(page) : null
}

type Stored = Awaited<ReturnType<typeof storedPages>>[number]

const named = ({ text: markdown, count: _count, ...head }: Stored): NamedPage => ({ ...head, markdown })

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

/** As in {@link Backend.changedSince}; versions are those of the documents. */
export async function changedSince(cluster: Cluster, { pages }: Indexes, since: number): Promise<Changed> {
  const searches = new Searches(cluster)
  const [found, { hits, aggregations }] = await Promise.all([
    searches.search(pages, {
      ...COLUMNS_ONLY,
      size: since === 0 ? 0 : IDS_AT_A_TIME,
      docvalue_fields: ["id", "revision", "written"],
      query: { range: { written: { gt: since } } },
      sort: [{ written: "asc" }],
    }),
    searches.search(pages, {
      size: 0,
      track_total_hits: true,
      aggs: { last: { max: { field: "written" } } },
    }),
  ])
  const changed = found.hits.hits.map(({ fields }) => ({
    id: fields!["id"]![0] as string,
    revision: fields!["revision"]![0] as number,
    written: fields!["written"]![0] as number,
  }))
  const { value: last } = aggregations!["last"] as { value: number | null }
  const version = since === 0 ? (last ?? 0) : (changed.at(-1)?.written ?? since)
  return { changed, version, count: hits.total!.value }
}

/** The texts used to suggest pages, read from the cluster. */
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
        const pages = await storedPages(new Searches(cluster), indexes, { ids, text: "markdown" })
        await take(pages.map(named))
      }),
  }
}
