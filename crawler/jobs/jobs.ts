import { type Expression, expressionBuilder, sql, type SqlBool, type UpdateObject } from "kysely"
import { noteTraceOf } from "#base/telemetry/traces/trace-parents.ts"
import { isLiving } from "#base/store/processes/own-process.ts"
import { listed, listedNumbers, storeTime } from "#base/store/query/words.ts"
import { transaction } from "#base/store/state-store.ts"
import { forgetAddresses, hasPrunable, outcomesOf, pruneAddresses } from "../crawl/frontier/job-addresses.ts"
import {
  BETWEEN_NOTES,
  isOver,
  type Job,
  type JobEvent,
  type JobState,
  type Judged,
  OVER_STATES,
} from "../job.ts"
import type { Source } from "../source.ts"
import { isAlive } from "./alive.ts"
import { JobRecords } from "./job-records.ts"
import type { JobTables } from "./job-schema.ts"

/** Number of crashes in a row, with no outcome recorded in between, after which a job is not tried again. */
const MAX_CRASHES = 5
/** Number of crashes after which a job runs alone until it records an outcome, so that other jobs are not blamed along with it. */
const CRASHES_IN_DOUBT = 2
/**
 * Number of a source's most recently ended runs whose failed addresses are kept; for earlier runs only their number is
 * kept. Otherwise, with hourly runs, a thousand dead links that a site never fixes would leave two million rows in the
 * 90 days for which a job is kept.
 */
export const RUNS_WITH_FAILURES = 20
const FINE: Judged = { result: "finished", reason: null }

/** Whether the process of a running job is lost. If a command does the crawl, its process only sends heartbeats. */
const isLost = () =>
  sql<SqlBool>`case when process is null then not ${isAlive(storeTime())} else not ${isLiving(sql.ref("job.process"))} end`

/** Selects the waiting jobs to choose from. */
export interface JobWish {
  /** Sources whose jobs are left out. */
  readonly except?: ReadonlySet<string>
  /** The jobs to choose from. Default: all jobs. */
  readonly only?: ReadonlySet<number> | undefined
  /** Whether no other job is running. */
  readonly isAlone?: boolean
}

/** A job that is waiting. */
export interface WaitingJob {
  readonly id: number
  readonly source: string
  /** Whether the job might crash its process, and has to run alone. */
  readonly isInDoubt: boolean
  readonly isScheduled: boolean
}

/** The crawl jobs in `state.db`, shared by all processes: the queue, and the jobs' states. All calls are short. */
export class Jobs extends JobRecords {
  /**
   * Requests a run of a source. If an identical job for the same source is queued, running or paused, that job is
   * returned instead; a paused job is queued again and continues where it stopped.
   *
   * @param options `joins`: any queued or running job for a source with this name is returned, whatever it was asked to
   * do
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
      // Earlier versions stored sources with fewer fields.
      const open = all.find(
        (job) =>
          job.author === author &&
          JSON.stringify(job.source) === spec &&
          // A run over failed addresses can replace only another such run.
          (job.visits !== "failed" || visits === "failed"),
      )
      if (open) {
        await this.#resume(open.id)
        return await this.#must(open.id)
      }
      const { id } = await this.queries
        .insertInto("job")
        .values({
          source: source.name,
          spec,
          trigger,
          visits,
          author,
          state: "queued",
          created_at: this.clock(),
        })
        .returning("id")
        .executeTakeFirstOrThrow()
      await noteTraceOf(this.db, id)
      return await this.#must(id)
    })
  }

  /**
   * Ends a job for good; its process finishes the current pages. @returns false when the job has already ended or is
   * unknown.
   */
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
   * The job to run next: jobs that a user is waiting for come before scheduled ones; within each group, the oldest
   * comes first. Only one job of a source runs at a time, across all processes. Jobs of sources in `except` are left
   * out; `only`, if given, limits the choice. A job that might crash its process goes first if it can run alone, and
   * otherwise does not run.
   */
  async nextQueued(wish: JobWish = {}): Promise<Job | null> {
    const row = await this.#queued(wish, 1).selectAll().executeTakeFirst()
    return row ? await this.jobOf(row) : null
  }

  /** The jobs that {@link nextQueued} would return one after another, up to `most` of them. */
  async waiting(wish: JobWish, most: number): Promise<WaitingJob[]> {
    const rows = await this.#queued(wish, most).select(["id", "source", "crashes", "trigger"]).execute()
    return rows.map(({ id, source, crashes, trigger }) => ({
      id,
      source,
      isInDoubt: crashes >= CRASHES_IN_DOUBT,
      isScheduled: trigger === "schedule",
    }))
  }

