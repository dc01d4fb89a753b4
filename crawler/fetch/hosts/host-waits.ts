import type { OutcomeName } from "../../outcome-name.ts"
import type { Generated } from "kysely"
import { type Queries, queriesOf } from "#base/store/query/queries.ts"
import { migrate, type StateStore, type Step } from "#base/store/state-store.ts"

interface WaitTables {
  /** `outcome` is empty for a host that is listed only because it is to be skipped. */
  host_wait: {
    job: number
    host: string
    until: number
    outcome: OutcomeName | ""
    why: string
    skip: Generated<number>
  }
}

const STEPS: readonly Step[] = [
  ({ integer, text, keyed }) =>
    `create table host_wait (
     job ${integer} not null, host ${text} not null, until ${integer} not null, outcome ${text} not null,
     why ${text} not null,
     skip ${integer} not null default 0,
     primary key (job, host)
   ) ${keyed}`,
]

/** A host that a job is waiting to try again. */
export interface HostWait {
  /** The host with its port, unless that is the default port. */
  readonly host: string
  readonly until: Date
  /** The outcome of the last visit to the host if the host isn't tried again. */
  readonly outcome: OutcomeName
  /** Why the visit failed, in words. */
  readonly why: string
}

export const migrateHostWaits = (db: StateStore): void => {
  migrate(db, "host-waits", STEPS)
}

/** The hosts that jobs are waiting for, in `state.db`, so that every process can list them and have a host skipped. */
export class HostWaits {
  readonly #queries: Queries<WaitTables>

  constructor(db: StateStore) {
    this.#queries = queriesOf(db)
    migrateHostWaits(db)
  }

  /** The hosts that a job is waiting for now, sorted by name. */
  async of(job: number): Promise<HostWait[]> {
    const rows = await this.#queries
      .selectFrom("host_wait")
      .select(["host", "until", "outcome", "why"])
      .where("job", "=", job)
      .where("skip", "=", 0)
      .where("until", ">", Date.now())
      .orderBy("host")
      .$narrowType<{ outcome: OutcomeName }>()
      .execute()
    return rows.map((row) => ({ ...row, until: new Date(row.until) }))
  }

  async note(job: number, { host, until, outcome, why }: HostWait): Promise<void> {
    const noted = { until: until.getTime(), outcome, why }
    await this.#queries
      .insertInto("host_wait")
      .values({ job, host, ...noted })
      .onConflict((conflict) => conflict.columns(["job", "host"]).doUpdateSet(noted))
      .execute()
  }

  /** Must be called when the host responds, or was abandoned. */
  async forget(job: number, host: string): Promise<void> {
    await this.#queries.deleteFrom("host_wait").where("job", "=", job).where("host", "=", host).execute()
  }

  /** Must be called when the job is no longer being worked on. */
  async forgetAll(job: number): Promise<void> {
    await this.#queries.deleteFrom("host_wait").where("job", "=", job).execute()
  }

  /** Asks the process that works on the job to give up on a host. */
  async skip(job: number, host: string): Promise<void> {
    await this.#queries
      .insertInto("host_wait")
      .values({ job, host, until: 0, outcome: "", why: "", skip: 1 })
      .onConflict((conflict) => conflict.columns(["job", "host"]).doUpdateSet({ skip: 1 }))
      .execute()
  }

  /** The hosts that a job should give up on. */
  async skipped(job: number): Promise<string[]> {
    const asked = this.#queries.selectFrom("host_wait").select("host").where("job", "=", job)
    return (await asked.where("skip", "=", 1).execute()).map(({ host }) => host)
  }
}
