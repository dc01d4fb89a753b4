import { noteTraceOf } from "#base/telemetry/traces/trace-parents.ts"
import { isLivingSql } from "#base/store/processes/own-process.ts"
import { transaction } from "#base/store/state-store.ts"
import {
  forgetAddresses,
  forgetFailures,
  hasPrunableSql,
  outcomesOf,
  pruneAddresses,
} from "../crawl/frontier/job-addresses.ts"
import { BETWEEN_NOTES, type Job, type JobEvent, type JobState, type Judged } from "../job.ts"
import type { Source } from "../source.ts"
import { isAliveSql } from "./alive.ts"
import { JobRecords } from "./job-records.ts"

/** A job that has taken down its process this often, with no outcome recorded in between, is not tried again. */
const MAX_CRASHES = 5
/** From then on it is run with no other beside it until it records an outcome: others are not to be blamed with it. */
const CRASHES_IN_DOUBT = 2
/** States, as SQL, whose jobs keep nothing of their frontier but what failed. */
const OVER = "'finished', 'failed', 'cancelled'"
/**
 * Of so many runs of a source, the latest that are over, the addresses that failed are kept; of those before, how many there were. A thousand
 * dead links that a site never mends, met each hour, would else leave two million rows in the 90 days of a job.
 */
export const RUNS_WITH_FAILURES = 20
const RUNS_OVER = `from job where source = (select source from job where id = ?1) and state in (${OVER})`
/** Runs of the same source before those, as SQL. */
const EARLIER = `select id ${RUNS_OVER} and id <= (select id ${RUNS_OVER} order by id desc limit 1 offset ${RUNS_WITH_FAILURES})`
const FINE: Judged = { result: "finished", reason: null }

/** Whether the process of a running job is lost, as SQL. A command that crawls by itself is known by its beat alone. */
const LOST = `case when process is null then not ${isAliveSql("cast(unixepoch('subsec') * 1000 as integer)")} else not ${isLivingSql("job.process")} end`

/** Which job is wanted of those that wait. */
export interface JobWish {
  /** Sources whose jobs are not. */
  readonly except?: ReadonlySet<string>
  /** Default: of all jobs. */
  readonly only?: ReadonlySet<number> | undefined
  /** Whether no other job is at work. */
  readonly isAlone?: boolean
}

/** A job that waits. */
export interface WaitingJob {
  readonly id: number
  readonly source: string
  /** Whether it may take its process down, and is to be worked on with no other beside it. */
  readonly isInDoubt: boolean
  readonly isScheduled: boolean
}

/** The crawl jobs in `state.db`, as every process sees them: the queue, and what jobs become. All calls are short. */
export class Jobs extends JobRecords {
  /**
   * Asks for a run of a source. A job of the very same source that is queued, running or paused is returned
   * instead of doubled; a paused one is queued again and goes on where it was.
   *
   * @param options `joins`: any job of the source's name that is queued or running is returned, whatever it was asked to do
   */
  async enqueue(
    source: Source,
    {
      trigger = "command",
      visits = "all",
      author = "operator",
      joins = false,
    }: Partial<Pick<Job, "trigger" | "visits" | "author">> & { readonly joins?: boolean } = {},
  ): Promise<Job> {
    const spec = JSON.stringify(source)
    return await transaction(this.db, async () => {
      const all = await this.open(source.name)
      const busy = joins ? all.find((job) => job.state !== "paused") : undefined
      if (busy) return busy
      // Those of an earlier version are written with fewer fields.
      const open = all.find(
        (job) =>
          job.author === author &&
          JSON.stringify(job.source) === spec &&
          // A run over what failed does not do the work of any other.
          (job.visits !== "failed" || visits === "failed"),
      )
      if (open) {
        await this.#resume(open.id)
        return await this.#must(open.id)
      }
      const row = await this.db
        .prepare(
          `insert into job (source, spec, "trigger", visits, author, state, created_at)
           values (?, ?, ?, ?, ?, 'queued', ?) returning id`,
        )
        .get(source.name, spec, trigger, visits, author, this.clock())
      await noteTraceOf(this.db, Number(row?.["id"]))
      return await this.#must(Number(row?.["id"]))
    })
  }

