import { type StateStore, transaction } from "#base/store/state-store.ts"
import { isAliveSql } from "./alive.ts"
import { migrateJobs } from "./job-schema.ts"

/** The processes that take jobs, by their signs of life in `state.db`. */
export class CrawlerProcesses {
  readonly #db: StateStore

  constructor(db: StateStore) {
    this.#db = db
    migrateJobs(db)
  }

  /** Whether a crawler process that takes jobs is alive. */
  async hasLiving(): Promise<boolean> {
    return (
      (await this.#db.prepare(`select 1 from crawler_process where ${isAliveSql("?")}`).get(Date.now())) !==
      undefined
    )
  }

  /** Says that the crawler process `pid` is alive. */
  async beat(pid: number): Promise<void> {
    await transaction(this.#db, async () => {
      await this.#db.prepare(`delete from crawler_process where not ${isAliveSql("?")}`).run(Date.now())
      await this.#db
        .prepare(
          "insert into crawler_process values (?, ?) on conflict (pid) do update set beat_at = excluded.beat_at",
        )
        .run(pid, Date.now())
    })
  }

  /** The process `pid` ends. */
  async gone(pid: number): Promise<void> {
    await this.#db.prepare("delete from crawler_process where pid = ?").run(pid)
  }

  /** Forgets all processes, and that any works on a job: the store is a copy, and they were another's. @returns how many jobs ran. */
  async forgetAll(): Promise<number> {
    const { changes } = await this.#db
      .prepare("update job set beat_at = 0, crashes = 0 where state = 'running'")
      .run()
    await this.#db.prepare("delete from crawler_process").run()
    return Number(changes)
  }
}

/** Whether a process takes jobs or works on one, in a store that may be of any version. */
export async function hasLivingProcess(db: StateStore): Promise<boolean> {
  const alive = await db
    .prepare(
      `select 1 from crawler_process where ${isAliveSql("?1")}
       union all select 1 from job where state = 'running' and ${isAliveSql("?1")}`,
    )
    .get(Date.now())
  return alive !== undefined
}
