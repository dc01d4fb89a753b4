import { Refusal } from "#base/errors.ts"
import { countedDegraded } from "#base/flow/degraded.ts"
import { TaskRunner, type TaskRunnerOptions, type Turn } from "#base/work/task-runner.ts"

import type { Billing } from "../../identity/accounts/billing/billing.ts"
import { researchCost } from "../../identity/accounts/billing/credits.ts"
import type { ApiKey, KeyStore } from "../../identity/accounts/keys/keys.ts"
import type { Emit, ResearchEvent } from "./report/events.ts"
import type { EvidenceRecord } from "./sources/evidence.ts"
import type { ResearchRequest } from "./request.ts"
import { type ResearchParts, runResearch } from "./run-research.ts"
import type { ResearchTask, ResearchTasks } from "./task-store.ts"

export interface ResearchersOptions extends Pick<
  TaskRunnerOptions<ResearchTask>,
  "room" | "guard" | "log" | "turnMs"
> {
  readonly tasks: ResearchTasks
  readonly keys: Pick<KeyStore, "byId">
  readonly billing: Billing
  readonly parts: Omit<ResearchParts, "engine">
  readonly limits: ResearchLimits
}

export interface ResearchLimits {
  /** Maximum number of tasks in progress; the others wait. */
  readonly concurrency: number
  /** Seconds that a task may take in one go, from the beginning of its turn. */
  readonly seconds: Readonly<Record<ResearchRequest["model"], number>>
  /** Number of days that results are kept. */
  readonly keepDays: number
}

const DAY_MS = 86_400_000

/** Why a task failed, for its owner. */
const CANCELLED = "The caller closed the connection before the report was finished."
const LATE = "The report was not finished in the time that a task may take."
const BROKEN = "Something went wrong while the report was written; the server's log says what."
const NO_KEY = "The key that asked for this is no longer valid."

/** Works on research tasks, a few at a time, until it is closed; unfinished tasks then wait for the next process. */
export class Researchers implements AsyncDisposable {
  readonly #options: ResearchersOptions
  readonly #watchers = new Map<string, Set<Emit>>()
  readonly #runner: TaskRunner<ResearchTask>
  #engineFor: ((key: ApiKey) => ResearchParts["engine"]) | undefined

  constructor(options: ResearchersOptions) {
    const { tasks, limits, room, guard, log, turnMs } = options
    this.#options = options
    this.#runner = new TaskRunner({
      tasks,
      called: { tasks: "research tasks", old: "old reports" },
      places: limits.concurrency,
      work: (task, turn) => this.#work(task, turn),
      keptMs: limits.keepDays * DAY_MS,
      room,
      guard,
      log,
      turnMs,
    })
  }

  /**
   * Resumes tasks that an earlier process left unfinished, and accepts others from now on.
   * @param engineFor returns the index as a key may see it
   */
  async start(engineFor: (key: ApiKey) => ResearchParts["engine"]): Promise<void> {
    this.#engineFor = engineFor
    await this.#runner.start()
  }

  /** Starts waiting tasks while there is capacity. */
  wake(): void {
    if (this.#engineFor !== undefined) this.#runner.wake()
  }

  /**
   * Calls `emit` for every event of a task from now on.
   * @returns a function that stops the calls
   */
  watch(taskId: string, emit: Emit): () => void {
    const watchers = this.#watchers.get(taskId) ?? new Set()
    this.#watchers.set(taskId, watchers.add(emit))
    return () => {
      watchers.delete(emit)
      if (watchers.size === 0) this.#watchers.delete(taskId)
    }
  }

  /** Cancels a task that is no longer wanted, whether it is waiting or running. */
  async cancel(taskId: string): Promise<void> {
    if (this.#runner.cancel(taskId) !== null) return
    const { tasks, keys } = this.#options
    // Done first, because the task's turn could come during the next call.
    await tasks.fail(taskId, CANCELLED, new Date())
    const task = await tasks.get(taskId)
    const key = task && (await keys.byId(task.owner.keyId))
    if (key) await this.#options.billing.release({ requestId: taskId, key })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#runner[Symbol.asyncDispose]()
  }

  /** Never rejects. */
  async #work(task: ResearchTask, turn: Turn): Promise<void> {
    const { tasks, keys, billing, parts, limits } = this.#options
    const log = this.#options.log.child({ research: task.id })
    const { id, request, owner } = task
    const givesWay = new AbortController()
    const late = AbortSignal.timeout(limits.seconds[request.model] * 1000)
    const emit = (event: ResearchEvent) => {
      for (const watcher of this.#watchers.get(id) ?? []) watcher(event)
    }
    let key: ApiKey | null = null
    const fail = async (reason: string) => {
      await tasks.fail(id, reason, new Date())
      if (key) await billing.release({ requestId: id, key })
      emit({ kind: "failed" })
    }
    const began = performance.now()
    let saving = Promise.resolve()
    try {
      const holder = (key = await keys.byId(owner.keyId))
      if (!holder) return await fail(NO_KEY)
      // The credits reserved when the task was accepted may have been lost with the earlier process.
      await billing.reserve(
        { requestId: id, key: holder },
        researchCost(request.model, Number.POSITIVE_INFINITY),
      )
      const degraded = countedDegraded()
      for (const part of task.found?.degraded ?? []) degraded.add(part)
      const run = {
        found: task.found,
        emit,
        onProgress: async (found: EvidenceRecord) => {
          saving = tasks.progress(id, {
            ...found,
            ...(degraded.parts.length > 0 && { degraded: degraded.parts }),
          })
          saving.catch((err: unknown) => log.warn({ err }, "the findings could not be saved yet"))
          if (await turn.isOver()) givesWay.abort()
        },
        signal: AbortSignal.any([turn.signal, late, givesWay.signal]),
        log,
      }
      const result = await degraded.collect(() =>
        runResearch(request, { ...parts, engine: this.#engineFor!(holder) }, run),
      )
      const cost = researchCost(request.model, result.searches)
      const seconds = Math.round(performance.now() - began) / 1000
      const call = { ...owner, requestId: id, key: holder, endpoint: "research" as const }
      const served = { depth: request.model, seconds, query: request.input }
      const done = { ...result, degraded: degraded.parts, credits: cost.credits ?? 0 }
      await billing.settle(call, cost, served, () => tasks.complete(id, done, new Date()))
      // Emitted last, so that a reader of this event finds that the task is done.
      emit({ kind: "sources", sources: result.sources, degraded: degraded.parts })
    } catch (error) {
      const { aborted } = turn.stopped
      const refused = error instanceof Refusal ? error.message : BROKEN
      const reason = turn.cancelled.aborted ? CANCELLED : late.aborted ? LATE : refused
      if (!aborted && !givesWay.signal.aborted && reason === BROKEN)
        log.error({ err: error }, "research failed")
      await saving.catch(() => {})
      const waitsAgain = aborted || (givesWay.signal.aborted && reason === BROKEN)
      await (waitsAgain ? tasks.putBack(id) : fail(reason)).catch((err: unknown) =>
        log.error({ err }, "the end of a task could not be saved; the next start will resume the task"),
      )
    }
  }
}
