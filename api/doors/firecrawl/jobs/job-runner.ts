import type { DiskRoom } from "#base/disk-space.ts"
import { Refusal } from "#base/errors.ts"
import { pause } from "#base/flow/pause.ts"
import { TaskRunner, type TaskRunnerOptions, type Turn } from "#base/work/task-runner.ts"

import type { Billing } from "../../../identity/accounts/billing/billing.ts"
import { type Cost, crawlCost, extractCost } from "../../../identity/accounts/billing/credits.ts"
import type { ApiKey, KeyStore } from "../../../identity/accounts/keys/keys.ts"
import type { WriteQueue } from "../../../identity/accounts/billing/write-queue.ts"
import type { Reach } from "../../../identity/accounts/reach/reach.ts"
import { depthOf } from "../scrape.ts"
import type { JobRequest } from "./crawl-request.ts"
import {
  type BegunJob,
  type FirecrawlJob,
  type JobEnd,
  type JobOwner,
  type JobStore,
  RESTARTED,
} from "./job-store.ts"
import { type JobParts, runJob } from "./run-job.ts"

export interface JobRunnerOptions extends Pick<TaskRunnerOptions<BegunJob>, "guard" | "log" | "turnMs"> {
  readonly store: JobStore
  readonly keys: Pick<KeyStore, "byId">
  readonly billing: Billing
  readonly writes: Pick<WriteQueue, "run">
  readonly parts: Pick<JobParts, "chatModel" | "knowledge">
  /** The pages a key may see. */
  readonly reach: (key: ApiKey) => Reach
  /** The disk on which the documents are stored: while it has too little room, jobs wait. */
  readonly room?: Pick<DiskRoom, "isLow"> | undefined
}

/**
 * Maximum number of jobs running at the same time: each reads as many pages at once as a live crawl, and only a few of
 * those may run at once, too.
 */
export const CONCURRENT = 4
/** Maximum number of waiting jobs for all keys together; one key may have a quarter of them. */
const WAITING = 100
const WAITING_OF_KEY = WAITING / 4
/** How long the results of jobs are kept: a day, as with Firecrawl. */
export const KEPT_MS = 86_400_000
/** Maximum duration of a job; a longer job would outlive its first documents. */
const JOB_MS = 86_400_000
/** Milliseconds between checks for room on the disk. */
const ROOM_MS = 1000

const NO_KEY = "The key that started this job is no longer valid."
const LATE = "The job did not finish within a day."
const BROKEN = "The job failed because of an internal error; see the server's log."
const NO_ROOM =
  "There is no room for more documents. FOSSICK_CRAWL_JOBS_MB on this server limits the documents of all jobs (each key can use a quarter), and FOSSICK_KEY_STORED_MB limits everything stored for a key. Documents are deleted a day after their job has ended."

/** The cost of a job, or the upper limit of its cost: the same as for a live crawl, or for extracting its pages. */
export function jobCost(request: JobRequest, pages = mostPages(request)): Cost {
  const depth = depthOf(request.scrape)
  return request.kind === "crawl" ? crawlCost(false, depth, pages) : extractCost(depth, pages)
}

const mostPages = (request: JobRequest): number =>
  request.kind === "crawl" ? request.limit : request.addresses.length

/** Works on jobs, a few at a time, until closed; running jobs then end with the documents found so far. */
export class JobRunner implements AsyncDisposable {
  readonly #options: JobRunnerOptions
  readonly #runner: TaskRunner<BegunJob>

