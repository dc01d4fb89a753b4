import { type IndexedRow, type PageStore, readyVectors, type Written } from "../server/backend.ts"
import {
  type PageDocument,
  type PassageDocument,
  toPageDocument,
  toPassageDocuments,
  toTextDocument,
} from "./server/documents.ts"
import { arePages } from "./filter.ts"
import type { Indexes } from "./server/indexes.ts"
import { type Server, TaskFailed, isTooLarge } from "./server/server.ts"

/** Number of vectors per request; each is about 4 kB of text. */
const VECTORS_AT_A_TIME = 1000

/** The known facts about an existing page. */
type KnownPage = Pick<PageDocument, "id" | "revision" | "waiting" | "replaced">

/** Stores pages as documents on the server. */
export class MeilisearchPages implements PageStore {
  readonly #server: Server
  readonly #indexes: Indexes
  readonly #dimensions: number

  constructor(server: Server, indexes: Indexes, dimensions: number) {
    this.#server = server
    this.#indexes = indexes
    this.#dimensions = dimensions
  }

  async write(rows: readonly IndexedRow[]): Promise<Written> {
    try {
      return { changed: await this.#writeTogether(rows), refused: new Map() }
    } catch (error) {
      if (!(isTooLarge(error) || (error instanceof TaskFailed && error.refused))) throw error
      if (rows.length === 1) return { changed: [], refused: new Map([[rows[0]!.id, error as Error]]) }
      const half = Math.ceil(rows.length / 2)
      const first = await this.write(rows.slice(0, half))
      const second = await this.write(rows.slice(half))
      return {
        changed: [...first.changed, ...second.changed],
        refused: new Map([...first.refused, ...second.refused]),
      }
    }
  }

  async remove(ids: readonly string[]): Promise<void> {
    const { pages, texts, passages } = this.#indexes
    const page = await pages.deleteDocuments([...ids])
    const text = await texts.deleteDocuments([...ids])
    const vectors = await passages.deleteDocuments({ filter: arePages(ids) })
    await this.#server.allDone([page, text, vectors])
  }

  /** @returns pages that are waiting for vectors again. */
  async #writeTogether(rows: readonly IndexedRow[]): Promise<string[]> {
    const server = this.#server
    const indexes = this.#indexes
    const known = await this.#known(rows.map(({ id }) => id))
    const gone: string[] = []
    const again: string[] = []
    const vectors: PassageDocument[] = []
    const pages = rows.map((row) => {
      const old = known.get(row.id)
      const changed = old !== undefined && old.revision !== row.revision
      const replaced = old !== undefined && (old.replaced || (changed && !old.waiting))
      const embedded = old !== undefined && !changed && !old.waiting
      const brought = embedded ? null : readyVectors(row, this.#dimensions)
      const waiting = !embedded && !brought && row.passage_count > 0
      const page = toPageDocument(row, { waiting, replaced: replaced && waiting })
      if (replaced && !waiting) gone.push(row.id)
      if (changed && waiting) again.push(row.id)
      if (brought) vectors.push(...toPassageDocuments(page, brought))
      return page
    })
    if (gone.length > 0) await server.done(indexes.passages.deleteDocuments({ filter: arePages(gone) }))
    await writeVectors(server, indexes, vectors)
    // Both writes are in the server's own queue before we wait for either, so that a dying process can't leave one
    // without the other.
    const texts = await indexes.texts.addDocuments(rows.map(toTextDocument))
    await server.allDone([texts, await indexes.pages.addDocuments(pages)])
    return again
  }

  async #known(ids: readonly string[]): Promise<Map<string, KnownPage>> {
    const { results } = await this.#indexes.pages.getDocuments({
      ids: [...ids],
      filter: [],
      fields: ["id", "revision", "waiting", "replaced"],
      limit: ids.length,
    })
    return new Map(results.map((page) => [page.id, page]))
  }
}

/**
 * Writes vectors in parts, and waits for all of them together. The server writes everything in its queue for one index
 * in one pass, and each pass goes through the whole vector graph: with half a million passages this takes 3 s, as long
 * as writing a thousand more vectors.
 */
export async function writeVectors(
  server: Server,
  { passages }: Indexes,
  vectors: readonly PassageDocument[],
): Promise<void> {
  const parts = []
  for (let at = 0; at < vectors.length; at += VECTORS_AT_A_TIME) {
    parts.push(await passages.addDocuments(vectors.slice(at, at + VECTORS_AT_A_TIME)))
  }
  await server.allDone(parts)
}
