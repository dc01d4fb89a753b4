import { KnownError } from "../errors.ts"
import { sql } from "kysely"
import { once } from "./query/once.ts"
import { type Queries, queriesOf } from "./query/queries.ts"
import { SCHEMA_WORDS, type Step } from "./query/schema-words.ts"
import { hasTable } from "./rows/tables.ts"
import type { StateStore } from "./state-port.ts"

// One version number for all tables of a state together. The steps of the individual parts bring a state up to date;
// when steps are dropped, this number is raised, and any earlier state is refused as a whole.

/** Raised when a part drops a step that a state in use might not have run. A state without a number is older than any generation. */
export const GENERATION = 2
/** Name of the whole state among the parts in `schema_version`. */
const WHOLE = "state"

/** The steps that each part has run, and the generation of the whole state. */
export interface VersionTables {
  schema_version: { part: string; version: number }
}

export const versionTable: Step = ({ text, integer, strict }) =>
  `create table if not exists schema_version (part ${text} primary key, version ${integer} not null) ${strict}`

/** Number of steps that a part has run; for {@link WHOLE}, the generation. */
export const versionOf = once((queries: Queries<VersionTables>, { part }: { part: string }) =>
  queries.selectFrom("schema_version").select("version").where("part", "=", part),
)

/** Records the generation in a `schema_version` that is still empty. */
export async function beginGeneration(db: StateStore): Promise<void> {
  if (!(await isEmpty(db))) return
  // This is one statement, since another process may be creating the same state.
  const queries = queriesOf<VersionTables>(db)
  await queries
    .insertInto("schema_version")
    .columns(["part", "version"])
    .expression(
      queries
        .selectNoFrom([sql.lit(WHOLE).as("part"), sql.lit(GENERATION).as("version")])
        .where((eb) => eb.not(eb.exists(eb.selectFrom("schema_version").select("part")))),
    )
    .onConflict((conflict) => conflict.column("part").doNothing())
    .execute()
}

/** The generation of a state that is still being copied. Such a state cannot be opened. */
const MOVING = 0

/**
 * Records in a store that a state is being copied into it. It cannot be opened until the generation has been copied as
 * well.
 * @returns false if the store already holds a state
 */
export async function beginMove(db: StateStore): Promise<boolean> {
  await db.script(versionTable(SCHEMA_WORDS[db.dialect]))
  if (!(await isEmpty(db))) return (await versionOf.get(db, { part: WHOLE }))?.version === MOVING
  await queriesOf<VersionTables>(db)
    .insertInto("schema_version")
    .values({ part: WHOLE, version: MOVING })
    .execute()
  return true
}

/** Number of steps that each part has run. */
export async function versionsIn(db: StateStore): Promise<ReadonlyMap<string, number>> {
  const rows = await queriesOf<VersionTables>(db)
    .selectFrom("schema_version")
    .selectAll()
    .where("part", "<>", WHOLE)
    .execute()
  return new Map(rows.map(({ part, version }) => [part, version]))
}

/**
 * Why a state cannot be opened here, and what to do about it, worded for any reader; null if it can be opened, or is
 * still empty.
 * @param backup the backup file that the state came from
 */
export async function otherGeneration(db: StateStore, backup?: string): Promise<string | null> {
  if (!(await hasTable(db, "schema_version")) || (await isEmpty(db))) return null
  const found = (await versionOf.get(db, { part: WHOLE }))?.version ?? 0
  if (found === GENERATION) return null
  const isFile = db.location() !== null
  const name =
    backup !== undefined ? `The state in ${backup}` : isFile ? "state.db" : "The state on the server"
  if (found > GENERATION)
    return `${name} was written by a newer Fossick (generation ${found}, this one knows ${GENERATION}).`
  const older = `${name} is from an older Fossick, and this one cannot upgrade it:`
  const save = "save its sources with `fossick sources export > saved.yaml`"
  const again =
    "start again with saved.yaml as your sources file and create new keys with `fossick keys create`"
  if (backup !== undefined)
    return `${older} unpack the backup into an empty folder with \`tar -xf\`, set FOSSICK_DATA_DIR to that folder, and ${save}. Then set FOSSICK_DATA_DIR to a new folder, import the pages with \`cat index/* | fossick import -\`, and ${again}.`
  const aside = isFile
    ? "move state.db, state.db-wal, state.db-shm and state.id out of the data folder"
    : "set FOSSICK_STATE to an empty schema, move state.id out of the data folder"
  return `${older} ${save}, ${aside}, and ${again}. The index is kept.`
}

/** The state, or a part of it, comes from a Fossick that is too old or too new for this one to continue from. */
export class OtherStateError extends KnownError {}

/** @throws OtherStateError when the state belongs to another generation */
export async function refuseOtherGeneration(db: StateStore, backup?: string): Promise<void> {
  const why = await otherGeneration(db, backup)
  if (why !== null) throw new OtherStateError(why)
}

const isEmpty = async (db: StateStore): Promise<boolean> =>
  (await queriesOf<VersionTables>(db).selectFrom("schema_version").select("part").executeTakeFirst()) ===
  undefined
