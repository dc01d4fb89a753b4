import { APPLIANCE, callerHere } from "#base/flow/caller.ts"
import { FairPool } from "#base/flow/fair-pool.ts"
import type { Party } from "#base/flow/fair-queue.ts"
import { availableParallelism } from "node:os"
import type { Extracted } from "../extract/extracted.ts"
import type { ReadBodyTask } from "../read-body.ts"
import type { PlaceEnd, ReaderPlace, StartPlace, Unread } from "./reader-place.ts"
import { startReaderThread } from "./reader-thread.ts"

/** The result for a body. All results except `closed`, which is ours, are caused by the page. */
export type ReadBodyResult =
  | { readonly kind: "read"; readonly extracted: Extracted }
  | { readonly kind: Unread | PlaceEnd["kind"] | "timeout" | "closed"; readonly detail: string }

export interface ReaderPoolOptions {
  /** How many bodies are read at once. 0: one less than the machine has processors, but at least 1. */
  readonly places: number
  /** Default: {@link startReaderThread}. */
  readonly start?: StartPlace
  /** Time limit for one body, from the moment its place is ready. */
  readonly timeoutMs: number
  /** Memory of one place, in megabytes. */
  readonly memoryMb?: number
  readonly idleMs?: number
  /** The place's program; tests pass a different one. */
  readonly program?: URL | undefined
}

interface Task {
  readonly task: ReadBodyTask
  readonly resolve: (result: ReadBodyResult) => void
}

interface Place {
  readonly reader: ReaderPlace
  isReady: boolean
  current: Task | null
  timer: NodeJS.Timeout | null
}

export interface ReadBodyOptions {
  /** When aborted, the body is not read, unless a place is already reading it. */
  readonly signal?: AbortSignal
  /** The party that the body belongs to: parties that share the pool take turns. Default: the caller's current party. */
  readonly party?: Party | undefined
  /** Called just before the body is read, after it has waited for its turn. */
  readonly onStart?: (() => Promise<void>) | undefined
}

/** The time limit for starting a place, which takes a second of processor time. It is generous so that no page is lost because the machine is busy. */
const START_MS = 60_000
const CLOSED = new Error("The reader was closed.")

/**
 * Threads or processes that read bodies. They start with the first task and end after an idle period, so an idle
 * appliance uses no memory for them. If a thread or process crashes, runs out of memory or takes too long, only its
 * page is lost: the thread or process is discarded and another one continues with the rest. Parties that share the pool
 * take turns.
 */
export class ReaderPool implements AsyncDisposable {
  readonly #options: Required<ReaderPoolOptions>
  readonly #places = new Set<Place>()
  readonly #turns: FairPool
  #idle: NodeJS.Timeout | null = null
  #closed = false

  constructor(options: ReaderPoolOptions) {
    this.#options = {
      memoryMb: 256,
      idleMs: 10_000,
      start: startReaderThread,
      program: undefined,
      ...options,
      places: options.places === 0 ? Math.max(1, availableParallelism() - 1) : options.places,
    }
    this.#turns = new FairPool("page-readers", { places: this.#options.places })
  }

  /** Reads one body. Its buffer is transferred to the thread or process and may be detached afterwards. */
  async read(
    task: ReadBodyTask,
    { signal, onStart, party = callerHere() ?? APPLIANCE }: ReadBodyOptions = {},
  ): Promise<ReadBodyResult> {
    try {
      return await this.#turns.run(
        async () => {
          if (onStart) await onStart()
          if (this.#closed) throw CLOSED
          return await new Promise<ReadBodyResult>((resolve) => this.#run(this.#free(), { task, resolve }))
        },
        { key: party, signal },
      )
    } catch (error) {
      if (this.#closed) return { kind: "closed", detail: "the reader was closed" }
      if (signal?.aborted !== true) throw error
      return { kind: "closed", detail: "nobody is waiting for the page any more" }
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true
    if (this.#idle) clearTimeout(this.#idle)
    this.#turns.close(CLOSED)
    await Promise.all(
      [...this.#places].map((place) =>
        this.#discard(place, { kind: "closed", detail: "the reader was closed" }),
      ),
    )
  }

  /** Returns a free place: there is one for each body whose turn it is. */
  #free(): Place {
    for (const place of this.#places) if (place.current === null) return place
    return this.#start()
  }

  #start(): Place {
    const { start, memoryMb, program } = this.#options
    const reader = start(
      memoryMb,
      {
        message: (message) => {
          if (message === "ready") {
            place.isReady = true
            if (place.current) this.#limit(place)
          } else {
            const result: ReadBodyResult = message.ok
              ? { kind: "read", extracted: message.extracted }
              : { kind: message.kind, detail: message.message }
            if (message.isSpent === true) void this.#discard(place, result)
            else this.#finish(place, result)
          }
        },
        ended: (end) => void this.#discard(place, end),
      },
      program,
    )
    const place: Place = { reader, isReady: false, current: null, timer: null }
    this.#places.add(place)
    return place
  }

  #run(place: Place, task: Task): void {
    if (this.#idle) clearTimeout(this.#idle)
    this.#idle = null
    place.current = task
    place.reader.ref()
    this.#limit(place)
    place.reader.post(task.task)
  }

  /** Starts the time limit for the place's current work: to start, or to read. */
  #limit(place: Place): void {
    const [what, limitMs] = place.isReady
      ? ["reading the page", this.#options.timeoutMs]
      : ["starting a reader", START_MS]
    if (place.timer) clearTimeout(place.timer)
    const timer = setTimeout(() => {
      // If this process was blocked, the answer may already have arrived: timers are handled before messages.
      setImmediate(() => {
        if (place.timer !== timer) return
        void this.#discard(place, { kind: "timeout", detail: `${what} took more than ${limitMs} ms` })
      })
    }, limitMs)
    place.timer = timer
  }

  #finish(place: Place, result: ReadBodyResult): void {
    const task = place.current
    if (place.timer) clearTimeout(place.timer)
    place.timer = null
    place.current = null
    place.reader.unref()
    task?.resolve(result)
    this.#rest()
  }

  async #discard(place: Place, result: ReadBodyResult): Promise<void> {
    if (!this.#places.delete(place)) return
    this.#finish(place, result)
    await place.reader.end()
  }

  #rest(): void {
    if (this.#closed || this.#idle || [...this.#places].some(({ current }) => current !== null)) return
    this.#idle = setTimeout(() => {
      this.#idle = null
      for (const place of this.#places) void this.#discard(place, { kind: "closed", detail: "idle" })
    }, this.#options.idleMs)
    this.#idle.unref()
  }
}
