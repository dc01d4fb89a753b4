import { queriesOf } from "#base/store/query/queries.ts"
import type { StateStore } from "#base/store/state-store.ts"
import { HANDBOOK_SOURCE } from "../handbook-source.ts"
import { knownRuns } from "../jobs/source-runs.ts"
import type { Source } from "../source.ts"
import { declaredNames } from "./source-names.ts"
import type { SourceTables } from "./source-schema.ts"

/** A crawl without a declaration, such as a crawl that was started by hand, or a crawl of a source that was deleted but whose pages were kept. */
export interface OneOff {
  /** The source as last crawled. */
  readonly source: Source
  readonly spec: Source
  readonly origin: "one-off"
  readonly paused: false
  /** When the crawl's first recorded run was requested. */
  readonly createdAt: Date
  /** When the crawl's last run was requested. */
  readonly updatedAt: Date
  readonly nextRun: null
}

/**
 * One-off crawls by name. The handbook is left out, and so are deleted names until they run again.
 * @param name if given, only the crawl with this name is returned
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