  /** Whether a job has crashed its process repeatedly and has recorded nothing since. */
  async isInDoubt(id: number): Promise<boolean> {
    const row = await this.queries
      .selectFrom("job")
      .select(["crashes", "outcomes_at_crash"])
      .where("id", "=", id)
      .executeTakeFirst()
    return (
      row !== undefined &&
      row.crashes >= CRASHES_IN_DOUBT &&
      (await this.#recorded(id)) === row.outcomes_at_crash
    )
  }

  /** Records that a running job can only wait, or that it is continuing. */
  async setWaiting(id: number, isWaiting: boolean): Promise<void> {
    await this.#set(id, { waiting: isWaiting ? 1 : 0 })
  }

  /** Whether a job is marked as running, by a live process or a lost one. */
  async hasRunning(): Promise<boolean> {
    return (await this.#running().select("id").executeTakeFirst()) !== undefined
  }

  /** The sources of jobs that are marked as running. */
  async sourcesAtWork(): Promise<ReadonlySet<string>> {
    const rows = await this.#running().select("source").distinct().execute()
    return new Set(rows.map(({ source }) => source))
  }

  /** Whether no job is waiting or running. */
  async isIdle(): Promise<boolean> {
    const busy = await this.queries
      .selectFrom("job")
      .select("id")
      .where((eb) =>
        eb.or([eb("state", "=", "queued"), eb.and([eb("state", "=", "running"), isAlive(Date.now())])]),
      )
      .executeTakeFirst()
    return busy === undefined
  }

  /**
   * Marks a queued job as running in this process.
   * @param process id of this process, if other processes may also work on jobs
   * @returns null when the job must not run now: it was cancelled or paused, or another process has this job or another
   * job of the same source
   */
  async start(id: number, process: string | null = null): Promise<Job | null> {
    const { numUpdatedRows } = await this.queries
      .updateTable("job")
      .set((eb) => ({
        state: "running",
        stop: null,
        error: null,
        note: null,
        result: null,
        reason: null,
        ended_at: null,
        beat_at: Date.now(),
        process,
        started_at: eb.fn.coalesce("started_at", eb.val(this.clock())),
      }))
      .where("id", "=", id)
      .where("state", "=", "queued")
      .where((eb) =>
        eb.not(
          eb.exists(
            eb
              .selectFrom("job as other")
              .select("other.id")
              .whereRef("other.source", "=", "job.source")
              .where("other.state", "=", "running"),
          ),
        ),
      )
      .executeTakeFirst()
    if (numUpdatedRows === 0n) return null
    await this.log(id, "info", "running")
    return await this.#must(id)
  }

  /**
   * Records a heartbeat of the job.
   * @returns the state that the job is asked to take, if any; `lost`: this process was considered lost, and the job
   * belongs to another
   */
  async beat(id: number, process: string | null = null): Promise<"paused" | "cancelled" | "lost" | null> {
    await this.queries
      .updateTable("job")
      .set({ beat_at: Date.now() })
      .where("id", "=", id)
      .where("process", "is not distinct from", process)
      .execute()
    const row = await this.queries
      .selectFrom("job")
      .select(["state", "stop", "process"])
      .where("id", "=", id)
      .executeTakeFirst()
    if (row !== undefined && row.process !== process) return "lost"
    // A job without heartbeats for a while may have been paused or cancelled as if it had no process.
    const asked = row?.state === "running" ? row.stop : row?.state
    return asked === "paused" || asked === "cancelled" ? asked : null
  }

  /**
   * Ends a run. A job that is `paused` or `queued` keeps its frontier; any other job keeps only its failures. `judged`:
   * the result of a `finished` run; the reason for a `failed` one is its error. `process`: the process that must own
   * the job; if left out, any process may own it.
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

  /** Adds a note for the operator about how the job ended, to the job and to its log. A second note is appended to the first. */
  async note(id: number, text: string): Promise<void> {
    await this.#set(id, {
      note: sql<string>`case when note is null then ${text} else note || ${BETWEEN_NOTES + text} end`,
    })
    await this.log(id, "warn", text)
  }

  /**
   * Forgets jobs that ended before `time` (milliseconds since 1970), together with their logs and failures; the last
   * job of each source is kept. @returns how many were forgotten.
   */
  async forget(time: number): Promise<number> {
    const old = await this.queries
      .selectFrom("job")
      .select("id")
      .where("state", "in", OVER_STATES)
      .where("ended_at", "<", time)
      .where("id", "not in", (eb) =>
        eb
          .selectFrom("job")
          .select((of) => of.fn.max("id").as("id"))
          .groupBy("source"),
      )
      .execute()
    for (const { id } of old) {
      await forgetAddresses(this.db, this.queries.selectFrom("job").select("id").where("id", "=", id))
      await this.queries.deleteFrom("job").where("id", "=", id).execute()
    }
    return old.length
  }

  /**
   * Returns the jobs that a lost process left marked as running to the queue, or puts them into the state that was
   * requested for them.
   * @param whose `anybody`: no other process can be working on a job, since the caller holds the one index for writing;
   * `the-lost`: other processes might be, so jobs are left alone unless their process is known to be lost
   */
  async recover(whose: "anybody" | "the-lost" = "anybody"): Promise<void> {
    await transaction(this.db, async () => {
      await this.#recover(whose === "anybody" ? sql.lit(true) : isLost())
    })
    const left = await this.queries
      .selectFrom("job")
      .select("id")
      .where("state", "in", OVER_STATES)
      .where((eb) => hasPrunable(eb.ref("job.id")))
      .execute()
    for (const { id } of left) await this.#prune(id)
  }

