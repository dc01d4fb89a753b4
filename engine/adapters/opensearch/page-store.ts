import { type IndexedRow, type PageStore, readyVectors, type Written } from "../server/backend.ts"
import { isIn } from "./filter.ts"
import type { Cluster } from "./server/cluster.ts"
import { toPageDocument, toVectorsDocument, toVectorsHead } from "./server/documents.ts"
import type { Indexes } from "./server/indexes.ts"
import { COLUMNS_ONLY, Searches } from "./server/searches.ts"
import type { Versions } from "./server/versions.ts"
import { type DocumentWrite, writeAll } from "./server/writes.ts"

/** Maximum number of attempts to write a page that several processes keep writing at the same time; after that, the other processes' version stays. */
const MOST_TRIES = 10

export interface StoreParts {
  readonly cluster: Cluster
  readonly indexes: Indexes
  readonly versions: () => Promise<Versions>
  /** How long to retry writes that the cluster can't accept right now. */
  readonly patienceMs: number
  /** How long a vectors document that doesn't match its page is assumed to be still in the middle of a write. */
  readonly halfWrittenMs: number
}

interface KnownPage {
  readonly revision: number
  readonly waiting: boolean
}

/** Stores pages as documents in the cluster: the document for finding a page by its words and the one for finding it by meaning are written in one request. */
export class OpenSearchPages implements PageStore {
  readonly #parts: StoreParts
  readonly #dimensions: number

  constructor(parts: StoreParts, dimensions: number) {
    this.#parts = parts
    this.#dimensions = dimensions
  }

  /**
   * If another process writes a page at the same time, both documents of the page end up in the same version: where the
   * other process's version is higher, ours is written again with a still higher one.
   */
  async write(rows: readonly IndexedRow[]): Promise<Written> {
    const changed = new Set<string>()
    const refused = new Map<string, Error>()
    let left = rows
    let above = 0
    for (let tries = 0; left.length > 0 && tries < MOST_TRIES; tries++) {
      const done = await this.#write(left, above)
      for (const id of done.changed) changed.add(id)
      for (const [id, error] of done.refused) refused.set(id, error)
      left = left.filter(({ id }) => done.again.has(id))
      above = done.above
    }
    return { changed: [...changed], refused }
  }

  /** @returns the pages to write again, with a version above the one that was found */
  async #write(rows: readonly IndexedRow[], above: number) {
    const { cluster, indexes, versions, patienceMs } = this.#parts
    const known = await this.#known(rows.map(({ id }) => id))
    const version = (await versions()).next(above)
    const changed: string[] = []
    /** Pages whose vectors stay as they are. */
    const kept = new Map<string, number>()
    const groups = rows.map((row): DocumentWrite[] => {
      const { id, revision } = row
      const old = known.get(id)
      const isSame = old !== undefined && old.revision === revision
      const page = { index: indexes.pages, id, version, document: toPageDocument(row, version) }
      if (isSame && !old.waiting) {
        kept.set(id, revision)
        return [page]
      }
      const vectors = readyVectors(row, this.#dimensions)
      const document = toVectorsDocument(toVectorsHead(row, version), vectors)
      if (old && !isSame && document.waiting) changed.push(id)
      return [{ index: indexes.vectors, id, version, document }, page]
    })
    const { refused, late } = await writeAll(cluster, groups, patienceMs)
    const idAt = (at: number) => rows[at]!.id
    // Another process might have written the vectors since the last check.
    const now = await this.#known([...kept.keys()])
    return {
      changed,
      refused: [...refused].map(([at, error]) => [idAt(at), error] as const),
      again: new Set([
        ...Array.from(late.keys(), idAt),
        ...[...kept].flatMap(([id, revision]) => (now.get(id)?.revision === revision ? [] : [id])),
      ]),
      above: Math.max(version, ...late.values()),
    }
  }

  async remove(ids: readonly string[]): Promise<void> {
    const { cluster, indexes, versions, patienceMs } = this.#parts
    let left = ids
    let above = 0
    for (let tries = 0; left.length > 0 && tries < MOST_TRIES; tries++) {
      const version = (await versions()).next(above)
      const groups = left.map((id) =>
        [indexes.pages, indexes.vectors].map((index) => ({ index, id, version, document: null })),
      )
      const { late } = await writeAll(cluster, groups, patienceMs)
      left = Array.from(late.keys(), (at) => left[at]!)
      above = Math.max(version, ...late.values())
    }
  }

  async #known(ids: readonly string[]): Promise<Map<string, KnownPage>> {
    if (ids.length === 0) return new Map()
    const { cluster, indexes } = this.#parts
    const { hits } = await new Searches(cluster).search(indexes.vectors, {
      ...COLUMNS_ONLY,
      size: ids.length,
      docvalue_fields: ["id", "revision", "waiting"],
      query: { bool: { filter: [isIn("id", ids)] } },
      sort: ["_doc"],
    })
    return new Map(
      hits.hits.map(({ fields }) => [
        fields!["id"]![0] as string,
        { revision: fields!["revision"]![0] as number, waiting: fields!["waiting"]![0] as boolean },
      ]),
    )
  }
}
