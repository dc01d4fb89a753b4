import { queriesOf } from "#base/store/query/queries.ts"
import type { Clock } from "#base/clock.ts"
import type { StateStore } from "#base/store/state-store.ts"
import type { JobEvent } from "../job.ts"
import type { JobTables } from "./job-schema.ts"

/** Number of lines kept in a job's log: the newest ones. */
const EVENTS_KEPT = 500

/** The logs of jobs, a few hundred lines each. */
export class JobLog {
  readonly #db: StateStore
  readonly #clock: Clock

  /** The table is created by `Jobs`. */
  constructor(db: StateStore, clock: Clock) {
    this.#db = db
    this.#clock = clock
  }

  /** Writes a line to a job's log and drops the oldest lines to make room. */
  async add(id: number, level: JobEvent["level"], text: string): Promise<void> {
    const queries = queriesOf<JobTables>(this.#db)
    await queries
      .insertInto("job_event")
      .columns(["job", "at", "level", "text"])
      .expression((eb) =>
        eb
          .selectFrom("job")
          .select((of) => [
            of.ref("job.id").as("job"),
            of.cast<number>(of.val(this.#clock()), "bigint").as("at"),
            of.val(level).as("level"),
            of.val(text).as("text"),
          ])
          .where("job.id", "=", id),
      )
      .execute()
    await queries
      .deleteFrom("job_event")
      .where("job", "=", id)
      .where("id", "<=", (eb) =>
        eb
          .selectFrom("job_event")
          .select("id")
          .where("job", "=", id)
          .orderBy("id", "desc")
          .limit(1)
          .offset(EVENTS_KEPT),
      )
      .execute()
  }

  /** The newest `limit` lines of a job's log, oldest first. */
  async events(id: number, limit = EVENTS_KEPT): Promise<JobEvent[]> {
    const rows = await queriesOf<JobTables>(this.#db)
      .selectFrom("job_event")
      .select(["at", "level", "text"])
      .where("job", "=", id)
      .orderBy("id", "desc")
      .limit(limit)
      .execute()
    return rows.map(({ at, level, text }) => ({ at: new Date(at), level, text })).reverse()
  }
}
