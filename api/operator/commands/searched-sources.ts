import type { StateStore } from "#base/store/state-store.ts"
import { CommandError } from "#base/run-command.ts"
import { requireSource } from "#crawler/sources/source-names.ts"
import { withState } from "#crawler/commands/with-state.ts"

import { openCollections, unknownCollection } from "../../identity/accounts/reach/collections.ts"

/**
 * The sources that a search on the command line is limited to: the named sources, and the sources of the named
 * collections; undefined for no limit.
 * @throws CommandError for an unknown name
 */
export async function searchedSources(
  sources: readonly string[],
  collections: readonly string[],
): Promise<readonly string[] | undefined> {
  if (sources.length + collections.length === 0) return undefined
  return await withState((db) => namedIn(db, sources, collections))
}

async function namedIn(
  db: StateStore,
  sources: readonly string[],
  named: readonly string[],
): Promise<readonly string[]> {
  for (const name of sources) await requireSource(db, name)
  const collections = openCollections(db)
  const unknown = await unknownCollection(collections, named)
  if (unknown !== null)
    throw new CommandError(`${unknown}\nTo see all collections, run fossick collections list.`)
  return [...new Set([...sources, ...(await collections.sourcesOf(named))])]
}
