import { setInterval } from "node:timers"

import type { Logger } from "pino"

import type { DiskRoom } from "#base/disk-space.ts"
import { countedDegraded } from "#base/flow/degraded.ts"
import { actingFor } from "#base/flow/caller.ts"
import { pause } from "#base/flow/pause.ts"
import { SIGN_MS } from "#base/store/processes/own-process.ts"
import type { TimeGuard } from "#base/store/clock/trusted-time.ts"

import type { Billing } from "../accounts/billing/billing.ts"
import { researchCost } from "../accounts/billing/credits.ts"
import type { ApiKey, KeyStore } from "../accounts/keys/keys.ts"
import { ApiError } from "../errors.ts"
import type { Emit, ResearchEvent } from "./report/events.ts"
import type { EvidenceRecord } from "./sources/evidence.ts"
import type { ResearchRequest } from "./request.ts"
import { type ResearchParts, runResearch } from "./run-research.ts"
import type { ResearchTask, ResearchTasks } from "./task-store.ts"

export interface ResearchersOptions {
  readonly tasks: ResearchTasks
  readonly keys: Pick<KeyStore, "byId">
  readonly billing: Billing
  readonly parts: Omit<ResearchParts, "engine">
  readonly limits: ResearchLimits
  /** The disk that reports are kept on: none is begun while it has too little room. */
  readonly room?: Pick<DiskRoom, "isLow"> | undefined
  readonly guard: Pick<TimeGuard, "mayDelete">
  readonly log: Logger
  /** Milliseconds that a task is worked on before it gives way to another key's. Default half a minute. */
  readonly turnMs?: number | undefined
}

export interface ResearchLimits {
  /** Tasks under way at once; the others wait. */
  readonly concurrency: number
  /** Seconds that a task may take in one go, from the beginning of its turn. */
  readonly seconds: Readonly<Record<ResearchRequest["model"], number>>
  /** Days that results are kept. */
  readonly keepDays: number
}

/** Long enough for some questions, short enough to wait for. */
const TURN_MS = 30_000
const DAY_MS = 86_400_000
const TIDY_MS = 3_600_000
/** Room on the disk is looked for so often. */
const ROOM_MS = 1000

/** Why a task failed, as its owner is told. */
const CANCELLED = "The caller hung up before the report was done."
const LATE = "The report was not done in the time that a task may take."
const BROKEN = "Something went wrong while the report was made; the server's log says what."
const NO_KEY = "The key that asked for this is no longer valid."

/** Works on research tasks, a few at a time, until it is closed; tasks under way then wait for the next process. */
export class Researchers implements AsyncDisposable {
  readonly #options: ResearchersOptions
  readonly #stop = new AbortController()
  readonly #running = new Set<Promise<void>>()
  readonly #cancels = new Map<string, AbortController>()
  readonly #watchers = new Map<string, Set<Emit>>()
  #engineFor: ((key: ApiKey) => ResearchParts["engine"]) | undefined
  #tidy: NodeJS.Timeout | undefined
  #look: NodeJS.Timeout | undefined
  #beginning: Promise<void> | undefined
  #beginAgain = false
  #waitsForRoom = false

  constructor(options: ResearchersOptions) {
    this.#options = options
  }

  /**
   * Goes on with what an earlier process left, and takes tasks from now on.
   * @param engineFor the index as a key may see it
   */
  async start(engineFor: (key: ApiKey) => ResearchParts["engine"]): Promise<void> {
    const { tasks, limits, guard, log } = this.#options
    this.#engineFor = engineFor
    await tasks.recover(new Date())
    const tidy = () => {
      if (!guard.mayDelete()) return
      void tasks
        .forget(new Date(Date.now() - limits.keepDays * DAY_MS))
        .catch(
          (err: unknown) => this.#stop.signal.aborted || log.warn({ err }, "old reports were not deleted"),
        )
    }
    tidy()
    this.#tidy = setInterval(tidy, TIDY_MS)
    this.#tidy.unref()
    const look = async () => {
      if (await tasks.recover(new Date())) this.wake()
    }
    // A store that is away is told of by whoever has to know.
    if (tasks.isShared) this.#look = setInterval(() => void look().catch(() => undefined), SIGN_MS).unref()
    this.wake()
  }

