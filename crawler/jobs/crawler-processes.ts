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
  hasLiving(): boolean {
    return (
      this.#db.prepare(`select 1 from crawler_process where ${isAliveSql("?")}`).get(Date.now()) !== undefined
    )
  }

  /** Says that the crawler process `pid` is alive. */
  beat(pid: number): void {
    transaction(this.#db, () => {
      this.#db.prepare(`delete from crawler_process where not ${isAliveSql("?")}`).run(Date.now())
      this.#db
        .prepare(
          "insert into crawler_process values (?, ?) on conflict (pid) do update set beat_at = excluded.beat_at",
        )
        .run(pid, Date.now())
    })
  }

  /** The process `pid` ends. */
  gone(pid: number): void {
    this.#db.prepare("delete from crawler_process where pid = ?").run(pid)
  }

  /** Forgets all processes, and that any works on a job: the store is a copy, and they were another's. @returns how many jobs ran. */
  forgetAll(): number {
    const { changes } = this.#db
      .prepare("update job set beat_at = 0, crashes = 0 where state = 'running'")
      .run()
    this.#db.prepare("delete from crawler_process").run()
    return Number(changes)
  }
}

/** Whether a process takes jobs or works on one, in a store that may be of any version. */
export function hasLivingProcess(db: StateStore): boolean {
  const alive = db
    .prepare(
      `select 1 from crawler_process where ${isAliveSql("?1")}
       union all select 1 from job where state = 'running' and ${isAliveSql("?1")}`,
    )
    .get(Date.now())
  return alive !== undefined
}
