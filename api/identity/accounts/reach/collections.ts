import { didYouMean } from "#base/text/near-names.ts"
import { migrate, prepareOnce, type StateStore, transaction } from "#base/store/state-store.ts"

/** A named set of sources. */
export interface Collection {
  readonly name: string
  /** Names of sources, at least one, by name. */
  readonly sources: readonly string[]
}

/**
 * The collections of sources that the operator made, in `state.db`. What a key or a sale may see is worked out anew
 * with each call, so that a change counts at once.
 */
export interface Collections {
  list(): Promise<readonly Collection[]>
  /** Makes or replaces one. */
  set(name: string, sources: readonly string[]): Promise<void>
  /** @returns false when there is no such collection. */
  delete(name: string): Promise<boolean>
  has(name: string): Promise<boolean>
  /** The sources of these collections; one that is not there has none. */
  sourcesOf(names: readonly string[]): Promise<readonly string[]>
}

const STEPS = [
  `create table collection_source (
     collection text not null,
     source text not null,
     primary key (collection, source)
   ) strict, without rowid`,
]

/** `There is no collection "staf"; did you mean "staff"?` for the first of the names that is none; null: all are there. */
export async function unknownCollection(
  collections: Pick<Collections, "has" | "list">,
  names: readonly string[],
): Promise<string | null> {
  for (const name of names) {
    if (await collections.has(name)) continue
    const known = (await collections.list()).map((one) => one.name)
    return `There is no collection ${JSON.stringify(name)}${didYouMean(name, known)}`
  }
  return null
}

/** Those of the names that are no collections any more. */
export async function goneCollections(
  collections: Pick<Collections, "list">,
  names: readonly string[],
): Promise<readonly string[]> {
  if (names.length === 0) return []
  const known = new Set((await collections.list()).map(({ name }) => name))
  return names.filter((name) => !known.has(name))
}

export function openCollections(db: StateStore): Collections {
  migrate(db, "collections", STEPS)
  const prepare = prepareOnce(db)
  const sourcesOf = async (name: string) =>
    (
      await prepare("select source from collection_source where collection = ? order by source").all(name)
    ).map((row) => row["source"] as string)
  return {
    async list() {
      const rows = await prepare(
        "select collection, source from collection_source order by collection, source",
      ).all()
      const sets = new Map<string, string[]>()
      for (const row of rows) {
        const name = row["collection"] as string
        const sources = sets.get(name) ?? []
        sources.push(row["source"] as string)
        sets.set(name, sources)
      }
      return Array.from(sets, ([name, sources]) => ({ name, sources }))
    },
    async set(name, sources) {
      // Together, so that no call ever sees half a collection.
      await transaction(db, async () => {
        await prepare(
          `insert into collection_source select ?1, value from json_each(?2) where true
           on conflict (collection, source) do nothing`,
        ).run(name, JSON.stringify(sources))
        await prepare(
          "delete from collection_source where collection = ?1 and source not in (select value from json_each(?2))",
        ).run(name, JSON.stringify(sources))
      })
    },
    delete: async (name) =>
      Number((await prepare("delete from collection_source where collection = ?").run(name)).changes) > 0,
    has: async (name) => (await sourcesOf(name)).length > 0,
    sourcesOf: async (names) => [...new Set((await Promise.all(names.map(sourcesOf))).flat())],
  }
}
