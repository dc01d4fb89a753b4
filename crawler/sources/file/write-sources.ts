import { queriesOf } from "#base/store/query/queries.ts"
import { hasTable } from "#base/store/rows/tables.ts"
import type { StateStore } from "#base/store/state-store.ts"
import type { SourceTables } from "../source-schema.ts"
import { sourcesYaml } from "./source-yaml.ts"

/**
 * Writes the declared sources of a state as a sources file. Reads only their specs, so that it also works for a state
 * from another version, which nothing else can open.
 */
export async function declaredYaml(db: StateStore): Promise<string> {
  if (!(await hasTable(db, "source"))) return sourcesYaml([])
  const sources = queriesOf<SourceTables>(db).selectFrom("source").select(["name", "spec", "paused"])
  return sourcesYaml(
    (await sources.orderBy("name").execute()).map((row) => ({
      source: JSON.parse(row.spec) as object,
      // Sources files have no field for pausing a source.
      note: row.paused === 1 ? `It was paused: fossick sources pause ${row.name}` : "",
    })),
  )
}