  /** Ends a job for good; its process finishes the pages in hand. @returns false when it is over already or unknown. */
  async cancel(id: number): Promise<boolean> {
    const cancelled = await this.#ask(id, "cancelled")
    await this.#prune(id)
    return cancelled
  }

  /** Asks a job to stop and keep its frontier. @returns false when it is neither queued nor running. */
  async pause(id: number): Promise<boolean> {
    return await this.#ask(id, "paused")
  }

  /** Queues a paused job again. @returns false when it is not paused. */
  async resume(id: number): Promise<boolean> {
    return await transaction(this.db, () => this.#resume(id))
  }

  /**
   * The job to run next: what somebody waits for before what a schedule asked for, else the oldest. One job of a source
   * at a time, over all processes: not of those in `except`; and of those in `only`, if these are given. One that may take its process down goes first where it is alone, and nowhere else.
   */
  async nextQueued(wish: JobWish = {}): Promise<Job | null> {
    const [row] = await this.#queued("*", wish, 1)
    return row ? await this.jobOf(row) : null
  }

  /** The jobs that {@link nextQueued} would give one after another, `most` at most. */
  async waiting(wish: JobWish, most: number): Promise<WaitingJob[]> {
    return (await this.#queued(`id, source, crashes, "trigger"`, wish, most)).map((row) => ({
      id: Number(row["id"]),
      source: String(row["source"]),
      isInDoubt: Number(row["crashes"]) >= CRASHES_IN_DOUBT,
      isScheduled: row["trigger"] === "schedule",
    }))
  }

  /** Whether a job has taken its process down again and again, as far as is known, and has recorded nothing since. */
  async isInDoubt(id: number): Promise<boolean> {
    const row = await this.db.prepare("select crashes, outcomes_at_crash from job where id = ?").get(id)
    return (
      Number(row?.["crashes"]) >= CRASHES_IN_DOUBT &&
      (await this.#recorded(id)) === row?.["outcomes_at_crash"]
    )
  }

  /** Notes that a running job has nothing but waits, or goes on. */
  async setWaiting(id: number, isWaiting: boolean): Promise<void> {
    await this.db.prepare("update job set waiting = ? where id = ?").run(isWaiting ? 1 : 0, id)
  }

  /** Whether a job is marked as running, by a living process or a lost one. */
  async hasRunning(): Promise<boolean> {
    return (await this.db.prepare("select 1 from job where state = 'running'").get()) !== undefined
  }

  /** The sources of jobs that are marked as running. */
  async sourcesAtWork(): Promise<ReadonlySet<string>> {
    const rows = await this.db.prepare("select distinct source from job where state = 'running'").all()
    return new Set(rows.map(({ source }) => String(source)))
  }

  /** Whether no job waits, and none is at work. */
  async isIdle(): Promise<boolean> {
    return (
      (await this.db
        .prepare(`select 1 from job where state = 'queued' or (state = 'running' and ${isAliveSql("?")})`)
        .get(Date.now())) === undefined
    )
  }

  /**
   * Marks a queued job as running here.
   * @param process id of this one, where others may work on jobs, too
   * @returns null when it is not to be worked on now: somebody cancelled or paused it, or another process has it, or a job of its source
   */
  async start(id: number, process: string | null = null): Promise<Job | null> {
    const { changes } = await this.db
      .prepare(
        `update job set state = 'running', stop = null, error = null, note = null, result = null, reason = null, ended_at = null, beat_at = ?,
         process = ?, started_at = coalesce(started_at, ?)
         where id = ? and state = 'queued'
           and not exists (select 1 from job other where other.source = job.source and other.state = 'running')`,
      )
      .run(Date.now(), process, this.clock(), id)
    if (changes === 0) return null
    await this.log(id, "info", "running")
    return await this.#must(id)
  }

  /**
   * Says that the job is alive, for whoever asks.
   * @returns what it is asked to become, if anything; `lost`: this process was taken for lost, and the job is another's
   */
  async beat(id: number, process: string | null = null): Promise<"paused" | "cancelled" | "lost" | null> {
    await this.db
      .prepare("update job set beat_at = ? where id = ? and process is ?")
      .run(Date.now(), id, process)
    const row = await this.db.prepare("select state, stop, process from job where id = ?").get(id)
    if (row !== undefined && row["process"] !== process) return "lost"
    // One that was silent for a while may have been paused or cancelled as if it had no process.
    const asked = row?.["state"] === "running" ? row["stop"] : row?.["state"]
    return asked === "paused" || asked === "cancelled" ? asked : null
  }

  /**
   * Ends a run. A job that is `paused` or `queued` keeps its frontier, any other keeps its failures only. `judged`: of a
   * run that is `finished`; one that `failed` has its error as its reason. `process`: whose job it has to be; of anybody where left out.
   */
  async end(
    id: number,
    state: "finished" | "failed" | "cancelled" | "paused" | "queued",
    error: string | null = null,
    judged: Judged = FINE,
    process: string | null = null,
  ): Promise<void> {
    if (!(await this.#end(id, state, error, judged, process))) return
    const [level, text] = inWords(state, error, judged)
    await this.log(id, level, text)
    await this.#prune(id)
  }

  /** Leaves word of a job's end for its operator, and in its log. A second one is added to the first. */
  async note(id: number, text: string): Promise<void> {
    await this.db
      .prepare("update job set note = case when note is null then ?2 else note || ?3 || ?2 end where id = ?1")
      .run(id, text, BETWEEN_NOTES)
    await this.log(id, "warn", text)
  }

  /**
   * Forgets jobs that ended before `time` (milliseconds since 1970) with their logs and failures; the last job
   * of each source stays. @returns how many.
   */
  async forget(time: number): Promise<number> {
    const old = await this.db
      .prepare(
        `select id from job where state in (${OVER}) and ended_at < ?
         and id not in (select max(id) from job group by source)`,
      )
      .all(time)
    const job = this.db.prepare("delete from job where id = ?")
    for (const { id } of old) {
      await forgetAddresses(this.db, Number(id))
      await job.run(Number(id))
    }
    return old.length
  }

  /**
   * Queues again what a lost process left as running, or has it become what it was asked to.
   * @param whose `anybody`: nobody else can be at work on a job, since the caller holds the one index for writing; `the-lost`: others may be, and
   *   those are left alone that are not known to be lost
   */
  async recover(whose: "anybody" | "the-lost" = "anybody"): Promise<void> {
    await transaction(this.db, async () => {
      await this.#recover(whose === "anybody" ? "" : `and ${LOST}`)
    })
    const left = await this.db
      .prepare(`select id from job where state in (${OVER}) and ${hasPrunableSql("job.id")}`)
      .all()
    for (const { id } of left) await this.#prune(Number(id))
  }

  /** Whether a lost process left a job as running, where several work on jobs. */
  async hasLost(): Promise<boolean> {
    return (
      (await this.db.prepare(`select 1 from job where state = 'running' and ${LOST}`).get()) !== undefined
    )
  }

  async #recover(condition: string): Promise<void> {
    for (const { id, stop, crashes, waiting, outcomes_at_crash: before } of await this.db
      .prepare(
        `select id, stop, crashes, waiting, outcomes_at_crash from job where state = 'running' ${condition}`,
      )
      .all()) {
      // One that gets on is not one that takes down its process each time; nor is one that only waited.
      const recorded = await this.#recorded(Number(id))
      const counted = waiting === 1 ? 0 : 1
      const inVain = recorded === before ? Number(crashes) + counted : counted
      const isHopeless = inVain >= MAX_CRASHES
      // What it was asked to become it becomes now.
      const state = (stop ?? (isHopeless ? "failed" : "queued")) as JobState
      const error = state === "failed" ? "its process died again and again; the log says more" : null
      await this.db
        .prepare("update job set crashes = ?, outcomes_at_crash = ? where id = ?")
        .run(inVain, recorded, Number(id))
      await this.#end(Number(id), state, error)
      await this.log(Number(id), "warn", `its process was lost: ${state}`)
    }
  }

  async #queued(
    columns: string,
    { except = new Set<string>(), only, isAlone = true }: JobWish,
    most: number,
  ) {
    return await this.db
      .prepare(
        `select ${columns} from job where state = 'queued' and source not in (select value from json_each(?1))
           and source not in (select source from job where state = 'running')
           and (?2 = 1 or crashes < ${CRASHES_IN_DOUBT})
           and (?3 is null or id in (select cast(value as integer) from json_each(?3)))
         order by crashes >= ${CRASHES_IN_DOUBT} desc, "trigger" = 'schedule', id limit ?4`,
      )
      .all(JSON.stringify([...except]), isAlone ? 1 : 0, only ? JSON.stringify([...only]) : null, most)
  }

  /** Outcomes that a job has recorded. */
  async #recorded(id: number): Promise<number> {
    return Object.values(await outcomesOf(this.db, id)).reduce((sum, count) => sum + count, 0)
  }

  /** Has a job become `state`: at once, or by the process that works on it. @returns false when it cannot. */
  async #ask(id: number, state: "paused" | "cancelled"): Promise<boolean> {
    return await transaction(this.db, async () => {
      const job = await this.get(id)
      if (!job || [state, "finished", "failed", "cancelled"].includes(job.state)) return false
      if (job.state === "running") {
        await this.db.prepare("update job set stop = ? where id = ?").run(state, id)
      } else {
        await this.#end(id, state, null)
        await this.log(id, "info", state)
      }
      return true
    })
  }

  async #resume(id: number): Promise<boolean> {
    const { changes } = await this.db
      .prepare(
        "update job set state = 'queued', stop = null, ended_at = null where id = ? and state = 'paused'",
      )
      .run(id)
    if (changes > 0) await this.log(id, "info", "resumed")
    return changes > 0
  }

  /** @returns false, with nothing done, when it is not the job of `process` */
  async #end(
    id: number,
    state: JobState,
    error: string | null,
    judged: Judged = FINE,
    process: string | null = null,
  ): Promise<boolean> {
    const ended = state === "queued" ? null : this.clock()
    const result = state === "finished" ? judged.result : state === "failed" ? state : null
    const reason = state === "finished" ? judged.reason : state === "failed" ? error : null
    const { changes } = await this.db
      .prepare(
        `update job set state = ?1, stop = null, waiting = 0, process = null, error = ?2, result = ?3, reason = ?4, ended_at = ?5
         where id = ?6 and (?7 is null or process = ?7)`,
      )
      .run(state, error, result, reason, ended, id, process)
    return Number(changes) > 0
  }

  async #prune(id: number): Promise<void> {
    await pruneAddresses(this.db, id, `exists (select 1 from job where id = ?1 and state in (${OVER}))`)
    await forgetFailures(this.db, id, EARLIER)
  }

  async #must(id: number): Promise<Job> {
    const job = await this.get(id)
    if (!job) throw new Error(`There is no job ${id}`)
    return job
  }
}

/** The line of the log that says how a run ended. */
function inWords(
  state: JobState,
  error: string | null,
  { result, reason }: Judged,
): [JobEvent["level"], string] {
  if (error !== null) return ["error", `${state}: ${error}`]
  if (state !== "finished" || result === "finished") return ["info", state]
  const level = result === "failed" ? "error" : "warn"
  return [level, `${result.replaceAll("-", " ")}: ${reason ?? "no reason given"}`]
}
