import type { Clock } from "#base/clock.ts"
import { replaceSql } from "#base/store/state-port.ts"
import { migrate, type StateStore, transaction } from "#base/store/state-store.ts"
import { nextRun, timesAfterRun } from "../../../jobs/tasks/schedule.ts"
import type { BackupPlan } from "../../../backup-plan.ts"
import { dateOrNull } from "#base/store/date-columns.ts"

/** A run that has been silent this long has lost its process. */
const SILENT_MS = 10_000
/** A backup that has taken down its process this often is not tried again until its next time. */
const MAX_CRASHES = 3
/** Runs that are remembered: the newest. */
const RUNS_KEPT = 100

const STEPS = [
  `create table backup_plan (
     id integer primary key check (id = 1), spec text not null, next_run_at integer, last_run_at integer
   ) strict;
   create table backup_run (
     id integer primary key, "trigger" text not null, state text not null, beat_at integer not null default 0,
     crashes integer not null default 0, asked_at integer not null, started_at integer, ended_at integer,
     file text, bytes integer, pages integer, error text, note text
   ) strict;`,
]

/** The run that ended last, for those who read the store without this class. */
export const LAST_ENDED =
  "select state, error from backup_run where ended_at is not null order by id desc limit 1"

/** A trigger that fires when a run is over; `new.id` is its number. The table is made first, by {@link BackupTable}. */
export const backupOverTrigger = (name: string, statement: string): string =>
  `create trigger ${name} after update of state on backup_run
     when new.state in ('finished', 'failed') and old.state <> new.state
     begin ${statement}; end;`

export type BackupState = "queued" | "running" | "finished" | "failed"

/** One backup by the plan: asked for, under way or over. */
export interface BackupRun {
  readonly id: number
  readonly trigger: "schedule" | "command"
  /** One whose process was lost is `queued`: it is begun anew. */
  readonly state: BackupState
  readonly askedAt: Date
  readonly startedAt: Date | null
  readonly endedAt: Date | null
  /** What was written; null until it is whole and checked. */
  readonly file: string | null
  readonly bytes: number | null
  readonly pages: number | null
  /** Why it failed. */
  readonly error: string | null
  /** What else the operator should know. */
  readonly note: string | null
}

export interface StoredPlan {
  readonly plan: BackupPlan
  readonly nextRun: Date | null
  /** When the schedule ran it last. */
  readonly lastRun: Date | null
}

/** The plan for backups and its runs, in `state.db`. All calls are short. */
export class BackupTable {
  readonly #db: StateStore
  readonly #clock: Clock
  readonly #random: () => number

  /** `random`: from 0 to 1, for jitter. */
  constructor(db: StateStore, clock: Clock = Date.now, random: () => number = Math.random) {
    this.#db = db
    this.#clock = clock
    this.#random = random
    migrate(db, "backups", STEPS)
  }

  async plan(): Promise<StoredPlan | null> {
    const row = await this.#db.prepare("select * from backup_plan").get()
    if (!row) return null
    return {
      plan: JSON.parse(String(row["spec"])) as BackupPlan,
      nextRun: dateOrNull(row["next_run_at"]),
      lastRun: dateOrNull(row["last_run_at"]),
    }
  }

  /** Makes this the plan; null: there is none any more. The next run stays, unless the schedule changed. */
  async declare(plan: BackupPlan | null): Promise<void> {
    await transaction(this.#db, async () => {
      if (plan === null) {
        await this.#db.exec("delete from backup_plan; delete from backup_run where state = 'queued'")
        return
      }
      const old = await this.plan()
      const isSame = JSON.stringify(old?.plan.schedule) === JSON.stringify(plan.schedule)
      const last = old?.lastRun?.getTime() ?? null
      const next =
        plan.schedule === null
          ? null
          : isSame && old?.nextRun
            ? old.nextRun.getTime()
            : nextRun(plan.schedule, this.#clock(), last, this.#random)
      await this.#db
        .prepare(replaceSql("backup_plan", ["id", "spec", "next_run_at", "last_run_at"], ["id"]))
        .run(1, JSON.stringify(plan), next, last)
    })
  }

  async keepTimes(nextRunAt: number | null, lastRunAt: number | null): Promise<void> {
    await this.#db
      .prepare("update backup_plan set next_run_at = ?, last_run_at = ?")
      .run(nextRunAt, lastRunAt)
  }

  /** The newest runs, newest first. */
  async runs(limit: number): Promise<BackupRun[]> {
    return (await this.#db.prepare("select * from backup_run order by id desc limit ?").all(limit)).map(
      (row) => runOf(row),
    )
  }

  async get(id: number): Promise<BackupRun | null> {
    const row = await this.#db.prepare("select * from backup_run where id = ?").get(id)
    return row ? runOf(row) : null
  }

  /** The run that waits or is under way. */
  async unfinished(): Promise<BackupRun | null> {
    const row = await this.#db.prepare("select * from backup_run where state in ('queued', 'running')").get()
    return row ? runOf(row) : null
  }

  /** The newest run that ended, or that ended like this. */
  async last(state: "finished" | "failed" | null = null): Promise<BackupRun | null> {
    const row = await this.#db
      .prepare(
        `select * from backup_run where ended_at is not null and (?1 is null or state = ?1) order by id desc limit 1`,
      )
      .get(state)
    return row ? runOf(row) : null
  }

