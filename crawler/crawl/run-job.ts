import { traceOf } from "#base/telemetry/traces/trace-parents.ts"
import { traced } from "#base/telemetry/traces/tracing.ts"
import { AlertBook } from "../reporting/alerts/alert-book.ts"
import { repeat } from "#base/flow/repeat.ts"
import { failedToWrite, isUnwritable } from "#base/disk-space.ts"
import { isStateAway } from "#base/store/postgres/outage.ts"
import type { Engine } from "#engine"
import type { Clock } from "#base/clock.ts"
import type { Resolve } from "../fetch/guard/address-guard.ts"
import { NetworkChangedError } from "../fetch/guard/blocked-address.ts"
import { concealedEnd, concealedMessage } from "../fetch/concealed.ts"
import type { CrawlerConfig } from "../settings.ts"
import { outcomeName } from "../outcome-name.ts"
import type { NoPage } from "./judge/verdict.ts"
import { detailOf } from "./judge/visit-outcome.ts"
import { cutOffPages } from "./frontier/source-pages.ts"
import { Observers } from "../fetch/observe/observers.ts"
import { narrowUnseen } from "../upkeep/observed/narrow-unseen.ts"
import { crawlSite } from "./crawl-site.ts"
import { CrawlShare } from "./together/crawl-share.ts"
import type { JobPlace } from "./together/job-places.ts"
import type { Jobs } from "../jobs/jobs.ts"
import {
  BEAT_MS,
  BY_HAND,
  cutOffNote,
  givenUpNote,
  type Job,
  type Judged,
  limitNote,
  observerNote,
  stoppedNote,
} from "../job.ts"
import { factsOfRun, judgeJob } from "../jobs/results/judge-job.ts"
import { settleRemovals } from "../upkeep/removals/settle-removals.ts"
import { openSourceReader } from "../fetch/visit/source-reader.ts"
import type { OwnProcess } from "#base/store/processes/own-process.ts"
import type { StateStore } from "#base/store/state-store.ts"
import { WebhookQueue } from "../reporting/webhooks/webhook-queue.ts"

export interface RunJobOptions {
  readonly db: StateStore
  readonly jobs: Jobs
  readonly engine: Engine
  readonly config: CrawlerConfig
  /** When aborted, ends the run once the visits in progress have finished. */
  readonly signal: AbortSignal
  /** The clock for stored times. Default: the system's. */
  readonly clock?: Clock
  /** The state of an aborted job: `queued` when the appliance stops, `paused` when its operator pauses it. */
  readonly whenAborted: "queued" | "paused"
  /** How names are resolved. Default: by the system. */
  readonly resolve?: Resolve
  /** State shared by the jobs of this process. Default: this is the only job. */
  readonly share?: CrawlShare
  /** Called once this process runs the job. */
  readonly onStarted?: (job: Job) => void
  /** This process, if others work on jobs in the same state. Default: there are no others. */
  readonly process?: Pick<OwnProcess, "id" | "isSound">
}

type SharedOptions = RunJobOptions & { readonly share: CrawlShare; readonly place: JobPlace }

/** Records that a job was interrupted. If even this cannot be written, the job looks as if its process was lost, and is queued again as well. */
async function interrupted(
  jobs: Jobs,
  id: number,
  state: "queued" | "paused",
  process: string | null,
  why: unknown,
): Promise<void> {
  try {
    await jobs.end(id, state, null, undefined, process)
    await jobs.note(
      id,
      stoppedNote(isUnwritten(why) ? "the disk is full or read-only" : "the state could not be reached"),
    )
  } catch (error) {
    if (!isPassing(error)) throw error
  }
}

/** Whether an error is temporary. Such errors do not fail the job: it continues when there is room on the disk, or the state is available again. */
const isPassing = (error: unknown): boolean => isUnwritten(error) || isStateAway(error)

const isUnwritten = (error: unknown): boolean => isUnwritable(error) || failedToWrite(error)

