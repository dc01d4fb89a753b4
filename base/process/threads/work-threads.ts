import { availableParallelism } from "node:os"
import type { Worker } from "node:worker_threads"
import { FairPool } from "../../flow/fair-pool.ts"
import { bareEnvironment, startThread } from "./thread.ts"

/** Limit for one piece of work, measured from when its thread has loaded its program: 10 MB in one line take a few seconds. */
const WORK_MS = 30_000
/** Time limit for a thread to get ready, long enough that a busy machine does not cause failures. */
const START_MS = 60_000
const IDLE_MS = 10_000

/** Limits for a thread. */
export interface WorkLimits {
  /** Maximum number of threads. A few are enough: this work is rare, and other work gets its turn anyway. */
  readonly threads: number
  /** Heap size of each thread. */
  readonly memoryMb: number
}

/** Number of threads, leaving one processor to the event loop if there is more than one. */
export const threadsBeside = (processors: number): number => Math.min(4, Math.max(1, processors - 1))

const LIMITS: WorkLimits = {
  threads: threadsBeside(availableParallelism()),
  memoryMb: 512,
}

/** A piece of work took too long in its thread, used too much memory, or failed. */
export class WorkError extends Error {
  override readonly name = "WorkError"
}

/** A request to a thread: call an exported function of a module. */
export interface WorkAsked {
  readonly module: string
  readonly name: string
  readonly args: readonly unknown[]
}

/** A message from a thread: first that its program is loaded, then the result of each call. */
export type WorkAnswer = "ready" | { readonly value: unknown } | { readonly error: string }

interface Task {
  readonly asked: WorkAsked
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
}

interface Thread {
  readonly worker: Worker
  isReady: boolean
  current: Task | null
  timer?: NodeJS.Timeout
}

/** Threads that start with the first work and end after an idle period. A failed thread loses only its current work. */
export class WorkThreads {
  readonly #program: URL
  readonly #limits: WorkLimits
  readonly #threads = new Set<Thread>()
  readonly #turns: FairPool
  #idle: NodeJS.Timeout | undefined

  /** @param program what each thread runs: see work-thread.ts */
  constructor(program: URL, limits: Partial<WorkLimits> = {}) {
    this.#program = program
    this.#limits = { ...LIMITS, ...limits }
    this.#turns = new FairPool("work-threads", { places: this.#limits.threads })
  }

  /** @throws WorkError, or the reason of `signal` */
  async run(asked: WorkAsked, signal?: AbortSignal): Promise<unknown> {
    return await this.#turns.run(() => this.#work(asked, signal), { signal })
  }

  async #work(asked: WorkAsked, signal: AbortSignal | undefined): Promise<unknown> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    const task = { asked, resolve, reject }
    const giveUp = () => {
      reject(signal?.reason)
      // The thread is ended, because abandoned work must not hold up callers that are still waiting.
      for (const thread of this.#threads) if (thread.current === task) this.#discard(thread, "given up")
    }
    signal?.addEventListener("abort", giveUp, { once: true })
    this.#begin(this.#free(), task)
    try {
      return await promise
    } finally {
      signal?.removeEventListener("abort", giveUp)
    }
  }

  /** A thread that is free, or a new one: each call whose turn it is has its own thread. */
  #free(): Thread {
    for (const thread of this.#threads) if (thread.current === null) return thread
    return this.#start()
  }

  #start(): Thread {
    const worker = startThread(this.#program, {
      // Flags such as `--input-type` apply only to the starting script.
      execArgv: [],
      env: bareEnvironment(),
      resourceLimits: { maxOldGenerationSizeMb: this.#limits.memoryMb, stackSizeMb: 8 },
    })
    const thread: Thread = { worker, isReady: false, current: null }
    worker.on("message", (answer: WorkAnswer) => {
      if (answer === "ready") {
        thread.isReady = true
        if (thread.current) this.#limit(thread)
      } else {
        this.#end(thread, answer)
      }
    })
    worker.on("error", (error) => this.#discard(thread, error.message))
    worker.on("exit", (code) => this.#discard(thread, `the thread exited with code ${code}`))
    this.#threads.add(thread)
    return thread
  }

  #begin(thread: Thread, task: Task): void {
    clearTimeout(this.#idle)
    this.#idle = undefined
    thread.current = task
    thread.worker.ref()
    this.#limit(thread)
    try {
      thread.worker.postMessage(task.asked)
    } catch (error) {
      this.#end(thread, { error: (error as Error).message })
    }
  }

  #limit(thread: Thread): void {
    clearTimeout(thread.timer)
    const ms = thread.isReady ? WORK_MS : START_MS
    thread.timer = setTimeout(() => this.#discard(thread, `it took more than ${ms} ms`), ms)
  }

  #end(thread: Thread, answer: Exclude<WorkAnswer, "ready">): void {
    const task = thread.current
    clearTimeout(thread.timer)
    thread.current = null
    thread.worker.unref()
    if (task && "value" in answer) task.resolve(answer.value)
    else if (task && "error" in answer) task.reject(new WorkError(`${task.asked.name}: ${answer.error}`))
    this.#rest()
  }

  #discard(thread: Thread, error: string): void {
    if (!this.#threads.delete(thread)) return
    void thread.worker.terminate()
    this.#end(thread, { error })
  }

  #rest(): void {
    if (this.#idle || [...this.#threads].some(({ current }) => current !== null)) return
    this.#idle = setTimeout(() => {
      this.#idle = undefined
      for (const thread of this.#threads) this.#discard(thread, "idle")
    }, IDLE_MS)
    this.#idle.unref()
  }
}
