import { didYouMean } from "#base/text/near-names.ts"
import { once } from "#base/store/query/once.ts"
import { type Queries, queriesOf } from "#base/store/query/queries.ts"
import { listed } from "#base/store/query/words.ts"
import { migrate, type StateStore, type Step, transaction } from "#base/store/state-store.ts"

/** A named set of sources. */
export interface Collection {
  readonly name: string
  /** Names of sources, at least one, sorted by name. */
  readonly sources: readonly string[]
}

/**
 * The collections of sources that the operator made, in `state.db`. What a key or a sale may see is determined for each
 * call, so that a change takes effect immediately.
 */
export interface Collections {
  list(): Promise<readonly Collection[]>
  /** Creates or replaces a collection. */
  set(name: string, sources: readonly string[]): Promise<void>
  /** Deletes a collection. @returns false when there is no such collection. */
  delete(name: string): Promise<boolean>
  has(name: string): Promise<boolean>
  /** The sources of these collections; an unknown collection has none. */
  sourcesOf(names: readonly string[]): Promise<readonly string[]>
}

interface CollectionTables {
  collection_source: { collection: string; source: string }
}

const STEPS: readonly Step[] = [
  ({ text, keyed }) => `create table collection_source (
     collection ${text} not null,
     source ${text} not null,
     primary key (collection, source)
   ) ${keyed}`,
]

// Statements that run for each search.
const allSources = once((q: Queries<CollectionTables>) =>
  q.selectFrom("collection_source").selectAll().orderBy("collection").orderBy("source"),
)
const sourcesIn = once((q: Queries<CollectionTables>, { name }: { name: string }) =>
  q.selectFrom("collection_source").select("source").where("collection", "=", name).orderBy("source"),
)

/** `There is no collection "staf"; did you mean "staff"?` for the first unknown name; null if all are known. */
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

/** The names whose collections no longer exist. */
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
  const queries = queriesOf<CollectionTables>(db)
  const sourcesOf = async (name: string) => (await sourcesIn.all(db, { name })).map(({ source }) => source)
  return {
    async list() {
      const sets = Map.groupBy(await allSources.all(db, {}), ({ collection }) => collection)
      return Array.from(sets, ([name, set]) => ({ name, sources: set.map(({ source }) => source) }))
    },
    async set(name, sources) {
      // Written in one transaction, so that no call ever sees half a collection.
      await transaction(db, async () => {
        await queries
          .insertInto("collection_source")
          .values(sources.map((source) => ({ collection: name, source })))
          .onConflict((conflict) => conflict.doNothing())
          .execute()
        await queries
          .deleteFrom("collection_source")
          .where("collection", "=", name)
          .where("source", "not in", listed(sources))
          .execute()
      })
    },
    async delete(name) {
      const gone = queries.deleteFrom("collection_source").where("collection", "=", name)
      return (await gone.executeTakeFirst()).numDeletedRows > 0n
    },
    has: async (name) => (await sourcesOf(name)).length > 0,
    sourcesOf: async (names) => [...new Set((await Promise.all(names.map(sourcesOf))).flat())],
  }
}
