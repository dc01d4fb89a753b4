import { KnownError } from "../errors.ts"
import { hasTable } from "./rows/tables.ts"
import type { StateStore } from "./state-port.ts"

// One number for all tables of a state together. Steps of single parts bring a state up to date; where such steps are
// dropped, this number is raised, and a state from before is refused as a whole.

/** Raised when a part drops a step that a state in use may not have taken. A state without a number is older than all of them. */
export const GENERATION = 2
/** In `schema_version`, among the parts. */
const WHOLE = "state"

/** Notes the generation in a `schema_version` that holds nothing yet. */
export async function beginGeneration(db: StateStore): Promise<void> {
  if (!(await isEmpty(db))) return
  // One statement, since another process may begin the same state.
  await db
    .prepare(
      `insert into schema_version (part, version) select '${WHOLE}', ${GENERATION}
     where not exists (select 1 from schema_version) on conflict (part) do nothing`,
    )
    .run()
}

/**
 * Why a state is not opened here, and what to do, for anybody to read; null: it may be opened, or holds nothing yet.
 * @param backup the file that the state came out of
 */
export async function otherGeneration(db: StateStore, backup?: string): Promise<string | null> {
  if (!(await hasTable(db, "schema_version")) || (await isEmpty(db))) return null
  const row = await db.prepare("select version from schema_version where part = ?").get(WHOLE)
  const found = Number(row?.["version"] ?? 0)
  if (found === GENERATION) return null
  const isFile = db.location() !== null
  const name =
    backup !== undefined ? `The state in ${backup}` : isFile ? "state.db" : "The state on the server"
  if (found > GENERATION)
    return `${name} was written by a newer Fossick (generation ${found}, this one knows ${GENERATION}).`
  const older = `${name} is from an older Fossick, and this one cannot take it over:`
  const save = "save its sources with `fossick sources export > saved.yaml`"
  const again =
    "start again with saved.yaml as your file of sources; you make new keys with `fossick keys create`"
  if (backup !== undefined)
    return `${older} unpack it into an empty folder with \`tar -xf\`, name that in FOSSICK_DATA_DIR, ${save}, then name a new folder, bring the pages there with \`cat index/* | fossick import -\`, and ${again}.`
  const aside = isFile
    ? "move state.db, state.db-wal, state.db-shm and state.id out of the data folder"
    : "name an empty schema in FOSSICK_STATE, move state.id out of the data folder"
  return `${older} ${save}, ${aside}, and ${again}, and the index stays.`
}

/** A state, or a part of it, that is of an older or newer Fossick than this one can take over from. */
export class OtherStateError extends KnownError {}

/** @throws OtherStateError when the state is of another generation */
export async function refuseOtherGeneration(db: StateStore, backup?: string): Promise<void> {
  const why = await otherGeneration(db, backup)
  if (why !== null) throw new OtherStateError(why)
}

const isEmpty = async (db: StateStore): Promise<boolean> =>
  (await db.prepare("select 1 from schema_version limit 1").get()) === undefined