  constructor(options: JobRunnerOptions) {
    const { store, guard, log, turnMs } = options
    this.#options = options
    this.#runner = new TaskRunner({
      tasks: store,
      called: { tasks: "crawl jobs", old: "old crawl jobs" },
      places: CONCURRENT,
      work: (job, turn) => this.#work(job, turn),
      onLook: () => this.#endElsewhere(),
      keptMs: KEPT_MS,
      guard,
      log,
      turnMs,
    })
  }

  /** Ends jobs left over from an earlier process, and accepts new ones from now on. */
  start(): void {
    const { log } = this.#options
    this.#runner.start().catch((err: unknown) => log.error({ err }, "crawl jobs cannot be run"))
  }

  /**
   * Accepts a job that has been checked.
   * @param once the caller's own name for the job; null if it has none
   * @returns false, with nothing accepted, when the key has already started a job with this name
   * @throws Refusal when too many jobs are waiting, ApiError 432 or 433 when the job might cost more credits than are
   * left
   */
  async add(
    id: string,
    key: ApiKey,
    owner: JobOwner,
    request: JobRequest,
    once: string | null,
  ): Promise<boolean> {
    const { store, billing } = this.#options
    const waiting = await store.waitingCounts(key.id)
    if (waiting.all >= WAITING || waiting.ofKey >= WAITING_OF_KEY) {
      throw new Refusal("crowded", "Too many jobs are waiting. Try again when some have finished.")
    }
    if (!(await store.hasRoom(key.id))) throw new Refusal("full", NO_ROOM)
    // The credits stay reserved until the job ends, not just until this call ends.
    await billing.reserve({ requestId: id, key }, jobCost(request))
    const isTaken = await store.add(id, owner, request, new Date(), once)
    if (isTaken) this.#runner.wake()
    else await billing.release({ requestId: id, key })
    return isTaken
  }

  /** Ends a job and keeps its documents; resolves when the job has ended. */
  async cancel(job: FirecrawlJob): Promise<void> {
    const underWay = this.#runner.cancel(job.id)
    if (underWay !== null) return await underWay
    if (job.endedAt === null) await this.#end(job, { state: "cancelled", error: null })
    // The job's turn may have started in the meantime.
    void this.#runner.cancel(job.id)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#runner[Symbol.asyncDispose]()
  }

  /** Stops jobs running here that another process has ended, for instance because their caller cancelled them there. */
  async #endElsewhere(): Promise<void> {
    for (const id of this.#runner.running) {
      if (((await this.#options.store.get(id))?.endedAt ?? null) !== null) void this.#runner.cancel(id)
    }
  }

  /** Works on a job for one turn. Never rejects. */
  async #work(job: BegunJob, turn: Turn): Promise<void> {
    const { store, keys, billing, parts, reach, room, log } = this.#options
    const { id, request, owner } = job
    const late = AbortSignal.timeout(Math.max(0, job.begunAt.getTime() + JOB_MS - Date.now()))
    const full = new AbortController()
    const gone = new AbortController()
    const signal = AbortSignal.any([turn.signal, late, full.signal, gone.signal])
    try {
      const key = await keys.byId(owner.keyId)
      if (!key) return await this.#end(job, { state: "failed", error: NO_KEY })
      // The job was cancelled just as its turn came.
      if (((await store.get(id))?.endedAt ?? null) !== null) return
      // If the process that accepted the job has ended, the credits that it reserved are lost.
      await billing.reserve({ requestId: id, key }, jobCost(request))
      const results = {
        document: async (url: string, document: Parameters<JobStore["addDocument"]>[2]) => {
          while (room?.isLow() && !signal.aborted) await pause(ROOM_MS, signal)
          if (!(await keys.byId(owner.keyId))) gone.abort()
          else if (!(await store.hasRoom(owner.keyId))) full.abort()
          else if (!signal.aborted) await store.addDocument(job, url, document)
        },
        failure: async (failure: Parameters<JobStore["addFailure"]>[1]) => {
          if (!signal.aborted) await store.addFailure(job, failure)
        },
      }
      const left = await runJob(
        request,
        { ...parts, reach: reach(key), signal, results },
        { from: job.frontier, isOver: turn.isOver },
      )
      if (left !== null && !signal.aborted) return await store.giveWay(job, left)
      const failed = (error: string) => ({ state: "failed", error }) as const
      const outcome = turn.cancelled.aborted
        ? ({ state: "cancelled", error: null } as const)
        : full.signal.aborted
          ? failed(NO_ROOM)
          : gone.signal.aborted
            ? failed(NO_KEY)
            : late.aborted
              ? failed(LATE)
              : turn.stopped.aborted
                ? failed(RESTARTED)
                : ({ state: "completed", error: null } as const)
      await this.#end(job, outcome)
    } catch (error) {
      const refused = error instanceof Refusal ? error.message : BROKEN
      if (refused === BROKEN && !signal.aborted) log.error({ err: error, job: id }, "a crawl job failed")
      await this.#end(
        job,
        turn.cancelled.aborted ? { state: "cancelled", error: null } : { state: "failed", error: refused },
      )
    }
  }

  /** Ends a job and charges for the pages it read. Never rejects. */
  async #end(job: FirecrawlJob, end: Omit<JobEnd, "credits">): Promise<void> {
    const { store, keys, billing, writes, log } = this.#options
    const { id, owner, request, createdAt } = job
    try {
      const key = await keys.byId(owner.keyId)
      const now = await store.get(id)
      // Another process has ended the job and charged for the pages.
      if ((now?.endedAt ?? null) !== null) {
        if (key) await billing.release({ requestId: id, key })
        return
      }
      const pages = now?.completed ?? 0
      if (!key) {
        await writes.run(() => store.end(id, { ...end, credits: 0 }, new Date()))
        return
      }
      const endpoint = request.kind === "crawl" ? ("crawl" as const) : ("extract" as const)
      const seconds = Math.round((Date.now() - createdAt.getTime()) / 1000)
      const credits = await billing.settle(
        { ...owner, requestId: id, key, endpoint },
        jobCost(request, pages),
        { depth: depthOf(request.scrape), seconds },
      )
      await writes.run(() => store.end(id, { ...end, credits }, new Date()))
    } catch (err) {
      log.error(
        { err, job: id },
        "the end of a crawl job was not recorded; this will be detected at the next start",
      )
    }
  }
}
