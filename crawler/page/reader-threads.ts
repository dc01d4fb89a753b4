import { availableParallelism } from "node:os"
import { Worker } from "node:worker_threads"
import type { Extracted } from "./extract/extracted.ts"
import type { ReadBodyTask } from "./read-body.ts"
import { moduleBeside } from "#base/process/module-beside.ts"
import type { ThreadMessage } from "./thread-messages.ts"

/** What became of a body: `unsupported`, `unreadable` and `timeout` are the page's fault, `closed` is ours. */
export type ReadBodyResult =
  | { readonly kind: "read"; readonly extracted: Extracted }
  | { readonly kind: "unsupported" | "unreadable" | "timeout" | "closed"; readonly detail: string }

export interface ReaderThreadsOptions {
  /** 0: one less than the machine has processors, at least 1. */
  readonly threads: number
  /** For one body, from the moment its thread is ready. */
  readonly timeoutMs: number
  /** Memory of one thread, in megabytes. */
  readonly memoryMb?: number
  readonly idleMs?: number
  /** The thread's program; tests give others. */
  readonly program?: URL
}

interface Task {
  readonly task: ReadBodyTask
  readonly resolve: (result: ReadBodyResult) => void
}

interface Thread {
  readonly worker: Worker
  isReady: boolean
  current: Task | null
  timer: NodeJS.Timeout | null
}

/** For a thread to get ready, which takes a second of processor time: a busy machine costs no page. */
const START_MS = 60_000

/**
 * Threads that read bodies. They start with the first task and end after a quiet while, so an idle appliance
 * holds no memory for them. A thread that crashes, runs out of memory or takes too long costs its page only:
 * it is thrown away and another one goes on with the rest.
 */
export class ReaderThreads implements AsyncDisposable {
  readonly #options: Required<ReaderThreadsOptions>
  readonly #threads = new Set<Thread>()
  readonly #waiting: Task[] = []
  #idle: NodeJS.Timeout | null = null
  #closed = false

  constructor(options: ReaderThreadsOptions) {
    this.#options = {
      memoryMb: 256,
      idleMs: 10_000,
      program: moduleBeside(import.meta.url, "./read-worker"),
      ...options,
      threads: options.threads === 0 ? Math.max(1, availableParallelism() - 1) : options.threads,
    }
  }

  /**
   * Reads one body. The body's buffer goes to the thread and is empty here afterwards. `signal` says that nobody
   * waits for it any more: then it is not read, unless a thread is at it already.
   */
  read(task: ReadBodyTask, signal?: AbortSignal): Promise<ReadBodyResult> {
    if (this.#closed) return Promise.resolve({ kind: "closed", detail: "the reader was closed" })
    return new Promise((resolve) => {
      const waiting = { task, resolve }
      this.#waiting.push(waiting)
      const drop = () => {
        const at = this.#waiting.indexOf(waiting)
        if (at < 0) return
        this.#waiting.splice(at, 1)
        resolve({ kind: "closed", detail: "nobody waits for the page any more" })
      }
      signal?.addEventListener("abort", drop, { once: true })
      this.#next()
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true
    if (this.#idle) clearTimeout(this.#idle)
    for (const { resolve } of this.#waiting.splice(0))
      resolve({ kind: "closed", detail: "the reader was closed" })
    await Promise.all(
      [...this.#threads].map((thread) =>
        this.#discard(thread, { kind: "closed", detail: "the reader was closed" }),
      ),
    )
  }

  #next(): void {
    while (this.#waiting.length > 0) {
      const thread = this.#free()
      if (!thread) return
      const task = this.#waiting.shift()
      if (task) this.#run(thread, task)
    }
  }

  #free(): Thread | null {
    for (const thread of this.#threads) if (thread.current === null) return thread
    return this.#threads.size < this.#options.threads ? this.#start() : null
  }

  #start(): Thread {
    const worker = new Worker(this.#options.program, {
      resourceLimits: { maxOldGenerationSizeMb: this.#options.memoryMb, stackSizeMb: 8 },
      env: {},
    })
    const thread: Thread = { worker, isReady: false, current: null, timer: null }
    worker.unref()
    worker.on("message", (message: ThreadMessage) => {
      if (message === "ready") {
        thread.isReady = true
        if (thread.current) this.#limit(thread)
      } else {
        this.#finish(
          thread,
          message.ok
            ? { kind: "read", extracted: message.extracted }
            : { kind: message.kind, detail: message.message },
        )
      }
    })
    worker.on("error", (error) => {
      void this.#discard(thread, { kind: "unreadable", detail: error.message })
    })
    worker.on("exit", (code) => {
      void this.#discard(thread, { kind: "unreadable", detail: `the reader thread ended with code ${code}` })
    })
    this.#threads.add(thread)
    return thread
  }

  #run(thread: Thread, task: Task): void {
    if (this.#idle) clearTimeout(this.#idle)
    this.#idle = null
    thread.current = task
    thread.worker.ref()
    this.#limit(thread)
    thread.worker.postMessage(task.task, [task.task.body.buffer as ArrayBuffer])
  }

  /** From now on the thread has so long for what it is at: to start, or to read. */
  #limit(thread: Thread): void {
    const [what, limitMs] = thread.isReady
      ? ["reading the page", this.#options.timeoutMs]
      : ["starting a reader thread", START_MS]
    if (thread.timer) clearTimeout(thread.timer)
    thread.timer = setTimeout(() => {
      void this.#discard(thread, { kind: "timeout", detail: `${what} took more than ${limitMs} ms` })
    }, limitMs)
  }

  #finish(thread: Thread, result: ReadBodyResult): void {
    const task = thread.current
    if (thread.timer) clearTimeout(thread.timer)
    thread.timer = null
    thread.current = null
    thread.worker.unref()
    task?.resolve(result)
    this.#next()
    this.#rest()
  }

  async #discard(thread: Thread, result: ReadBodyResult): Promise<void> {
    if (!this.#threads.delete(thread)) return
    this.#finish(thread, result)
    await thread.worker.terminate()
  }

  #rest(): void {
    if (this.#closed || this.#idle || [...this.#threads].some(({ current }) => current !== null)) return
    this.#idle = setTimeout(() => {
      this.#idle = null
      for (const thread of this.#threads) void this.#discard(thread, { kind: "closed", detail: "idle" })
    }, this.#options.idleMs)
    this.#idle.unref()
  }
}
