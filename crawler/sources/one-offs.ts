import { queriesOf } from "#base/store/query/queries.ts"
import type { StateStore } from "#base/store/state-store.ts"
import { HANDBOOK_SOURCE } from "../handbook-source.ts"
import { knownRuns } from "../jobs/source-runs.ts"
import type { Source } from "../source.ts"
import { declaredNames } from "./source-names.ts"
import type { SourceTables } from "./source-schema.ts"

/** A crawl that is declared nowhere, such as one by hand, or a source that is deleted and left pages. */
export interface OneOff {
  /** As it was crawled last. */
  readonly source: Source
  readonly spec: Source
  readonly origin: "one-off"
  readonly paused: false
  /** When its first run was asked for that is still known. */
  readonly createdAt: Date
  /** When its last run was asked for. */
  readonly updatedAt: Date
  readonly nextRun: null
}

/**
 * One-off crawls by name. Left out are the handbook and names that were deleted, until they run again.
 * @param name only this one
 */
export async function oneOffs(db: StateStore, name: string | null = null): Promise<OneOff[]> {
  const declared = new Set(await declaredNames(db))
  const gone = await queriesOf<SourceTables>(db).selectFrom("deleted_source").selectAll().execute()
  const deleted = new Map(gone.map(({ name: of, last_job }) => [of, last_job]))
  return (await knownRuns(db, name))
    .filter(
      ({ id, source }) =>
        source.name !== HANDBOOK_SOURCE && !declared.has(source.name) && id > (deleted.get(source.name) ?? 0),
    )
    .map(({ source, firstAt, lastAt }) => ({
      source,
      spec: source,
      origin: "one-off",
      paused: false,
      createdAt: firstAt,
      updatedAt: lastAt,
      nextRun: null,
    }))
}
