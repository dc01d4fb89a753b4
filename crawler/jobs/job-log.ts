import type { Clock } from "#base/clock.ts"
import type { StateStore } from "#base/store/state-store.ts"
import type { JobEvent } from "../job.ts"

/** Lines of its log that a job keeps: the newest. */
const EVENTS_KEPT = 500

/** The logs of jobs, a few hundred lines each. */
export class JobLog {
  readonly #db: StateStore
  readonly #clock: Clock

  /** The table is that of `Jobs`. */
  constructor(db: StateStore, clock: Clock) {
    this.#db = db
    this.#clock = clock
  }

  /** Writes a line into a job's log; the oldest lines make room. */
  async add(id: number, level: JobEvent["level"], text: string): Promise<void> {
    await this.#db
      .prepare("insert into job_event (job, at, level, text) select id, ?, ?, ? from job where id = ?")
      .run(this.#clock(), level, text, id)
    await this.#db
      .prepare(
        `delete from job_event where job = ?1
         and id <= (select id from job_event where job = ?1 order by id desc limit 1 offset ${EVENTS_KEPT})`,
      )
      .run(id)
  }

  /** A job's log, oldest line first: its newest `limit` lines. */
  async events(id: number, limit = EVENTS_KEPT): Promise<JobEvent[]> {
    return (
      await this.#db
        .prepare("select at, level, text from job_event where job = ? order by id desc limit ?")
        .all(id, limit)
    )
      .map((row) => ({
        at: new Date(Number(row["at"])),
        level: row["level"] as JobEvent["level"],
        text: String(row["text"]),
      }))
      .reverse()
  }
}
