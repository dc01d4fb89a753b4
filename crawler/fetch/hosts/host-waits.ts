import type { OutcomeName } from "../../outcome-name.ts"
import { migrate, type StateStore } from "#base/store/state-store.ts"

const STEPS = [
  `create table host_wait (
     job integer not null, host text not null, until integer not null, outcome text not null,
     why text not null,
     skip integer not null default 0,
     primary key (job, host)
   ) strict, without rowid`,
]

/** A host whose next try a job waits for. */
export interface HostWait {
  /** With its port, where that is not the usual one. */
  readonly host: string
  readonly until: Date
  /** How its last visit would have ended for good. */
  readonly outcome: OutcomeName
  /** Why it brought nothing, in words. */
  readonly why: string
}

export const migrateHostWaits = (db: StateStore): void => {
  migrate(db, "host-waits", STEPS)
}

/** What jobs wait for, in `state.db`, so that every process can show it and have a host skipped. */
export class HostWaits {
  readonly #db: StateStore

  constructor(db: StateStore) {
    this.#db = db
    migrateHostWaits(db)
  }

  /** The hosts that a job waits for now, by name. */
  async of(job: number): Promise<HostWait[]> {
    return (
      await this.#db
        .prepare(
          "select host, until, outcome, why from host_wait where job = ? and skip = 0 and until > ? order by host",
        )
        .all(job, Date.now())
    ).map((row) => ({
      host: String(row["host"]),
      until: new Date(Number(row["until"])),
      outcome: row["outcome"] as OutcomeName,
      why: String(row["why"]),
    }))
  }

  async note(job: number, { host, until, outcome, why }: HostWait): Promise<void> {
    await this.#db
      .prepare(
        `insert into host_wait (job, host, until, outcome, why) values (?, ?, ?, ?, ?)
         on conflict (job, host) do update set until = excluded.until, outcome = excluded.outcome, why = excluded.why`,
      )
      .run(job, host, until.getTime(), outcome, why)
  }

  /** The host answers, or was given up. */
  async forget(job: number, host: string): Promise<void> {
    await this.#db.prepare("delete from host_wait where job = ? and host = ?").run(job, host)
  }

  /** The job is not worked on any longer. */
  async forgetAll(job: number): Promise<void> {
    await this.#db.prepare("delete from host_wait where job = ?").run(job)
  }

  /** Asks for a host to be given up by the process that works on the job. */
  async skip(job: number, host: string): Promise<void> {
    await this.#db
      .prepare(
        `insert into host_wait (job, host, until, outcome, why, skip) values (?, ?, 0, '', '', 1)
         on conflict (job, host) do update set skip = 1`,
      )
      .run(job, host)
  }

  /** Hosts that are to be given up. */
  async skipped(job: number): Promise<string[]> {
    return (await this.#db.prepare("select host from host_wait where job = ? and skip = 1").all(job)).map(
      ({ host }) => String(host),
    )
  }
}