  /** Asks for a run. While one is not over, it is that one. A backup that is due by schedule anyway is this one. */
  async ask(trigger: BackupRun["trigger"]): Promise<BackupRun> {
    return await transaction(this.#db, async () => {
      const unfinished = await this.unfinished()
      if (unfinished) return unfinished
      const stored = trigger === "schedule" ? null : await this.plan()
      const planned = stored?.nextRun?.getTime() ?? null
      const times = timesAfterRun(stored?.plan.schedule ?? null, planned, this.#clock(), this.#random)
      if (times) await this.keepTimes(times.nextRun, times.lastRun)
      const row = await this.#db
        .prepare(`insert into backup_run ("trigger", state, asked_at) values (?, 'queued', ?) returning id`)
        .get(trigger, this.#clock())
      return await this.#must(Number(row?.["id"]))
    })
  }

  /** Whether a run waits, or has lost its process. */
  async hasWork(): Promise<boolean> {
    return (await this.unfinished())?.state === "queued"
  }

  /** The run that waits, marked as running here; null: none. Only the process that holds the lock may call this. */
  async start(): Promise<BackupRun | null> {
    const waiting = await this.unfinished()
    if (waiting?.state !== "queued") return null
    await this.#db
      .prepare(
        "update backup_run set state = 'running', ended_at = null, started_at = ?, beat_at = ? where id = ?",
      )
      .run(this.#clock(), Date.now(), waiting.id)
    return await this.#must(waiting.id)
  }

  /** Says that the run is alive. */
  async beat(id: number): Promise<void> {
    await this.#db.prepare("update backup_run set beat_at = ? where id = ?").run(Date.now(), id)
  }

  /** Notes that the backup due at `due` was left out, since this run is not over. */
  async leaveOut(id: number, due: Date): Promise<void> {
    await this.#db
      .prepare("update backup_run set note = ? where id = ?")
      .run(`the backup due at ${due.toISOString()} was left out, since this one was not over`, id)
  }

  /** Ends a run that made a file. */
  async finish(id: number, made: Pick<BackupRun, "file" | "bytes" | "pages" | "note">): Promise<void> {
    await this.#db
      .prepare(
        `update backup_run set state = 'finished', ended_at = ?, file = ?, bytes = ?, pages = ?, note = coalesce(?, note) where id = ?`,
      )
      .run(this.#clock(), made.file, made.bytes, made.pages, made.note, id)
    await this.#prune()
  }

  async fail(id: number, error: string): Promise<void> {
    await this.#db
      .prepare("update backup_run set state = 'failed', ended_at = ?, error = ? where id = ?")
      .run(this.#clock(), error, id)
    await this.#prune()
  }

  /** Lets a run that was stopped begin anew. */
  async requeue(id: number): Promise<void> {
    await this.#db.prepare("update backup_run set state = 'queued' where id = ?").run(id)
  }

  /**
   * Has a run whose process was lost begin anew, or fail for good. Only the process that holds the lock may call this:
   * while it does, nobody else can be at work on a run.
   * @returns those that failed
   */
  async recover(): Promise<BackupRun[]> {
    return await transaction(this.#db, async () => {
      const lost = await this.#db
        .prepare("update backup_run set crashes = crashes + 1 where state = 'running' returning id, crashes")
        .all()
      for (const { id, crashes } of lost) {
        if (Number(crashes) < MAX_CRASHES) await this.requeue(Number(id))
        else await this.fail(Number(id), "its process died again and again; the log says more")
      }
      const runs = await Promise.all(lost.map(({ id }) => this.#must(Number(id))))
      return runs.filter(({ state }) => state === "failed")
    })
  }

  /** In a restored state: the run under way is the one that made the backup, and is over. */
  async forgetUnfinished(): Promise<void> {
    await this.#db.exec("delete from backup_run where state in ('queued', 'running')")
  }

  async #prune(): Promise<void> {
    await this.#db
      .prepare(
        `delete from backup_run where id <= (select id from backup_run order by id desc limit 1 offset ${RUNS_KEPT})
         and id not in (select max(id) from backup_run group by state)`,
      )
      .run()
  }

  async #must(id: number): Promise<BackupRun> {
    const run = await this.get(id)
    if (!run) throw new Error(`There is no backup ${id}`)
    return run
  }
}

function runOf(row: Record<string, unknown>): BackupRun {
  const isLost = row["state"] === "running" && Math.abs(Date.now() - Number(row["beat_at"])) >= SILENT_MS
  return {
    id: Number(row["id"]),
    trigger: row["trigger"] as BackupRun["trigger"],
    state: isLost ? "queued" : (row["state"] as BackupState),
    askedAt: new Date(Number(row["asked_at"])),
    startedAt: dateOrNull(row["started_at"]),
    endedAt: dateOrNull(row["ended_at"]),
    file: row["file"] as string | null,
    bytes: row["bytes"] as number | null,
    pages: row["pages"] as number | null,
    error: row["error"] as string | null,
    note: row["note"] as string | null,
  }
}
