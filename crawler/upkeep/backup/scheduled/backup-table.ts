import { type Generated, type Selectable, type Updateable } from "kysely"
import type { Clock } from "#base/clock.ts"
import { type Queries, queriesOf } from "#base/store/query/queries.ts"
import type { SchemaWords } from "#base/store/query/schema-words.ts"
import { migrate, type StateStore, type Step, transaction } from "#base/store/state-store.ts"
import { nextRun, timesAfterRun } from "../../../jobs/tasks/schedule.ts"
import type { BackupPlan } from "../../../backup-plan.ts"
import { dateOrNull } from "#base/store/date-columns.ts"

/** A run that has been silent this long has lost its process. */
const SILENT_MS = 10_000
/** A backup that has crashed its process this many times isn't tried again until its next scheduled time. */
const MAX_CRASHES = 3
/** The number of newest runs to keep. */
const RUNS_KEPT = 100

interface BackupTables {
  backup_plan: { id: number; spec: string; next_run_at: number | null; last_run_at: number | null }
  backup_run: {
    id: Generated<number>
    trigger: "schedule" | "command"
    state: BackupState
    beat_at: Generated<number>
    crashes: Generated<number>
    asked_at: number
    started_at: Generated<number | null>
    ended_at: Generated<number | null>
    file: Generated<string | null>
    bytes: Generated<number | null>
    pages: Generated<number | null>
    error: Generated<string | null>
    note: Generated<string | null>
  }
}
type RunRow = BackupTables["backup_run"]

const STEPS: readonly Step[] = [
  ({ id, integer, text, strict }) =>
    `create table backup_plan (
     id ${id} check (id = 1), spec ${text} not null, next_run_at ${integer}, last_run_at ${integer}
   ) ${strict};
   create table backup_run (
     id ${id}, "trigger" ${text} not null, state ${text} not null, beat_at ${integer} not null default 0,
     crashes ${integer} not null default 0, asked_at ${integer} not null, started_at ${integer}, ended_at ${integer},
     file ${text}, bytes ${integer}, pages ${integer}, error ${text}, note ${text}
   ) ${strict};`,
]

/** The last run that ended, for code that reads the store without this class. */
export const lastEnded = (db: StateStore): Promise<Pick<Selectable<RunRow>, "state" | "error">[]> =>
  queriesOf<BackupTables>(db)
    .selectFrom("backup_run")
    .select(["state", "error"])
    .where("ended_at", "is not", null)
    .orderBy("id", "desc")
    .limit(1)
    .execute()

/** A trigger that fires when a run is over; `new.id` is its number. {@link BackupTable} must have created the table first. */
export const backupOverTrigger = ({ trigger }: SchemaWords, name: string, statement: string): string =>
  trigger({
    name,
    on: "update of state",
    table: "backup_run",
    when: "new.state in ('finished', 'failed') and old.state <> new.state",
    does: [statement],
  })

export type BackupState = "queued" | "running" | "finished" | "failed"
const UNFINISHED = ["queued", "running"] as const

/** One scheduled or requested backup: queued, running or finished. */
export interface BackupRun {
  readonly id: number
  readonly trigger: "schedule" | "command"
  /** If its process was lost, a run is `queued`, so that it is started again. */
  readonly state: BackupState
  readonly askedAt: Date
  readonly startedAt: Date | null
  readonly endedAt: Date | null
  /** The backup file; `null` until it is complete and checked. */
  readonly file: string | null
  readonly bytes: number | null
  readonly pages: number | null
  /** Why the run failed. */
  readonly error: string | null
  /** Other notes for the operator. */
  readonly note: string | null
}

export interface StoredPlan {
  readonly plan: BackupPlan
  readonly nextRun: Date | null
  /** When a backup last ran on the plan's schedule. */
  readonly lastRun: Date | null
}

/** The backup plan and its runs, in `state.db`. All calls are short. */
export class BackupTable {
  readonly #db: StateStore
  readonly #queries: Queries<BackupTables>
  readonly #clock: Clock
  readonly #random: () => number