/**
 * Runs one job to its end and keeps its state accurate. The caller holds the index for writing.
 * @returns the job as it ended. Doesn't reject because of errors in the crawl; in that case, the job has `failed`.
 */
export async function runJob(id: number, options: RunJobOptions): Promise<Job | null> {
  await using own = options.share === undefined ? new CrawlShare(options.config) : null
  const share = options.share ?? own!
  // The place is taken before the first await, because the code that starts jobs counts the free places.
  using place = share.places.take()
  const parent = await traceOf(options.db, id)
  return await traced("run", { parent, attributes: { "fossick.job": id } }, async (span) => {
    const job = await runShared(id, { ...options, share, place })
    if (job) span.set({ "fossick.source": job.source.name, "fossick.result": job.result ?? job.state })
    return job
  })
}

async function runShared(id: number, options: SharedOptions): Promise<Job | null> {
  const { db, jobs, config, resolve, share, place } = options
  WebhookQueue.prepare(db)
  AlertBook.prepare(db)
  const me = options.process?.id ?? null
  const job = await jobs.start(id, me)
  if (!job) return await jobs.get(id)
  options.onStarted?.(job)
  await using watch = new RunWatch(id, options)
  try {
    await using reader = await openSourceReader(job.source, config, {
      db,
      author: job.author,
      first: BY_HAND.includes(job.trigger) ? "by-hand" : "by-schedule",
      onMoved: (error) => watch.fail(error),
      resolve,
      places: share.reading,
      signal: watch.signal,
    })
    await using observers = await Observers.open({ db, source: job.source, reader, clock: options.clock })
    const { state, limit } = await crawlSite({
      ...crawlOptions(job, options),
      reader,
      observers,
      signal: watch.signal,
      place,
    })
    if (watch.asked === "lost") return null
    if (watch.failure !== null) throw watch.failure
    if (limit !== null) await jobs.note(id, limitNote(limit))
    const lost = (observers?.lost ?? []).map(({ name, error }) => observerNote(name, shownError(job, error)))
    for (const note of lost) await jobs.note(id, note)
    // Done before the job ends, so that another process repeats it if this one is lost in between.
    const judged = state === "finished" ? await removeAndJudge(job, options, lost) : undefined
    await jobs.end(
      id,
      state === "finished" ? "finished" : (watch.asked ?? options.whenAborted),
      null,
      judged,
      me,
    )
  } catch (thrown) {
    if (watch.asked === "lost") return null
    const isStopped =
      watch.failure === null && watch.signal.aborted && (thrown as Error).name === "AbortError"
    // If the run itself failed, for example at its login, the job ends with that error instead.
    if (isStopped) await jobs.end(id, watch.asked ?? options.whenAborted, null, undefined, me)
    else await endBroken(job, watch.failure ?? thrown, options)
  }
  return await jobs.get(id)
}

/** Ends a run when its process stops, its site moves, or its job is paused, cancelled or taken over by another process. */
class RunWatch implements AsyncDisposable {
  asked: "paused" | "cancelled" | "lost" | null = null
  /** Why the run fails: its site moved, or its job's state cannot be read. */
  failure: unknown = null
  readonly #stop = new AbortController()
  readonly #outer: AbortSignal
  readonly #beats: AsyncDisposable
  readonly #abort = () => {
    this.#stop.abort()
  }

  constructor(id: number, options: Pick<SharedOptions, "jobs" | "signal" | "process">) {
    this.#outer = options.signal
    this.#outer.addEventListener("abort", this.#abort, { once: true })
    if (this.#outer.aborted) this.#abort()
    this.#beats = repeat(() => this.#look(id, options), BEAT_MS)
  }

  get signal(): AbortSignal {
    return this.#stop.signal
  }

  fail(error: unknown): void {
    this.failure ??= error
    this.#abort()
  }

  async #look(id: number, { jobs, process }: Pick<SharedOptions, "jobs" | "process">): Promise<void> {
    try {
      this.asked = (await jobs.beat(id, process?.id ?? null)) ?? this.asked
      // Ends the run before other processes take the job over.
      if (process?.isSound === false) this.asked = "lost"
    } catch (error) {
      // The crawl itself notices the error, and the next heartbeat shows what was requested for the job.
      if (!isPassing(error) && process === undefined) this.fail(error)
    }
    if (this.asked !== null) this.#abort()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#outer.removeEventListener("abort", this.#abort)
    await this.#beats[Symbol.asyncDispose]()
  }
}