  /** Whether a lost process left a job marked as running, if several processes work on jobs. */
  async hasLost(): Promise<boolean> {
    return (await this.#running().select("id").where(isLost()).executeTakeFirst()) !== undefined
  }

  async #recover(condition: Expression<SqlBool>): Promise<void> {
    const rows = await this.#running()
      .select(["id", "stop", "crashes", "waiting", "outcomes_at_crash"])
      .where(condition)
      .execute()
    for (const { id, stop, crashes, waiting, outcomes_at_crash: before } of rows) {
      // Not every loss counts as a crash: if a job made progress, it does not crash its process each time, and if it
      // was only waiting, it did not cause the crash.
      const recorded = await this.#recorded(id)
      const counted = waiting === 1 ? 0 : 1
      const inVain = recorded === before ? crashes + counted : counted
      const isHopeless = inVain >= MAX_CRASHES
      // A state that was requested takes effect now.
      const state = stop ?? (isHopeless ? "failed" : "queued")
      const error = state === "failed" ? "its process crashed repeatedly; see the log" : null
      await this.#set(id, { crashes: inVain, outcomes_at_crash: recorded })
      await this.#end(id, state, error)
      await this.log(id, "warn", `its process was lost: ${state}`)
    }
  }

  #running() {
    return this.queries.selectFrom("job").where("state", "=", "running")
  }

  async #set(id: number, values: UpdateObject<JobTables, "job">): Promise<void> {
    await this.queries.updateTable("job").set(values).where("id", "=", id).execute()
  }

  /** A query for the jobs that {@link nextQueued} chooses from, in the order in which it chooses them. */
  #queued({ except = new Set<string>(), only, isAlone = true }: JobWish, most: number) {
    let query = this.queries
      .selectFrom("job")
      .where("state", "=", "queued")
      .where("source", "not in", listed(except))
      .where("source", "not in", this.#running().select("source"))
    if (!isAlone) query = query.where("crashes", "<", CRASHES_IN_DOUBT)
    if (only !== undefined) query = query.where("id", "in", listedNumbers(only))
    return query
      .orderBy((eb) => eb("crashes", ">=", sql.lit(CRASHES_IN_DOUBT)), "desc")
      .orderBy((eb) => eb("trigger", "=", sql.lit("schedule" as const)))
      .orderBy("id")
      .limit(most)
  }

  /** The number of outcomes that a job has recorded. */
  async #recorded(id: number): Promise<number> {
    return Object.values(await outcomesOf(this.db, id)).reduce((sum, count) => sum + count, 0)
  }

  /** Puts a job into `state`, either at once or by asking the process that is working on it. @returns false when the job cannot change to that state. */
  async #ask(id: number, state: "paused" | "cancelled"): Promise<boolean> {
    return await transaction(this.db, async () => {
      const job = await this.get(id)
      if (!job || job.state === state || isOver(job.state)) return false
      if (job.state === "running") {
        await this.#set(id, { stop: state })
      } else {
        await this.#end(id, state, null)
        await this.log(id, "info", state)
      }
      return true
    })
  }

  async #resume(id: number): Promise<boolean> {
    const { numUpdatedRows } = await this.queries
      .updateTable("job")
      .set({ state: "queued", stop: null, ended_at: null })
      .where("id", "=", id)
      .where("state", "=", "paused")
      .executeTakeFirst()
    if (numUpdatedRows === 0n) return false
    await this.log(id, "info", "resumed")
    return true
  }

  /** @returns false, without changing anything, when the job does not belong to `process` */
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
    let query = this.queries
      .updateTable("job")
      .set({ state, stop: null, waiting: 0, process: null, error, result, reason, ended_at: ended })
      .where("id", "=", id)
    if (process !== null) query = query.where("process", "=", process)
    return (await query.executeTakeFirst()).numUpdatedRows > 0n
  }

  async #prune(id: number): Promise<void> {
    const over = this.queries.selectFrom("job").select("id").where("state", "in", OVER_STATES)
    await pruneAddresses(this.db, id, expressionBuilder().exists(over.where("id", "=", id)))
    const ofSource = over.where("source", "=", (eb) =>
      eb.selectFrom("job").select("source").where("id", "=", id),
    )
    // Runs of the source before the latest RUNS_WITH_FAILURES.
    const earlier = ofSource.where(
      "id",
      "<=",
      ofSource.orderBy("id", "desc").limit(1).offset(RUNS_WITH_FAILURES),
    )
    await forgetAddresses(this.db, earlier)
  }

  async #must(id: number): Promise<Job> {
    const job = await this.get(id)
    if (!job) throw new Error(`There is no job ${id}`)
    return job
  }
}

/** The log line that says how a run ended. */
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
