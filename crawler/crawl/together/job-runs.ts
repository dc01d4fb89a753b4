import type { Logger } from "pino"
import type { Job } from "../../job.ts"
import type { Jobs, JobWish } from "../../jobs/jobs.ts"
import type { JobQueue } from "../../jobs/queue/job-queue.ts"
import { TableQueue } from "../../jobs/queue/table-queue.ts"
import { crawlEnded, crawlStarted } from "../crawl-news.ts"
import { runJob, type RunJobOptions } from "../run-job.ts"
import type { CrawlShare } from "./crawl-share.ts"

export interface JobRunsOptions extends Omit<RunJobOptions, "share" | "whenAborted" | "onStarted" | "jobs"> {
  readonly jobs: Jobs
  /** Where jobs come from. Default: the table of jobs. */
  readonly queue?: JobQueue
  readonly share: CrawlShare
  /** Logs when a job begins and ends. */
  readonly log?: Logger
  /** Ids of the jobs to run. Default: all. */
  readonly only?: ReadonlySet<number>
  /** As {@link RunJobOptions.whenAborted}. Default: all jobs are queued again. */
  readonly whenAborted?: (job: Job) => RunJobOptions["whenAborted"]
}

/** Maximum number of jobs that are waiting for their hosts. They are kept in memory, and the number of sick sites is unlimited. */
const MAX_WAITING = 64

/** Runs the jobs of a process: as many at a time as there are places, and at most one per source. */
export class JobRuns {
  readonly #options: JobRunsOptions
  readonly #queue: JobQueue
  /** The id of a job that might crash the process, until it turns out to be harmless. */
  #doubtful: number | null = null
  readonly #runs = new Map<number, { readonly source: string; readonly promise: Promise<void> }>()
  /** Number of jobs that have ended. */
  ended = 0
  /** Errors from jobs that could not even be ended properly; the next process continues these jobs. */
  readonly failures: unknown[] = []

  constructor(options: JobRunsOptions) {
    this.#options = options
    this.#queue = options.queue ?? new TableQueue(options.jobs)
  }

  /** Active jobs, and jobs that are waiting for their hosts. */
  get promises(): Promise<void>[] {
    return [...this.#runs.values()].map(({ promise }) => promise)
  }

  /** The sources of the active jobs and of the jobs that are waiting for their hosts. */
  get sources(): ReadonlySet<string> {
    return new Set([...this.#runs.values()].map(({ source }) => source))
  }

  /**
   * Starts as many queued jobs as there are free places, except jobs of the sources in `except`. Must be called again to
   * start more.
   */
  async begin(except: ReadonlySet<string> = new Set()): Promise<void> {
    const { jobs, share, only } = this.#options
    while (share.places.free > 0 && this.#runs.size < share.places.total + MAX_WAITING) {
      const { held } = share.places
      if (this.#doubtful !== null && held > 0 && (await jobs.isInDoubt(this.#doubtful))) return
      const next = await this.#take({ except: this.sources.union(except), only, isAlone: held === 0 })
      if (next === null) return
      const promise = this.#run(next).finally(() => {
        this.#runs.delete(next.id)
        this.ended += 1
      })
      this.#runs.set(next.id, { source: next.source.name, promise })
    }
  }

  /** Takes a queued job, while a place is kept free for it. */
  async #take(wish: JobWish): Promise<Job | null> {
    const { jobs, share } = this.#options
    using _ = share.places.take()
    const id = await this.#queue.take(wish)
    const next = id === null ? null : await jobs.get(id)
    this.#doubtful = next !== null && (await jobs.isInDoubt(next.id)) ? next.id : null
    return next
  }

  async #run(next: Job): Promise<void> {
    const { log, whenAborted = () => "queued", queue: _, ...options } = this.#options
    let isStarted = false
    const onStarted = (job: Job) => {
      isStarted = true
      if (log) crawlStarted(log, job)
    }
    try {
      const job = await runJob(next.id, { ...options, onStarted, whenAborted: whenAborted(next) })
      // Another process may have taken the job first.
      if (job && isStarted && log) crawlEnded(log, job)
    } catch (error) {
      this.failures.push(error)
      log?.error({ job: next.id, err: error }, "a job could not be ended; the next process will continue it")
    } finally {
      await this.#queue.done(next.id)
    }
  }
}
