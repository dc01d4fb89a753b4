import { setInterval } from "node:timers"

import type { Logger } from "pino"

import type { Emit, ResearchEvent } from "./events.ts"
import type { EvidenceRecord } from "./evidence.ts"
import type { ResearchRequest } from "./request.ts"
import { type ResearchParts, type ResearchResult, runResearch } from "./run-research.ts"
import type { ResearchTask, ResearchTasks } from "./task-store.ts"

export interface ResearchersOptions {
  readonly tasks: ResearchTasks
  /**
   * What a task of a key may be made with: an engine that sees what the key may see. Null when the key is no longer
   * valid; the task fails then.
   */
  readonly partsFor: (keyId: string) => ResearchParts | null
  /** Charges what a task cost, once. */
  readonly charge: (keyId: string, credits: number, taskId: string) => void
  readonly limits: {
    /** Tasks under way at once; the others wait. */
    readonly concurrency: number
    /** Seconds that a task may take, from its beginning. */
    readonly seconds: Readonly<Record<ResearchRequest["model"], number>>
    /** Days that results are kept. */
    readonly keepDays: number
  }
  readonly log: Logger
}

const DAY_MS = 86_400_000
const TIDY_MS = 3_600_000

/** What a task costs in credits: by its model, and by how much was searched. */
const PRICES = {
  mini: { base: 4, search: 1, most: 110 },
  pro: { base: 15, search: 2, most: 250 },
} as const satisfies Record<ResearchRequest["model"], { base: number; search: number; most: number }>

export const creditsFor = (model: ResearchRequest["model"], searches: number): number => {
  const { base, search, most } = PRICES[model]
  return Math.min(most, base + search * Math.max(0, searches - 1))
}

/** Why a task was stopped that nobody wants any more. */
const CANCELLED = "The caller hung up before the report was done."
const LATE = "The report was not done in the time that a task may take."
const BROKEN = "Something went wrong while the report was made; the server's log says what."

/** Works on research tasks, a few at a time, until it is closed; tasks under way then wait for the next process. */
export class Researchers implements AsyncDisposable {
  readonly #options: ResearchersOptions
  readonly #stop = new AbortController()
  readonly #running = new Map<string, Promise<void>>()
  readonly #cancels = new Map<string, AbortController>()
  readonly #watchers = new Map<string, Set<Emit>>()
  readonly #tidy: NodeJS.Timeout

  /** Goes on with what an earlier process left. */
  constructor(options: ResearchersOptions) {
    this.#options = options
    options.tasks.recover(new Date())
    const tidy = () => options.tasks.forget(new Date(Date.now() - options.limits.keepDays * DAY_MS))
    tidy()
    this.#tidy = setInterval(tidy, TIDY_MS)
    this.#tidy.unref()
    this.wake()
  }

  /** Begins what waits, as far as there is room. */
  wake(): void {
    const { tasks, limits } = this.#options
    while (!this.#stop.signal.aborted && this.#running.size < limits.concurrency) {
      const task = tasks.begin()
      if (!task) return
      const work = this.#work(task).finally(() => {
        this.#running.delete(task.id)
        this.wake()
      })
      this.#running.set(task.id, work)
    }
  }

  /** Has `emit` told of everything that happens with a task from now on. @returns ends that */
  watch(taskId: string, emit: Emit): () => void {
    const watchers = this.#watchers.get(taskId) ?? new Set()
    this.#watchers.set(taskId, watchers.add(emit))
    return () => {
      watchers.delete(emit)
      if (watchers.size === 0) this.#watchers.delete(taskId)
    }
  }

  /** Ends a task that nobody wants any more, whether it waits or is under way. */
  cancel(taskId: string): void {
    const running = this.#cancels.get(taskId)
    if (running) running.abort()
    else this.#options.tasks.fail(taskId, CANCELLED, new Date())
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#tidy)
    this.#stop.abort()
    await Promise.all(this.#running.values())
  }

  async #work(task: ResearchTask): Promise<void> {
    const { tasks, partsFor, charge, limits } = this.#options
    const log = this.#options.log.child({ research: task.id })
    const cancel = new AbortController()
    this.#cancels.set(task.id, cancel)
    const late = AbortSignal.timeout(limits.seconds[task.request.model] * 1000)
    const emit = (event: ResearchEvent) => {
      for (const watcher of this.#watchers.get(task.id) ?? []) watcher(event)
    }
    const fail = (reason: string) => {
      tasks.fail(task.id, reason, new Date())
      emit({ kind: "failed" })
    }
    try {
      const parts = partsFor(task.keyId)
      if (!parts) return fail("The key that asked for this is no longer valid.")
      const result: ResearchResult = await runResearch(task.request, parts, {
        found: task.found,
        emit,
        onProgress: (found: EvidenceRecord) => tasks.progress(task.id, found),
        signal: AbortSignal.any([this.#stop.signal, cancel.signal, late]),
        log,
      })
      const credits = creditsFor(task.request.model, result.searches)
      tasks.complete(task.id, { ...result, credits }, new Date())
      charge(task.keyId, credits, task.id)
      // Last, so that whoever read it finds the task done.
      emit({ kind: "sources", sources: result.sources })
    } catch (error) {
      if (this.#stop.signal.aborted) {
        tasks.putBack(task.id)
        return
      }
      if (cancel.signal.aborted) return fail(CANCELLED)
      if (late.aborted) return fail(LATE)
      log.error({ err: error }, "research failed")
      fail(BROKEN)
    } finally {
      this.#cancels.delete(task.id)
    }
  }
}
