import { didYouMean } from "#base/text/near-names.ts"
import { migrate, prepareOnce, type StateStore } from "#base/store/state-store.ts"

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
  list(): readonly Collection[]
  /** Makes or replaces one. */
  set(name: string, sources: readonly string[]): void
  /** @returns false when there is no such collection. */
  delete(name: string): boolean
  has(name: string): boolean
  /** The sources of these collections; one that is not there has none. */
  sourcesOf(names: readonly string[]): readonly string[]
}

const STEPS = [
  `create table collection_source (
     collection text not null,
     source text not null,
     primary key (collection, source)
   ) strict, without rowid`,
]

/** `There is no collection "staf"; did you mean "staff"?` for the first of the names that is none; null: all are there. */
export function unknownCollection(
  collections: Pick<Collections, "has" | "list">,
  names: readonly string[],
): string | null {
  const unknown = names.find((name) => !collections.has(name))
  if (unknown === undefined) return null
  const known = collections.list().map(({ name }) => name)
  return `There is no collection ${JSON.stringify(unknown)}${didYouMean(unknown, known)}`
}

export function openCollections(db: StateStore): Collections {
  migrate(db, "collections", STEPS)
  const prepare = prepareOnce(db)
  const sourcesOf = (name: string) =>
    prepare("select source from collection_source where collection = ? order by source")
      .all(name)
      .map((row) => row["source"] as string)
  return {
    list: () =>
      prepare("select distinct collection from collection_source order by collection")
        .all()
        .map((row) => ({
          name: row["collection"] as string,
          sources: sourcesOf(row["collection"] as string),
        })),
    set(name, sources) {
      // One statement, so that no call ever sees half a collection.
      prepare(
        `insert into collection_source select ?1, value from json_each(?2) where true
         on conflict (collection, source) do nothing`,
      ).run(name, JSON.stringify(sources))
      prepare(
        "delete from collection_source where collection = ?1 and source not in (select value from json_each(?2))",
      ).run(name, JSON.stringify(sources))
    },
    delete: (name) =>
      Number(prepare("delete from collection_source where collection = ?").run(name).changes) > 0,
    has: (name) => sourcesOf(name).length > 0,
    sourcesOf: (names) => [...new Set(names.flatMap(sourcesOf))],
  }
}
