import { type IndexedRow, type PageStore, readyVectors, type Written } from "../server/backend.ts"
import { isIn } from "./filter.ts"
import type { Cluster } from "./server/cluster.ts"
import { toPageDocument, toVectorsDocument, toVectorsHead } from "./server/documents.ts"
import type { Indexes } from "./server/indexes.ts"
import { COLUMNS_ONLY, Searches } from "./server/searches.ts"
import type { Versions } from "./server/versions.ts"
import { type DocumentWrite, writeAll } from "./server/writes.ts"

export interface StoreParts {
  readonly cluster: Cluster
  readonly indexes: Indexes
  readonly versions: () => Promise<Versions>
  /** How long what the cluster cannot take just now is tried again. */
  readonly patienceMs: number
}

interface KnownPage {
  readonly revision: number
  readonly waiting: boolean
}

/** Pages as documents of the cluster: what finds each by its words, and what finds it by its meaning, in one request. */
export class OpenSearchPages implements PageStore {
  readonly #parts: StoreParts
  readonly #dimensions: number

  constructor(parts: StoreParts, dimensions: number) {
    this.#parts = parts
    this.#dimensions = dimensions
  }

  async write(rows: readonly IndexedRow[]): Promise<Written> {
    const { cluster, indexes, versions, patienceMs } = this.#parts
    const known = await this.#known(rows.map(({ id }) => id))
    const version = (await versions()).next()
    const changed: string[] = []
    const groups = rows.map((row): DocumentWrite[] => {
      const { id } = row
      const old = known.get(id)
      const isSame = old !== undefined && old.revision === row.revision
      const page = { index: indexes.pages, id, version, document: toPageDocument(row, version) }
      if (isSame && !old.waiting) return [page]
      const vectors = readyVectors(row, this.#dimensions)
      const document = toVectorsDocument(toVectorsHead(row, version), vectors)
      if (old && !isSame && document.waiting) changed.push(id)
      return [{ index: indexes.vectors, id, version, document }, page]
    })
    const refused = await writeAll(cluster, groups, patienceMs)
    return { changed, refused: new Map([...refused].map(([at, error]) => [rows[at]!.id, error])) }
  }

  async remove(ids: readonly string[]): Promise<void> {
    const { cluster, indexes, versions, patienceMs } = this.#parts
    const version = (await versions()).next()
    const groups = ids.map((id) =>
      [indexes.pages, indexes.vectors].map((index) => ({ index, id, version, document: null })),
    )
    await writeAll(cluster, groups, patienceMs)
  }

  async #known(ids: readonly string[]): Promise<Map<string, KnownPage>> {
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