  /** Begins what waits, as far as there is room. */
  wake(): void {
    if (this.#beginning) {
      this.#beginAgain = true
      return
    }
    this.#beginning = this.#begin()
      .catch((err: unknown) => this.#options.log.error({ err }, "research tasks could not be begun"))
      .finally(() => {
        this.#beginning = undefined
        if (!this.#beginAgain) return
        this.#beginAgain = false
        this.wake()
      })
  }

  async #begin(): Promise<void> {
    const { tasks, limits, room } = this.#options
    while (this.#engineFor && !this.#stop.signal.aborted && this.#running.size < limits.concurrency) {
      if (room?.isLow()) {
        if (!this.#waitsForRoom) void this.#wakeLater()
        return
      }
      const task = await tasks.begin()
      if (!task) return
      const engineFor = this.#engineFor
      const work = actingFor(task.owner.keyId, () => this.#work(task, engineFor))
      this.#running.add(work)
      void work.finally(() => {
        this.#running.delete(work)
        this.wake()
      })
    }
  }

  async #wakeLater(): Promise<void> {
    this.#waitsForRoom = true
    await pause(ROOM_MS, this.#stop.signal)
    this.#waitsForRoom = false
    this.wake()
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
  async cancel(taskId: string): Promise<void> {
    const running = this.#cancels.get(taskId)
    if (running) {
      running.abort()
      return
    }
    const { tasks, keys } = this.#options
    const task = tasks.get(taskId)
    const key = task && keys.byId(task.owner.keyId)
    await tasks.fail(taskId, CANCELLED, new Date())
    if (key) await this.#options.billing.release({ requestId: taskId, key })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#tidy)
    clearInterval(this.#look)
    this.#stop.abort()
    await this.#beginning
    await Promise.all(this.#running)
  }

  /** Never rejects. */
  async #work(task: ResearchTask, engineFor: (key: ApiKey) => ResearchParts["engine"]): Promise<void> {
    const { tasks, keys, billing, parts, limits } = this.#options
    const log = this.#options.log.child({ research: task.id })
    const { id, request, owner } = task
    const cancel = new AbortController()
    this.#cancels.set(id, cancel)
    const { turnMs = TURN_MS } = this.#options
    const givesWay = new AbortController()
    const late = AbortSignal.timeout(limits.seconds[request.model] * 1000)
    const emit = (event: ResearchEvent) => {
      for (const watcher of this.#watchers.get(id) ?? []) watcher(event)
    }
    const key = keys.byId(owner.keyId)
    const fail = async (reason: string) => {
      await tasks.fail(id, reason, new Date())
      if (key) await billing.release({ requestId: id, key })
      emit({ kind: "failed" })
    }
    const began = performance.now()
    let saving = Promise.resolve()
    try {
      if (!key) return await fail(NO_KEY)
      // What was set aside when the task was taken may have gone with the process that took it.
      await billing.reserve({ requestId: id, key }, researchCost(request.model, Number.POSITIVE_INFINITY))
      const degraded = countedDegraded()
      for (const part of task.found?.degraded ?? []) degraded.add(part)
      const run = {
        found: task.found,
        emit,
        onProgress: (found: EvidenceRecord) => {
          saving = tasks.progress(id, {
            ...found,
            ...(degraded.parts.length > 0 && { degraded: degraded.parts }),
          })
          saving.catch((err: unknown) => log.warn({ err }, "what was found is not kept yet"))
          if (performance.now() - began >= turnMs && tasks.turns.isOwed(owner.keyId)) givesWay.abort()
        },
        signal: AbortSignal.any([this.#stop.signal, cancel.signal, late, givesWay.signal]),
        log,
      }
      const result = await degraded.collect(() =>
        runResearch(request, { ...parts, engine: engineFor(key) }, run),
      )
      const cost = researchCost(request.model, result.searches)
      const seconds = Math.round(performance.now() - began) / 1000
      const call = { ...owner, requestId: id, key, endpoint: "research" as const }
      const served = { depth: request.model, seconds, query: request.input }
      const done = { ...result, degraded: degraded.parts, credits: cost.credits ?? 0 }
      await billing.settle(call, cost, served, () => tasks.complete(id, done, new Date()))
      // Last, so that whoever read it finds the task done.
      emit({ kind: "sources", sources: result.sources, degraded: degraded.parts })
    } catch (error) {
      const { aborted } = this.#stop.signal
      const refused = error instanceof ApiError ? error.message : BROKEN
      const reason = cancel.signal.aborted ? CANCELLED : late.aborted ? LATE : refused
      if (!aborted && !givesWay.signal.aborted && reason === BROKEN)
        log.error({ err: error }, "research failed")
      await saving.catch(() => {})
      const waitsAgain = aborted || (givesWay.signal.aborted && reason === BROKEN)
      await (waitsAgain ? tasks.putBack(id) : fail(reason)).catch((err: unknown) =>
        log.error({ err }, "the end of a task was not written down; the next start finds it"),
      )
    } finally {
      this.#cancels.delete(id)
    }
  }
}
