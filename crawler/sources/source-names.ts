import { hasPages } from "../crawl/frontier/source-pages.ts"
import { hasOpenRun, namesOfRuns } from "../jobs/source-runs.ts"
import { once } from "#base/store/query/once.ts"
import { type Queries, queriesOf } from "#base/store/query/queries.ts"
import { hasTable } from "#base/store/rows/tables.ts"
import type { StateStore } from "#base/store/state-store.ts"
import { CommandError } from "#base/run-command.ts"
import { didYouMean } from "#base/text/near-names.ts"
import type { SourceTables } from "./source-schema.ts"

// The functions below check which tables exist, because commands and tests can be the first to open the store.

const sourcesOf = (db: StateStore) => queriesOf<SourceTables>(db).selectFrom("source").select("name")
/** Built once, since every search asks for these names. */
const declaredRows = once((q: Queries<SourceTables>) => q.selectFrom("source").select("name").orderBy("name"))
const removalsOf = (db: StateStore) =>
  queriesOf<{ removal: { source: string } }>(db).selectFrom("removal").select("source")

/**
 * The names under which pages are, were or will be stored: those of declared sources, of crawls that were never
 * declared, and of deleted sources whose pages can still be restored.
 */
export async function sourceNames(db: StateStore): Promise<readonly string[]> {
  const names = [...(await declaredNames(db)), ...(await namesOfRuns(db))]
  // Removals are kept longer than the source and its runs, so they are searched too.
  const removed = (await hasTable(db, "removal")) ? await removalsOf(db).distinct().execute() : []
  return [...new Set([...names, ...removed.map(({ source }) => source)])]
}

/**
 * The problem with a list of source names, such as `There is no source "dcos"; did you mean "docs"?`; null if there is
 * none. If no source is known at all, as with an index that another machine fills, no name is wrong.
 */
export async function unknownSource(db: StateStore, names: readonly string[]): Promise<string | null> {
  if (names.length === 0) return null
  const known = await sourceNames(db)
  const unknown = known.length === 0 ? undefined : names.find((name) => !known.includes(name))
  return unknown === undefined
    ? null
    : `There is no source ${JSON.stringify(unknown)}${didYouMean(unknown, known)}`
}

/** Rejects an unknown source name in a command. @throws CommandError */
export async function requireSource(db: StateStore, name: string): Promise<void> {
  const unknown = await unknownSource(db, [name])
  if (unknown !== null) throw new CommandError(`${unknown}\nTo see all sources, run fossick sources list.`)
}

/** Whether pages of a source that were removed can be restored. */
export const hasRestorable = async (db: StateStore, name: string): Promise<boolean> =>
  (await hasTable(db, "removal")) &&
  (await removalsOf(db).where("source", "=", name).limit(1).executeTakeFirst()) !== undefined

/** The names of declared sources: the only names that readers see unless they ask for others. */
export const declaredNames = async (db: StateStore): Promise<readonly string[]> =>
  (await hasTable(db, "source")) ? (await declaredRows.all(db, {})).map(({ name }) => name) : []

/** The names that callers may ask for: of declared sources, and of others while they have pages or a run that has not ended. */
export async function findableNames(db: StateStore): Promise<readonly string[]> {
  const declared = new Set(await declaredNames(db))
  const findable: string[] = []
  for (const name of await sourceNames(db))
    if (declared.has(name) || (await isAlive(db, name))) findable.push(name)
  return findable
}

/** Whether a source has pages or an unfinished run. */
const isAlive = async (db: StateStore, name: string): Promise<boolean> =>
  (await hasOpenRun(db, name)) || (await hasPages(db, name))

/** Whether a source is declared under this name. */
export const isDeclared = async (db: StateStore, name: string): Promise<boolean> =>
  (await hasTable(db, "source")) &&
  (await sourcesOf(db).where("name", "=", name).executeTakeFirst()) !== undefined

/** The given names whose sources are no longer declared and have no pages or pending runs. */
export async function goneSources(db: StateStore, names: readonly string[]): Promise<readonly string[]> {
  const known = await sourceNames(db)
  if (known.length === 0) return []
  const gone: string[] = []
  for (const name of names) if (!(await isDeclared(db, name)) && !(await isAlive(db, name))) gone.push(name)
  return gone
}
