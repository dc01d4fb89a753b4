import type { ServerLocation } from "#base/store/postgres/state-location.ts"
import { PostgresError } from "#base/store/postgres/postgres-error.ts"
import { PostgresStore } from "#base/store/postgres/postgres-store.ts"
import { stateServer } from "#base/store/postgres/state-location.ts"
import { hasTable } from "#base/store/rows/tables.ts"
import { livingCrawlers, lostJobs } from "#crawler/jobs/crawler-processes.ts"
import { openStateToRead, type StateStore } from "#base/store/state-store.ts"
import { otherGeneration } from "#base/store/state-generation.ts"
import { stateDamage } from "#base/store/sqlite/rebuild-state.ts"
import { strangeState, STRANGE_STATE_ADVICE } from "#base/store/state-identity.ts"
import { type Check, type Found, note, wrong } from "./check.ts"
import type { DoctorSettings } from "./settings-checks.ts"

const WAIT_MS = 2000
/** PostgreSQL's error code for a table that does not exist. */
const NO_TABLE = "42P01"

/**
 * Opens the state read-only; returns nothing if there is no state. {@link stateCheck} reports an unreachable server
 * once.
 */
export async function ask<Row>(
  dataDir: string,
  query: (db: StateStore) => Promise<readonly Row[]>,
): Promise<readonly Row[]> {
  try {
    using db = openStateToRead(dataDir, WAIT_MS)
    return db === null ? [] : await query(db)
  } catch (error) {
    // A part that was never used has no tables yet.
    if (/no such table/.test((error as Error).message)) return []
    if (error instanceof PostgresError && (error.isUnreachable || error.code === NO_TABLE)) return []
    throw error
  }
}

/** Problems with a readable state; none if `db` is `null`. */
async function findingsOf(dataDir: string, db: StateStore | null): Promise<Found> {
  const other = db && (await otherGeneration(db))
  if (other !== null) return wrong(other, "See docs/upgrade.md.")
  // A state that no appliance has been started with has no id yet; it gets one at the next start.
  if (db !== null && !(await hasTable(db, "state_identity"))) return []
  const strange = await strangeState(dataDir, db)
  return strange !== null && wrong(strange, STRANGE_STATE_ADVICE)
}

/** Problems with the server that holds the state, or with its data. */
async function findingsOfServer(dataDir: string, server: ServerLocation): Promise<Found> {
  try {
    using db = new PostgresStore(server)
    return await findingsOf(dataDir, db)
  } catch (error) {
    return wrong(
      `The state cannot be read: ${(error as Error).message}`,
      "Check that PostgreSQL is running, and that FOSSICK_STATE and FOSSICK_STATE_PASSWORD are right. See docs/use-postgresql.md.",
    )
  }
}

/** Whether an appliance or a crawl is using the data folder. */
export const isRunning = async (dataDir: string): Promise<boolean> => {
  try {
    return (await ask(dataDir, livingCrawlers)).length > 0
  } catch {
    return false
  }
}

export const stateCheck = ({ dataDir }: DoctorSettings): Check => ({
  name: stateServer(dataDir) === null ? "state.db" : "state",
  async run(): Promise<Found> {
    const server = stateServer(dataDir)
    if (server !== null) return await findingsOfServer(dataDir, server)
    const damage = stateDamage(dataDir)
    if (damage.length > 0)
      return damage.map((text) =>
        wrong(
          `state.db is damaged: ${text}.`,
          "fossick doctor --repair rewrites it if all its tables can be read. If not, restore a backup: docs/backup-and-restore.md.",
        ),
      )
    using db = openStateToRead(dataDir, WAIT_MS)
    return await findingsOf(dataDir, db)
  },
})

/** Finds jobs whose process is gone, and processes that have given no sign of life for a long time. */
export const locksCheck = ({ dataDir }: DoctorSettings): Check => ({
  name: "lost processes",
  async run(): Promise<Found> {
    const lost = await ask(dataDir, lostJobs)
    return lost.map(({ id }) =>
      note(
        `The process of job ${id} is gone.`,
        "The job continues at the next start, or with fossick crawl.",
      ),
    )
  },
})
