import type { ConstructorOptions, Job, PgBoss } from "pg-boss"
import { repeat } from "#base/flow/repeat.ts"
import { hidden } from "#base/telemetry/log/hidden.ts"
import { steadyNow } from "#base/steady-time.ts"
import type { ServerLocation } from "#base/store/postgres/state-location.ts"
import { PostgresError } from "#base/store/postgres/postgres-error.ts"
import { withPassword } from "#base/store/postgres/state-location.ts"
import type { Jobs, JobWish, WaitingJob } from "../jobs.ts"
import type { JobQueue } from "./job-queue.ts"

const QUEUE = "crawl"
/** Seconds without a heartbeat after which a process has lost its jobs, provided that all other processes are sending theirs (own-process.ts). */
const HEARTBEAT_S = 15
const HEART_MS = 5000
/** Maximum number of jobs announced at a time. Others wait in the table. */
const OFFERED = 100
/**
 * How long until an available job is announced again, in case another process removed it; this happens sooner if no
 * other job is available.
 */
const OFFER_MS = 10_000
/** A job is started as soon as it is taken. If it has not started within this time, its process gave it up without saying so. */
const PUT_DOWN_MS = 1000
/** Time limit for connecting, the same as for the state itself. Crawls that are under way do not wait for the connection. */
const CONNECT_MS = 3000
const QUERY_MS = 20_000

/** Priorities: jobs that need an idle process come first, then jobs that a user is waiting for, then scheduled jobs. */
const IN_DOUBT = 2
const ASKED_FOR = 1
const SCHEDULED = 0

interface Given {
  readonly job: number
}

export interface BossQueueOptions {
  readonly jobs: Jobs
  readonly location: ServerLocation
  /** Called once with the reason why no job can be taken; the queue tries again. */
  readonly onProblem: (error: Error) => void
  /** Time between heartbeats. */
  readonly heartMs?: number
}

/**
 * Jobs handed out by pg-boss, whose tables are in a schema beside that of the state. A process that looks for work
 * announces the jobs waiting in the table to pg-boss. Their ids are derived from the jobs' numbers, so announcing them
 * repeatedly does no harm. pg-boss accepts one job of a source at a time, so that jobs that cannot begin do not block
 * others.
 */
export class BossQueue implements JobQueue {
  readonly #jobs: Jobs
  readonly #location: ServerLocation
  readonly #onProblem: (error: Error) => void
  #boss: Promise<PgBoss> | null = null
  #isAway = false
  readonly #beats: AsyncDisposable
  readonly #held = new Set<number>()
  /** When jobs were announced, on the steady clock. */
  readonly #offered = new Map<number, number>()
  /** Handed-out jobs that block others, and when this process first noticed each. */
  readonly #seen = new Map<string, number>()

  constructor({ jobs, location, onProblem, heartMs = HEART_MS }: BossQueueOptions) {
    this.#jobs = jobs
    this.#location = location
    this.#onProblem = onProblem
    this.#beats = repeat(() => this.#beat(), heartMs, { keepsAlive: false })
  }

