import { engineSettings } from "#engine/settings.ts"
import { queriesOf } from "#base/store/query/queries.ts"
import { hasTable } from "#base/store/rows/tables.ts"
import { environment, readSettings } from "#base/settings.ts"
import { openStateToRead } from "#base/store/state-store.ts"
import type { ReadersTables } from "./readers-schema.ts"

/** The sources in the state whose pages are not readable by everybody; for read-only commands. */
export async function closedSources(): Promise<readonly string[]> {
  using db = openStateToRead(readSettings(engineSettings, environment()).dataDir)
  if (db === null || !(await hasTable(db, "source_readers"))) return []
  const rows = await queriesOf<ReadersTables>(db).selectFrom("source_readers").select("source").execute()
  return rows.map(({ source }) => source)
}