  /** `random`: from 0 to 1, for jitter. */
  constructor(db: StateStore, clock: Clock = Date.now, random: () => number = Math.random) {
    this.#db = db
    this.#queries = queriesOf(db)
    this.#clock = clock
    this.#random = random
    migrate(db, "backups", STEPS)
  }

  async plan(): Promise<StoredPlan | null> {
    const row = await this.#queries.selectFrom("backup_plan").selectAll().executeTakeFirst()
    if (!row) return null
    return {
      plan: JSON.parse(row.spec) as BackupPlan,
      nextRun: dateOrNull(row.next_run_at),
      lastRun: dateOrNull(row.last_run_at),
    }
  }

  /** Sets the plan, or removes it if `null`. The time of the next run is kept, unless the schedule changed. */
  async declare(plan: BackupPlan | null): Promise<void> {
    await transaction(this.#db, async () => {
      if (plan === null) {
        await this.#queries.deleteFrom("backup_plan").execute()
        await this.#queries.deleteFrom("backup_run").where("state", "=", "queued").execute()
        return
      }
      const old = await this.plan()
      const isSame = JSON.stringify(old?.plan.schedule) === JSON.stringify(plan.schedule)
      const last = old?.lastRun?.getTime() ?? null
      const next_run_at =
        plan.schedule === null
          ? null
          : isSame && old?.nextRun
            ? old.nextRun.getTime()
            : nextRun(plan.schedule, this.#clock(), last, this.#random)
      const declared = { spec: JSON.stringify(plan), next_run_at, last_run_at: last }
      await this.#queries
        .insertInto("backup_plan")
        .values({ id: 1, ...declared })
        .onConflict((conflict) => conflict.column("id").doUpdateSet(declared))
        .execute()
    })
  }

  async keepTimes(nextRunAt: number | null, lastRunAt: number | null): Promise<void> {
    const times = { next_run_at: nextRunAt, last_run_at: lastRunAt }
    await this.#queries.updateTable("backup_plan").set(times).execute()
  }