/** Options of the crawl that pass its messages on to the job's log. */
function crawlOptions(job: Job, { db, jobs, engine, config, share, clock }: SharedOptions) {
  const { id } = job
  return {
    job,
    db,
    engine,
    config,
    share,
    onWaiting: async (isWaiting: boolean) => {
      await jobs.setWaiting(id, isWaiting)
    },
    onGivenUp: async (host: string, last: NoPage) => {
      const end = { outcome: outcomeName(last), detail: detailOf(last) }
      const { detail } = job.author === "api" ? concealedEnd(end) : end
      await jobs.note(id, givenUpNote(host, detail ?? last.kind))
    },
    onListTrouble: async (note: string) => {
      await jobs.note(id, note)
    },
    onTrap: async (trap: string) => {
      await jobs.log(id, "warn", `addresses of this kind are no longer visited: ${trap}`)
    },
    ...(clock === undefined ? {} : { clock }),
  }
}

/** Removes pages that are gone, and judges the run. */
async function removeAndJudge(
  job: Job,
  options: SharedOptions,
  lostObservers: readonly string[],
): Promise<Judged> {
  const { db, jobs, engine, share, clock } = options
  await narrowUnseen({ db, engine, source: job.source, job: job.id, writes: share.writes, clock })
  // Done before pages are removed, because the run is judged against the pages that existed before it.
  const facts = await factsOfRun(db, job)
  const { removed, held } = await settleRemovals({
    db,
    engine,
    job,
    writes: share.writes,
    ...(clock === undefined ? {} : { clock }),
  })
  const cutOff = await cutOffPages(db, job.source.name, job.id)
  if (cutOff.length > 0) await jobs.note(job.id, cutOffNote(cutOff))
  if (removed > 0) await jobs.log(job.id, "info", `pages removed because they are gone: ${removed}`)
  if (held > 0) {
    await jobs.note(
      job.id,
      `${held} pages seem to be gone, too many to remove without your approval: run fossick removals`,
    )
  }
  const judged = judgeJob((await jobs.get(job.id)) ?? job, facts, { held })
  const [first] = lostObservers
  if (first === undefined || judged.result !== "finished") return judged
  return { result: "finished-with-problems", reason: first }
}

/** An error, in words meant for the author of the source. */
const shownError = ({ author }: Pick<Job, "author">, error: unknown): string => {
  const message = error instanceof Error ? error.message : String(error)
  return author === "api" && error instanceof Error ? concealedMessage(error) : message
}

/** Ends a job whose crawl threw an error. */
async function endBroken(job: Job, error: unknown, options: SharedOptions): Promise<void> {
  const { id } = job
  const { db, jobs, engine, share, clock, whenAborted } = options
  const me = options.process?.id ?? null
  if (error instanceof NetworkChangedError)
    await jobs.note(id, stoppedNote(`${error.host} moved to another network`))
  if (isPassing(error)) await interrupted(jobs, id, whenAborted, me, error)
  else {
    try {
      // Observers do not check any pages in such a run, but their earlier observations still expire.
      await narrowUnseen({ db, engine, source: job.source, job: job.id, writes: share.writes, clock })
    } catch (other) {
      await jobs.note(id, `pages whose readers are out of date could not be hidden: ${String(other)}`)
    }
    await jobs.end(id, "failed", shownError(job, error), undefined, me)
  }
}
