import { type PoolOptions, type PoolWorker, ThreadsPoolWorker } from "vitest/node"

type Listener = (...args: unknown[]) => void

/**
 * A vitest pool whose thread outlives a run, with everything it has loaded: a mutant that is switched on while tests
 * run costs only its tests. Each mutant of code that runs while a file is loaded uses a new thread. For one worker at a
 * time, without isolation.
 */
export const keptThread = {
  name: "kept-thread",
  createPoolWorker: (options: PoolOptions): PoolWorker => new KeptThread(options),
}

let kept: ThreadsPoolWorker | null = null

class KeptThread implements PoolWorker {
  readonly name = "threads"
  readonly #options: PoolOptions
  /** Whether the thread loads everything again and is discarded afterwards. */
  readonly #isFresh: boolean
  #isWarm = false
  #thread: ThreadsPoolWorker
  readonly #listeners: [string, Listener][] = []

  constructor(options: PoolOptions) {
    this.#options = options
    this.#isFresh =
      (options.project.getProvidedContext() as { mutantActivation?: unknown }).mutantActivation === "static"
    this.#thread = new ThreadsPoolWorker(options)
  }

  on(event: string, listener: Listener): void {
    this.#listeners.push([event, listener])
    this.#thread.on(event, listener)
  }

  off(event: string, listener: Listener): void {
    this.#thread.off(event, listener)
  }

  async start(): Promise<void> {
    if (kept !== null && !this.#isFresh) {
      this.#isWarm = true
      this.#thread = kept
      kept = null
      return
    }
    await this.#thread.start()
    this.#options.project.vitest.onClose(() => this.#thread.stop())
  }

  send(message: Parameters<PoolWorker["send"]>[0]): void {
    if (message.type === "start" && this.#isWarm) this.#answer("started")
    else if (message.type === "stop" && !this.#isFresh) this.#answer("stopped")
    else {
      // A warm thread still has the settings of its first run.
      const pattern = this.#options.project.config.testNamePattern ?? /(?:)/
      if (message.type === "run") for (const file of message.context.files) file.testNamePattern = pattern
      this.#thread.send(message)
    }
  }

  deserialize(data: unknown): unknown {
    return data
  }

  async stop(): Promise<void> {
    for (const [event, listener] of this.#listeners) this.#thread.off(event, listener)
    if (this.#isFresh) await this.#thread.stop()
    else kept = this.#thread
  }

  /** The thread's response. */
  #answer(type: "started" | "stopped"): void {
    const message = { type, __vitest_worker_response__: true }
    queueMicrotask(() => {
      for (const [event, listener] of this.#listeners) if (event === "message") listener(message)
    })
  }
}