  /** The newest runs, newest first. */
  async runs(limit: number): Promise<BackupRun[]> {
    return (await this.#runs().orderBy("id", "desc").limit(limit).execute()).map(runOf)
  }

  async get(id: number): Promise<BackupRun | null> {
    return runOrNull(await this.#runs().where("id", "=", id).executeTakeFirst())
  }

  /** The run that is queued or running. */
  async unfinished(): Promise<BackupRun | null> {
    return runOrNull(await this.#runs().where("state", "in", UNFINISHED).executeTakeFirst())
  }

  /** The newest run that ended, optionally in the given state. */
  async last(state: "finished" | "failed" | null = null): Promise<BackupRun | null> {
    const ended = this.#runs().where("ended_at", "is not", null).orderBy("id", "desc").limit(1)
    return runOrNull(await (state === null ? ended : ended.where("state", "=", state)).executeTakeFirst())
  }

  /** Requests a run, or returns the one that is unfinished. If a backup is due by schedule anyway, this run replaces the scheduled one. */
  async ask(trigger: BackupRun["trigger"]): Promise<BackupRun> {
    return await transaction(this.#db, async () => {
      const unfinished = await this.unfinished()
      if (unfinished) return unfinished
      const stored = trigger === "schedule" ? null : await this.plan()
      const planned = stored?.nextRun?.getTime() ?? null
      const times = timesAfterRun(stored?.plan.schedule ?? null, planned, this.#clock(), this.#random)
      if (times) await this.keepTimes(times.nextRun, times.lastRun)
      const row = await this.#queries
        .insertInto("backup_run")
        .values({ trigger, state: "queued", asked_at: this.#clock() })
        .returningAll()
        .executeTakeFirstOrThrow()
      return runOf(row)
    })
  }

  /** Whether there is a queued run or one that has lost its process. */
  async hasWork(): Promise<boolean> {
    return (await this.unfinished())?.state === "queued"
  }

  /** Marks the queued run as running here and returns it; returns `null` if there is none. Only the process that holds the lock may call this. */
  async start(): Promise<BackupRun | null> {
    const waiting = await this.unfinished()
    if (waiting?.state !== "queued") return null
    const times = { ended_at: null, started_at: this.#clock(), beat_at: Date.now() }
    await this.#update(waiting.id, { state: "running", ...times })
    return await this.#must(waiting.id)
  }

  /** Records that the run is alive. */
  async beat(id: number): Promise<void> {
    await this.#update(id, { beat_at: Date.now() })
  }

  /** Records that the backup due at `due` was skipped because this run hadn't ended. */
  async leaveOut(id: number, due: Date): Promise<void> {
    const note = `the backup due at ${due.toISOString()} was skipped, because this one was still running`
    await this.#update(id, { note })
  }

  /** Ends a run that produced a file. */
  async finish(id: number, made: Pick<BackupRun, "file" | "bytes" | "pages" | "note">): Promise<void> {
    const { file, bytes, pages, note } = made
    const ended_at = this.#clock()
    await this.#update(id, { state: "finished", ended_at, file, bytes, pages, note: note ?? undefined })
    await this.#prune()
  }

  async fail(id: number, error: string): Promise<void> {
    await this.#update(id, { state: "failed", ended_at: this.#clock(), error })
    await this.#prune()
  }

  /** Allows a stopped run to start again. */
  async requeue(id: number): Promise<void> {
    await this.#update(id, { state: "queued" })
  }

  /**
   * Requeues a run whose process was lost, or marks it as failed for good. Only the process that holds the lock may
   * call this: while it holds the lock, no other process can be working on a run.
   * @returns the runs that failed
   */
  async recover(): Promise<BackupRun[]> {
    return await transaction(this.#db, async () => {
      const lost = await this.#queries
        .updateTable("backup_run")
        .set((eb) => ({ crashes: eb("crashes", "+", 1) }))
        .where("state", "=", "running")
        .returning(["id", "crashes"])
        .execute()
      for (const { id, crashes } of lost) {
        if (crashes < MAX_CRASHES) await this.requeue(id)
        else await this.fail(id, "its process crashed repeatedly; see the log")
      }
      const runs = await Promise.all(lost.map(({ id }) => this.#must(id)))
      return runs.filter(({ state }) => state === "failed")
    })
  }

  /** Deletes the unfinished run of a restored state: that run made the backup, and is over. */
  async forgetUnfinished(): Promise<void> {
    await this.#queries.deleteFrom("backup_run").where("state", "in", UNFINISHED).execute()
  }

  async #prune(): Promise<void> {
    const runs = this.#queries.selectFrom("backup_run")
    await this.#queries
      .deleteFrom("backup_run")
      .where("id", "<=", runs.select("id").orderBy("id", "desc").limit(1).offset(RUNS_KEPT))
      .where("id", "not in", runs.select((eb) => eb.fn.max("id").as("id")).groupBy("state"))
      .execute()
  }

  #runs() {
    return this.#queries.selectFrom("backup_run").selectAll()
  }

  async #update(id: number, columns: Updateable<RunRow>): Promise<void> {
    await this.#queries.updateTable("backup_run").set(columns).where("id", "=", id).execute()
  }

  async #must(id: number): Promise<BackupRun> {
    const run = await this.get(id)
    if (!run) throw new Error(`There is no backup ${id}`)
    return run
  }
}

const runOrNull = (row: Selectable<RunRow> | undefined): BackupRun | null => (row ? runOf(row) : null)

function runOf(row: Selectable<RunRow>): BackupRun {
  const { id, trigger, file, bytes, pages, error, note } = row
  const isLost = row.state === "running" && Math.abs(Date.now() - row.beat_at) >= SILENT_MS
  return {
    id,
    trigger,
    state: isLost ? "queued" : row.state,
    askedAt: new Date(row.asked_at),
    startedAt: dateOrNull(row.started_at),
    endedAt: dateOrNull(row.ended_at),
    file,
    bytes,
    pages,
    error,
    note,
  }
}
