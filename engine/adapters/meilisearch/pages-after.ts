import type { Serial } from "#base/flow/serial.ts"
import type { PageWithVectors } from "../../engine.ts"
import type { PagesAsked } from "../server/backend.ts"
import { toPage } from "../../index/page-record.ts"
import type { NamedPages } from "../../search/suggestions/suggestions.ts"
import type { Indexes } from "./server/indexes.ts"
import { pageKey } from "./server/page-key.ts"
import { arePages } from "./filter.ts"

const PAGES_AT_A_TIME = 64
/** Number of pages per response; each is about ten kilobytes of text. */
const VECTORS_AT_A_TIME = 500
/** Number of ids per response; each is about forty bytes. */
const IDS_AT_A_TIME = 10_000

/** As in {@link Backend.pagesWithVectors}. */
export async function pagesWithVectors(indexes: Indexes, asked: PagesAsked): Promise<PageWithVectors[]> {
  const listed = "ids" in asked ? await listedOf(indexes, asked.ids) : await idsAfter(indexes, asked.after)
  if (listed.length === 0) return []
  const { results } = await indexes.texts.getDocuments({
    ids: listed.map(({ id }) => id),
    filter: [],
    fields: ["id", "revision", "title", "markdown", "details"],
    limit: listed.length,
  })
  const texts = new Map(results.map((text) => [text.id, text]))
  const vectors = await vectorsOf(
    indexes,
    listed.filter(({ waiting }) => !waiting).map(({ id }) => id),
  )
  return listed.flatMap(({ id, revision, passage_count: count }) => {
    const text = texts.get(id)
    if (!text) return []
    const made = text.revision === revision ? vectors.get(id) : undefined
    const all = Array.from({ length: count }, (_, position) => made?.get(`${revision} ${position}`))
    return [{ page: toPage(text), vectors: isComplete(all) ? all : null }]
  })
}

const LISTED = ["id", "revision", "passage_count", "waiting"] as const

async function listedOf({ pages }: Indexes, ids: readonly string[]) {
  const { results } = await pages.getDocuments({
    ids: [...ids],
    filter: [],
    fields: [...LISTED],
    limit: ids.length,
  })
  return results
}

async function idsAfter({ pages }: Indexes, after: string) {
  // The server orders by the first characters of the ids; pages that share them are fetched together.
  const from = after === "" ? 0 : pageKey(after)
  for (let limit = PAGES_AT_A_TIME; ; limit *= 2) {
    const { results } = await pages.getDocuments({
      filter: `key >= ${from}`,
      sort: ["key:asc"],
      fields: [...LISTED],
      limit,
    })
    const later = results.filter(({ id }) => id > after).sort((a, b) => (a.id < b.id ? -1 : 1))
    if (later.length > 0 || results.length < limit) return later
  }
}

/** Sorted by page, then by revision and position. */
async function vectorsOf({ passages }: Indexes, ids: readonly string[]) {
  const found = new Map<string, Map<string, Float32Array>>()
  if (ids.length === 0) return found
  for (let offset = 0; ; offset += VECTORS_AT_A_TIME) {
    const { results } = await passages.getDocuments({
      filter: arePages(ids),
      fields: ["page", "revision", "position", "_vectors"],
      retrieveVectors: true,
      offset,
      limit: VECTORS_AT_A_TIME,
    })
    for (const { page, revision, position, _vectors: vectors } of results) {
      const [vector = []] = vectors.default.embeddings
      if (!found.has(page)) found.set(page, new Map())
      found.get(page)!.set(`${revision} ${position}`, Float32Array.from(vector))
    }
    if (results.length < VECTORS_AT_A_TIME) return found
  }
}

const isComplete = (vectors: readonly (Float32Array | undefined)[]): vectors is Float32Array[] =>
  vectors.every((vector) => vector !== undefined)

/** The texts used to suggest pages, read from the server. */
export function namedPages({ pages, texts }: Indexes, writes: Serial): NamedPages {
  return {
    async revisions() {
      const all: { id: string; revision: number }[] = []
      for (;;) {
        const { results } = await pages.getDocuments({
          fields: ["id", "revision"],
          offset: all.length,
          limit: IDS_AT_A_TIME,
        })
        all.push(...results)
        if (results.length < IDS_AT_A_TIME) return all
      }
    },
    read: (ids, take) =>
      writes.run(async () => {
        const { results } = await texts.getDocuments({
          ids: [...ids],
          filter: [],
          fields: ["id", "revision", "title", "details", "markdown"],
          limit: ids.length,
        })
        await take(results)
      }),
  }
}
