import type { Table } from "@lancedb/lancedb"
import type { PageWithVectors } from "../../engine.ts"
import { isIn } from "./filter.ts"
import { batchesOf } from "./lance/rows.ts"
import { type StoredPage, passagesOf, toPage } from "../../index/page-record.ts"
import type { Tables } from "./lance/tables.ts"

/** Number of pages read at a time: a page can have thousands of passages, each with a vector of 1.5 kB. */
const PAGES_AT_A_TIME = 32

interface VectorRow {
  readonly page: string
  readonly revision: number
  readonly position: number
  /** An Arrow value; iterating over it costs ten times as much as a copy. */
  readonly vector: { toArray(): Float32Array }
}

/**
 * The next pages in order of their ids, with their vectors; empty at the end. Unreadable vectors count as not yet
 * created.
 */
export async function pagesAfter(tables: Tables, id: string): Promise<PageWithVectors[]> {
  return await pagesOf(tables, tables.store.idsAfter(id, PAGES_AT_A_TIME))
}

/** Pages by their ids, with their vectors, as in {@link pagesAfter}. */
export async function pagesOf(tables: Tables, ids: readonly string[]): Promise<PageWithVectors[]> {
  if (ids.length === 0) return []
  const stored = tables.store.read(ids)
  try {
    return await withVectors(stored, tables.vectors)
  } catch {
    return stored.map((page) => ({ page: toPage(page), vectors: null }))
  }
}

/** Stored pages with their vectors from a table. */
export async function withVectors(stored: readonly StoredPage[], table: Table): Promise<PageWithVectors[]> {
  const vectors = new Map(stored.map((page) => [page.id, new Map<number, Float32Array>()]))
  const revisions = new Map(stored.map((page) => [page.id, page.revision]))
  const query = table
    .query()
    .where(isIn("page", vectors.keys()))
    .select(["page", "revision", "position", "vector"])
  for await (const rows of batchesOf<VectorRow>(query)) {
    for (const { page, revision, position, vector } of rows) {
      if (revisions.get(page) === revision) vectors.get(page)!.set(position, vector.toArray().slice())
    }
  }
  return stored.map((page) => {
    const made = vectors.get(page.id)!
    const all = passagesOf(page).map((_, position) => made.get(position))
    return { page: toPage(page), vectors: isComplete(all) ? all : null }
  })
}

const isComplete = (vectors: readonly (Float32Array | undefined)[]): vectors is Float32Array[] =>
  vectors.every((vector) => vector !== undefined)
