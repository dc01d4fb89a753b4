import { chmodSync, closeSync, existsSync, openSync, statSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { setImmediate as nextTurn } from "node:timers/promises"
import { makeDataFolder } from "../disk-space.ts"
import { queriesOf } from "./query/queries.ts"
import { SCHEMA_WORDS, type Step } from "./query/schema-words.ts"
import { BUSY_MS, openToRead, useWal } from "./sqlite/busy.ts"
import {
  beginGeneration,
  OtherStateError,
  refuseOtherGeneration,
  versionOf,
  versionsIn,
  type VersionTables,
  versionTable,
} from "./state-generation.ts"
import { IDENTITY_STEPS, noteIdentity } from "./state-identity.ts"
import { SqliteStore } from "./sqlite/sqlite-store.ts"
import { PostgresStore } from "./postgres/postgres-store.ts"
import { stateServer } from "./postgres/state-location.ts"
import { TRUSTED_TIME_STEPS } from "./clock/trusted-time.ts"
import type { StateStore } from "./state-port.ts"
import { refuseUnfinishedRestore } from "./unfinished-restore.ts"

export type { StateStore, Step }

/** Only the appliance's own user may read its files: they contain keys, and pages that require a login. */
const OWN_FOLDER = 0o700
const OWN_FILE = 0o600
/** Lets {@link giveBack} return the space of deleted rows. Has no effect on a file that already has tables. */
export const OF_A_NEW_FILE = "pragma auto_vacuum = incremental"
/** The write-ahead log grows while a reader keeps it open for a long time, and shrinks to this size at the next checkpoint. */
const WAL_BYTES = 16 * 1024 * 1024
/** SQLite's code for a file that can shrink incrementally. */
const INCREMENTAL = 2
/** Share of the file that may stay empty, as room for later writes. */
const LOOSE = 0.25
/** Number of 4 KB file pages below which shrinking is not worth the effort. */
const LEAST_GIVEN_BACK = 256
/** Number of file pages released at a time; other writers wait for a few milliseconds meanwhile. */
const GIVEN_BACK_AT_A_TIME = 128

/**
 * Opens `state.db` in the data folder, creating both if they are missing. The caller closes it.
 * @throws SettingsError if a restore into the folder is unfinished
 * @throws OtherStateError if the state is from a Fossick that is too old or too new for this one to continue from
 */
export async function openStateStore(dataDir: string): Promise<StateStore> {
  refuseUnfinishedRestore(dataDir)
  const server = stateServer(dataDir)
  return server === null ? await openStateFile(dataDir) : await begun(dataDir, new PostgresStore(server))
}

/** Opens `state.db` in the data folder like {@link openStateStore}, even if the settings name a server. */
export async function openStateFile(dataDir: string): Promise<SqliteStore> {
  makeDataFolder(dataDir)
  return await begun(dataDir, new SqliteStore(openFile(dataDir)))
}

/**
 * Opens the state for reading only, whatever its version; null if there is none. The caller closes it.
 * @param waitMs how long to wait for a process that holds the file
 */
export function openStateToRead(dataDir: string, waitMs = BUSY_MS): StateStore | null {
  const server = stateServer(dataDir)
  if (server !== null) return new PostgresStore(server)
  const file = join(dataDir, "state.db")
  return existsSync(file) ? new SqliteStore(openToRead(file, waitMs)) : null
}

/**
 * Checks a `state.db` without changing it.
 * @param backup the file it came from
 * @throws OtherStateError if it is from a Fossick that is too old or too new for this one to continue from
 */
export async function refuseOtherFile(file: string, backup?: string): Promise<void> {
  using db = new SqliteStore(openToRead(file))
  await refuseOtherGeneration(db, backup)
}

/** Whether the state is on a server, where processes on other machines may work on it. */
export const isOnServer = (db: StateStore): db is PostgresStore => db instanceof PostgresStore

const folders = new WeakMap<StateStore, string>()

/** The data folder for which the state was opened; `null` if it was opened only for reading. */
export const dataFolderOf = (db: StateStore): string | null => folders.get(db) ?? null

async function begun<S extends StateStore>(dataDir: string, db: S): Promise<S> {
  makeDataFolder(dataDir)
  folders.set(db, dataDir)
  try {
    await beginState(db)
    await noteIdentity(dataDir, db)
  } catch (error) {
    db.close()
    throw error
  }
  return db
}

function openFile(dataDir: string): DatabaseSync {
  const file = join(dataDir, "state.db")
  // A folder from a clone, or one created by hand, does not yet contain anything that others could have read.
  const isFirst = !existsSync(file)
  // The file is created here, since SQLite would create one that everybody can read. SQLite gives the files beside it
  // the same mode.
  closeSync(openSync(file, "a", OWN_FILE))
  closeToOthers(dataDir, OWN_FOLDER, isFirst)
  for (const end of ["", "-wal", "-shm"]) closeToOthers(file + end, OWN_FILE)
  const db = new DatabaseSync(file, { timeout: BUSY_MS })
  if (statSync(file).size === 0) db.exec(OF_A_NEW_FILE)
  useWal(db)
  db.exec(`pragma synchronous = normal; pragma foreign_keys = on; pragma journal_size_limit = ${WAL_BYTES};`)
  return db
}

/** The table that records which steps each part has run, in SQLite's SQL. */
export const SCHEMA_VERSION = versionTable(SCHEMA_WORDS.sqlite)

async function beginState(db: StateStore): Promise<void> {
  await db.script(versionTable(SCHEMA_WORDS[db.dialect]))
  await beginGeneration(db)
  await refuseOtherGeneration(db)
  // The folder is about to record the id permanently: a power failure must not remove it from the store.
  db.setDurable(true)
  migrate(db, "identity", IDENTITY_STEPS)
  await db.ready()
  db.setDurable(false)
  migrate(db, "trusted-time", TRUSTED_TIME_STEPS)
  await db.ready()
}

/**
 * Tightens permissions that an earlier version or another program left too open, and says so unless `silently`. Files
 * that belong to other users stay unchanged.
 */
function closeToOthers(path: string, mode: number, silently = false): void {
  const found = statSync(path, { throwIfNoEntry: false })
  if (process.platform === "win32" || found === undefined || (found.mode & 0o077) === 0) return
  if (found.uid !== process.getuid?.()) return
  chmodSync(path, mode)
  if (silently) return
  const before = (found.mode & 0o777).toString(8)
  process.stderr.write(
    `${path} was accessible to other users (mode ${before}); now only its owner can access it.\n`,
  )
}

/**
 * Brings the tables of one part (`"jobs"`, `"keys"`) up to date before the store's next statement, by running the steps
 * that this state has not run yet in one transaction. Steps are only ever appended. The migration waits for other
 * processes, even on a store that otherwise never waits. If a newer Fossick wrote the state, later statements fail with
 * OtherStateError.
 */
export function migrate(db: StateStore, part: string, allSteps: readonly Step[]): void {
  const taken = copied.get(db)
  const steps = taken === undefined ? allSteps : allSteps.slice(0, taken.get(part) ?? 0)
  db.first(async () => {
    const seen = async (): Promise<number> => (await versionOf.get(db, { part }))?.version ?? 0
    // Nothing is written unnecessarily, so that reading also works on a full disk.
    if ((await seen()) === steps.length) return
    await db.patiently(() => transaction(db, async () => await takeSteps(db, part, await seen(), steps)))
  })
}

/** Number of steps that each part has run in the original, for each store that is becoming a copy. */
const copied = new WeakMap<StateStore, ReadonlyMap<string, number>>()

/**
 * Creates the tables of another state, with each part at the same step as in that state.
 *
 * @param open opens every part that may be in it
 * @throws OtherStateError if the original has parts or steps that this Fossick does not know
 */
export async function migrateAs(
  db: StateStore,
  original: StateStore,
  open: (db: StateStore) => void,
): Promise<void> {
  const versions = await versionsIn(original)
  copied.set(db, versions)
  try {
    migrate(db, "identity", IDENTITY_STEPS)
    migrate(db, "trusted-time", TRUSTED_TIME_STEPS)
    open(db)
    await db.ready()
  } finally {
    copied.delete(db)
  }
  const taken = await versionsIn(db)
  const unknown = [...versions].filter(([part, version]) => taken.get(part) !== version)
  if (unknown.length > 0)
    throw new OtherStateError(
      `The state is from another version of Fossick: this one does not know ${unknown.map((one) => one.join(" ")).join(", ")}.`,
    )
}

async function takeSteps(
  db: StateStore,
  part: string,
  version: number,
  steps: readonly Step[],
): Promise<void> {
  if (version > steps.length) {
    throw new OtherStateError(
      `state.db was written by a newer Fossick (${part} ${version}, this one knows ${steps.length})`,
    )
  }
  for (const step of steps.slice(version)) {
    await db.script(step(SCHEMA_WORDS[db.dialect]))
    if (db instanceof PostgresStore) await db.keepStep(step(SCHEMA_WORDS.sqlite))
  }
  await queriesOf<VersionTables>(db)
    .insertInto("schema_version")
    .values({ part, version: steps.length })
    .onConflict((conflict) => conflict.column("part").doUpdateSet({ version: steps.length }))
    .execute()
}

/** Runs `work` in one write transaction: it takes effect as a whole, or not at all. `work` must await nothing but the store. */
export async function transaction<T>(db: StateStore, work: () => Promise<T>): Promise<T> {
  return await db.transaction(work)
}

/**
 * Returns the space of deleted rows in `state.db` to the file system, except for a reserve. A file from an older
 * version keeps its length and reuses its empty space; a database server frees space automatically.
 */
export async function giveBack(db: StateStore): Promise<void> {
  if (db.location() === null || (await pragma(db, "auto_vacuum")) !== INCREMENTAL) return
  const free = () => pragma(db, "freelist_count")
  const isLoose = async () =>
    (await free()) > Math.max(LEAST_GIVEN_BACK, (await pragma(db, "page_count")) * LOOSE)
  if (!(await isLoose())) return
  while (await isLoose()) {
    const before = await free()
    await db.script(`pragma incremental_vacuum(${GIVEN_BACK_AT_A_TIME})`)
    if ((await free()) >= before) break
    await nextTurn()
  }
  // The file becomes shorter when the write-ahead log is merged into it.
  await db.script("pragma wal_checkpoint(passive)")
}

const pragma = async (db: StateStore, name: string): Promise<number> =>
  Number(Object.values((await db.native(`pragma ${name}`).ask([])).rows[0] ?? {})[0])
