import { isIn } from "../filter.ts"
import { COLUMNS_ONLY, type SearchBody, type SearchHit, type Searches } from "./searches.ts"
import type { Shards } from "./shards.ts"

/** Columns of one page, with one value each. */
export interface Columns {
  readonly id: string
  readonly revision: number
  readonly [name: string]: unknown
}

export const columnsOf = (fields: SearchHit["fields"]): Columns =>
  Object.fromEntries(Object.entries(fields ?? {}).map(([name, [value]]) => [name, value])) as never

/**
 * Reads pages by their ids during one search. Reads in the same turn of the event loop are combined into one request
 * per shard: a request to a shard costs more than the data it returns.
 */
export class PageReads {
  /** Reads at least the requested columns of these pages, and possibly columns of others too; pages that no longer exist are missing. */
  readonly columns: (
    ids: readonly string[],
    names: readonly string[],
  ) => Promise<ReadonlyMap<string, Columns>>
  /** The stored documents of these pages, possibly of others too, in the state that searches see. */
  readonly documents: (ids: readonly string[]) => ReturnType<Searches["byId"]>
  readonly #searches: Searches
  readonly #shards: Shards
  readonly #pages: string

  constructor(searches: Searches, shards: Shards, pages: string) {
    this.#searches = searches
    this.#shards = shards
    this.#pages = pages
    this.columns = together((ids, names) => this.#columns(ids, names))
    const documents = together((ids) => searches.byId(pages, ids))
    this.documents = (ids) => documents(ids, [])
  }

  async #columns(ids: readonly string[], names: readonly string[]): Promise<Map<string, Columns>> {
    const groups = await this.#shards.split(ids)
    const found = new Map<string, Columns>()
    const ask = async (some: readonly string[], routing?: string) => {
      const body = columnsBody(some, names)
      const { hits } = await this.#searches.search(this.#pages, body, { routing })
      for (const { fields } of hits.hits) {
        const columns = columnsOf(fields)
        found.set(columns.id, columns)
      }
    }
    await Promise.all(groups.map(({ ids: some, routing }) => ask(some, routing)))
    const missing = ids.filter((id) => !found.has(id))
    if (missing.length === 0 || groups.every(({ routing }) => routing === undefined)) return found
    // The document was deleted, or is in another shard of a rebuilt index.
    await ask(missing)
    if (missing.some((id) => found.has(id))) this.#shards.forget()
    return found
  }
}

const columnsBody = (ids: readonly string[], names: readonly string[]): SearchBody => ({
  ...COLUMNS_ONLY,
  size: ids.length,
  docvalue_fields: ["id", "revision", ...names],
  query: { bool: { filter: [isIn("id", ids)] } },
  sort: ["_doc"],
})

/** Combines all requests made in one turn of the event loop into one. */
function together<T>(
  ask: (ids: readonly string[], names: readonly string[]) => Promise<ReadonlyMap<string, T>>,
) {
  const ids = new Set<string>()
  const names = new Set<string>()
  let asked: Promise<ReadonlyMap<string, T>> | undefined
  const send = () => {
    const [allIds, allNames] = [[...ids], [...names]]
    asked = undefined
    ids.clear()
    names.clear()
    return ask(allIds, allNames)
  }
  return async (someIds: readonly string[], someNames: readonly string[]) => {
    if (someIds.length === 0) return new Map<string, T>()
    for (const id of someIds) ids.add(id)
    for (const name of someNames) names.add(name)
    asked ??= new Promise((resolve) => setImmediate(() => resolve(send())))
    return await asked
  }
}
