import { type StateStore, transaction } from "#base/store/state-store.ts"
import { queriesOf } from "#base/store/query/queries.ts"
import { isAlive } from "./alive.ts"
import { type JobTables, migrateJobs } from "./job-schema.ts"

/** The processes that take jobs, tracked by their heartbeats in `state.db`. */
export class CrawlerProcesses {
  readonly #db: StateStore

  constructor(db: StateStore) {
    this.#db = db
    migrateJobs(db)
  }

  /** Whether a crawler process that takes jobs is alive. */
  async hasLiving(): Promise<boolean> {
    return (await livingCrawlers(this.#db)).length > 0
  }

  /** Records that the crawler process `pid` is alive. */
  async beat(pid: number): Promise<void> {
    const queries = queriesOf<JobTables>(this.#db)
    const now = Date.now()
    await transaction(this.#db, async () => {
      await queries
        .deleteFrom("crawler_process")
        .where((eb) => eb.not(isAlive(now)))
        .execute()
      await queries
        .insertInto("crawler_process")
        .values({ pid, beat_at: now })
        .onConflict((conflict) => conflict.column("pid").doUpdateSet({ beat_at: now }))
        .execute()
    })
  }

  /** Records that the process `pid` is ending. */
  async gone(pid: number): Promise<void> {
    await queriesOf<JobTables>(this.#db).deleteFrom("crawler_process").where("pid", "=", pid).execute()
  }

  /**
   * Forgets all processes, and that any of them is working on a job. Called when the store is a copy, because the
   * processes belonged to the original. @returns how many jobs were running.
   */
  async forgetAll(): Promise<number> {
    const queries = queriesOf<JobTables>(this.#db)
    const { numUpdatedRows } = await queries
      .updateTable("job")
      .set({ beat_at: 0, crashes: 0 })
      .where("state", "=", "running")
      .executeTakeFirst()
    await queries.deleteFrom("crawler_process").execute()
    return Number(numUpdatedRows)
  }
}

/** Finds the processes that take jobs, in a store of any version. */
export const livingCrawlers = (db: StateStore): Promise<{ pid: number }[]> =>
  queriesOf<JobTables>(db).selectFrom("crawler_process").select("pid").where(isAlive(Date.now())).execute()

/** Finds the running jobs whose process is gone, in a store of any version. */
export const lostJobs = (db: StateStore): Promise<{ id: number }[]> =>
  queriesOf<JobTables>(db)
    .selectFrom("job")
    .select("id")
    .where("state", "=", "running")
    .where((eb) => eb.not(isAlive(Date.now())))
    .execute()

/** Whether any process takes jobs or is working on one, in a store of any version. */
export async function hasLivingProcess(db: StateStore): Promise<boolean> {
  const now = Date.now()
  const queries = queriesOf<JobTables>(db)
  const alive = await queries
    .selectFrom("crawler_process")
    .select("pid as id")
    .where(isAlive(now))
    .unionAll(queries.selectFrom("job").select("id").where("state", "=", "running").where(isAlive(now)))
    .executeTakeFirst()
  return alive !== undefined
}