  async take(wish: JobWish = {}): Promise<number | null> {
    const waiting = await this.#jobs.waiting(wish, OFFERED)
    if (waiting.length === 0) return null
    return await this.#unlessAway(async (boss) => {
      await this.#offer(boss, waiting)
      const id = await this.#fetch(boss, wish, waiting)
      if (id !== null) return id
      await this.#recover(boss, waiting)
      this.#offered.clear()
      await this.#offer(boss, waiting)
      return await this.#fetch(boss, wish, waiting)
    })
  }

  async done(id: number): Promise<void> {
    this.#held.delete(id)
    this.#offered.delete(id)
    // If this fails, the only effect is that the job gets no more heartbeats.
    await this.#calmly((boss) => boss.deleteJob(QUEUE, idOf(id)))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#beats[Symbol.asyncDispose]()
    await Promise.all([...this.#held].map((id) => this.done(id)))
    const boss = await this.#boss?.catch(() => null)
    await boss?.stop({ graceful: false }).catch(() => undefined)
  }

  /**
   * Announces waiting jobs, only the first of each source. A job that is already announced is left as it is, and a job
   * is not accepted while another job of its source is announced.
   */
  async #offer(boss: PgBoss, waiting: readonly WaitingJob[]): Promise<void> {
    const now = steadyNow()
    const first = new Map(waiting.toReversed().map((job) => [job.source, job]))
    const fresh = waiting.filter(
      (job) => first.get(job.source) === job && now - (this.#offered.get(job.id) ?? -Infinity) >= OFFER_MS,
    )
    if (fresh.length === 0) return
    const ids = new Set(waiting.map(({ id }) => id))
    for (const id of this.#offered.keys()) if (!ids.has(id)) this.#offered.delete(id)
    for (const { id } of fresh) this.#offered.set(id, now)
    await boss.insert(
      QUEUE,
      fresh.map(({ id, source, isInDoubt, isScheduled }) => ({
        id: idOf(id),
        data: { job: id } satisfies Given,
        singletonKey: source,
        priority: isInDoubt ? IN_DOUBT : isScheduled ? SCHEDULED : ASKED_FOR,
      })),
    )
  }

  /** @param waiting the jobs waiting now */
  async #fetch(boss: PgBoss, wish: JobWish, waiting: readonly WaitingJob[]): Promise<number | null> {
    const { isAlone = true } = wish
    for (let tries = 0; tries < OFFERED; tries += 1) {
      const [given]: Job<Given>[] = await boss.fetch<Given>(QUEUE, {
        ...(!isAlone && { maxPriority: ASKED_FOR }),
      })
      if (given === undefined) return null
      const { job } = given.data
      const only = new Set([job])
      const isWanted = async () =>
        (await this.#jobs.waiting({ ...wish, only: wish.only?.intersection(only) ?? only }, 1)).length > 0
      if (waiting.some(({ id }) => id === job) || (await isWanted())) {
        this.#held.add(job)
        this.#offered.delete(job)
        return job
      }
      // The job goes back to the queue if it is still waiting, because another process may want it, or this one may in
      // a moment; otherwise it is deleted.
      if ((await this.#jobs.waiting({ only }, 1)).length > 0) await boss.fail(QUEUE, given.id)
      else await boss.deleteJob(QUEUE, given.id)
    }
    return null
  }

  /**
   * Removes a handed-out job that blocks waiting jobs of its source. Either pg-boss considers it handed out although
   * the table says otherwise, because its process was lost (the table knows this sooner than the heartbeat shows it),
   * or pg-boss has finished with it.
   */
  async #recover(boss: PgBoss, waiting: readonly WaitingJob[]): Promise<void> {
    const now = steadyNow()
    const sources = new Set(waiting.map(({ source }) => source))
    const before = new Map(this.#seen)
    this.#seen.clear()
    const dead: string[] = []
    for (const { id, singletonKey, state, startedOn } of await boss.findJobs<Given>(QUEUE)) {
      if (state === "created" || state === "retry" || !sources.has(singletonKey ?? "")) continue
      // A job that was taken starts in a moment; until then the table still lists it as waiting.
      const key = `${id} ${startedOn?.getTime()}`
      const since = before.get(key) ?? now
      if (state === "active" && now - since < PUT_DOWN_MS) this.#seen.set(key, since)
      else dead.push(id)
    }
    if (dead.length > 0) await boss.deleteJob(QUEUE, dead)
  }

  /** Sends a heartbeat for the running jobs, and has jobs handed out again if their process sends no heartbeats. */
  async #beat(): Promise<void> {
    if (this.#boss === null) return
    await this.#calmly(async (boss) => {
      if (this.#held.size > 0) await boss.touch(QUEUE, [...this.#held].map(idOf))
      await boss.supervise(QUEUE)
    })
  }

  /** Does work that can be done later if it fails now. */
  async #calmly(work: (boss: PgBoss) => Promise<unknown>): Promise<void> {
    await this.#unlessAway(work).catch(this.#onProblem)
  }

  /** @returns the result of `work`; null when the server cannot be reached, which may be temporary */
  async #unlessAway<T>(work: (boss: PgBoss) => Promise<T>): Promise<T | null> {
    try {
      const result = await work(await (this.#boss ??= this.#start()))
      this.#isAway = false
      return result
    } catch (error) {
      const problem = this.#told(error)
      if (!problem.isUnreachable) throw problem.message === (error as Error).message ? error : problem
      this.#tell(problem)
      return null
    }
  }

  async #start(): Promise<PgBoss> {
    // pg-boss is loaded only when a job is waiting.
    const { PgBoss } = await import("pg-boss")
    const options: ConstructorOptions & { readonly query_timeout: number; readonly keepAlive: boolean } = {
      connectionString: withPassword(this.#location),
      schema: bossSchema(this.#location),
      application_name: "fossick",
      max: 2,
      connectionTimeoutMillis: CONNECT_MS,
      query_timeout: QUERY_MS,
      keepAlive: true,
      // We don't use pg-boss's schedules, and we decide ourselves when it checks the queue.
      schedule: false,
      supervise: false,
      monitorIntervalSeconds: 1,
      monitorVacuum: false,
    }
    const boss = new PgBoss(options)
    // This event only means that an idle connection was lost; code that needs a connection gets the error from its own
    // call.
    boss.on("error", () => undefined)
    try {
      await boss.start()
      await boss.createQueue(QUEUE, {
        // At most one job per source, whether waiting or running.
        policy: "exclusive",
        heartbeatSeconds: HEARTBEAT_S,
        // The number of retries is practically unlimited, because the table decides when a job is given up.
        retryLimit: 1_000_000,
        retryDelay: 1,
        // The maximum that pg-boss allows. A run that takes longer stays with its process, as the table records.
        expireInSeconds: 86_000,
      })
      return boss
    } catch (error) {
      this.#boss = null
      await boss.stop({ graceful: false }).catch(() => undefined)
      throw error
    }
  }

  /** The error from a server, or from a pooler in front of it, without the password that its message may contain. */
  #told(error: unknown): PostgresError {
    if (error instanceof PostgresError) return error
    const { message, code = "" } = error as { message: string; code?: string }
    const said = hidden(message, [this.#location.password])
    // Node's own codes are left out, because they indicate mistakes in the program.
    return new PostgresError({ message: said, code: code.startsWith("ERR_") ? "" : code })
  }

  #tell(problem: PostgresError): void {
    if (!this.#isAway) this.#onProblem(problem)
    this.#isAway = true
  }
}

/** A separate schema beside the state's, whose tables have the same names. */
const bossSchema = ({ schema }: ServerLocation): string => `${schema}_queue`

/** The id of a job in pg-boss, which only accepts UUIDs. */
const idOf = (job: number): string => `00000000-0000-4000-8000-${job.toString(16).padStart(12, "0")}`
