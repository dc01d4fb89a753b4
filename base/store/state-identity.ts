import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from "node:fs"
import { join } from "node:path"

import { queriesOf } from "./query/queries.ts"
import type { Step } from "./query/schema-words.ts"
import type { StateDialect, StateStore } from "./state-port.ts"

// Each state.db has an id, and the data folder records the id of the state.db that it was created with. This
// distinguishes a folder that lost its state.db from one at its first start, and from one that only had an index
// imported into it.

/** File in the data folder with the id of the state.db that belongs there, and an explanation of the file. */
export const STATE_ID = "state.id"

interface IdentityTables {
  state_identity: { id: string; begun_at: string }
}

const TODAY: Readonly<Record<StateDialect, string>> = {
  sqlite: "strftime('%Y-%m-%d', 'now')",
  postgres: "to_char(clock_timestamp() at time zone 'utc', 'YYYY-MM-DD')",
}

export const IDENTITY_STEPS: readonly Step[] = [
  ({ dialect, text, strict, randomHex }) =>
    `create table state_identity (id ${text} not null, begun_at ${text} not null) ${strict};
     insert into state_identity values (${randomHex}, ${TODAY[dialect]})`,
]

const WHAT_IT_IS = `
The state.db with this id belongs to this folder. With this file, Fossick notices when state.db is missing or was replaced.
To continue with the existing state.db, remove this file.
`

/** Records the id of the state store in a folder that has none recorded. */
export async function noteIdentity(dataDir: string, db: StateStore): Promise<void> {
  if (notedId(dataDir) !== null) return
  const file = join(dataDir, STATE_ID)
  // The name is unique to this process, since another process may be doing the same.
  const draft = `${file}.${process.pid}.new`
  const handle = openSync(draft, "w", 0o600)
  try {
    writeSync(handle, `${(await identityOf(db)).id}\n${WHAT_IT_IS}`)
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
  renameSync(draft, file)
}

/**
 * The problem if the state store is not the one that its folder was created with, worded for any reader; null if it is.
 *
 * @param db `null` if there is no state.db
 */
export async function strangeState(dataDir: string, db: StateStore | null): Promise<string | null> {
  const noted = notedId(dataDir)
  if (noted === null) return null
  if (db === null)
    return "state.db is missing from the data folder, with the API keys, sources, jobs and usage in it."
  const { id, begunAt } = await identityOf(db)
  return id === noted
    ? null
    : `state.db is not the one that this data folder was created with: that one was lost or replaced. This one, created on ${begunAt}, has none of the earlier API keys, sources, jobs and usage.`
}

/** How to resolve {@link strangeState}. */
export const STRANGE_STATE_ADVICE = `To get them back, stop Fossick and restore a backup (fossick restore). To continue with a new state.db, remove the file ${STATE_ID} in the data folder.`

async function identityOf(db: StateStore): Promise<{ readonly id: string; readonly begunAt: string }> {
  const row = await queriesOf<IdentityTables>(db)
    .selectFrom("state_identity")
    .selectAll()
    .executeTakeFirstOrThrow()
  return { id: row.id, begunAt: row.begun_at }
}

/** The recorded id; `null` if none is recorded, or a power failure left nothing to read. */
function notedId(dataDir: string): string | null {
  try {
    return /^[0-9a-f]{32}(?=\n)/.exec(readFileSync(join(dataDir, STATE_ID), "utf8"))?.[0] ?? null
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null
    throw error
  }
}
