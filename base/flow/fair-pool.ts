import { actingFor, APPLIANCE, callerHere, havingWaited, waitedHere } from "./caller.ts"
import { FairQueue, type Party } from "./fair-queue.ts"

/**
 * All resources whose places callers share. To add a pool, add a line here and create a `FairPool` with its name; the
 * handbook has a row for each, and `docs/house/pools.test.ts` looks for limits on callers elsewhere.
 */
export const POOLS = {
  searches: { about: "searches", isLong: false },
  "index-searches": { about: "searches of the index at the same time", isLong: false },
  "live-reads": { about: "pages being read live", isLong: true },
  "live-calls": { about: "extract, crawl and map calls", isLong: true },
  "browser-pages": { about: "pages open in a browser", isLong: true },
  "page-readers": { about: "threads and processes that read pages", isLong: false },
  "work-threads": { about: "threads for work on long texts", isLong: false },
  "chat-model": { about: "replies from the language model", isLong: true },
  "event-streams": { about: "streams of events", isLong: true },
  "job-sockets": { about: "WebSockets that watch a crawl job", isLong: true },
  "crawl-jobs": { about: "crawl jobs under way", isLong: true },
  research: { about: "research tasks under way", isLong: true },
  receivers: { about: "receivers that messages are being sent to", isLong: true },
  images: { about: "images being fetched, by host", isLong: false },
} as const satisfies Record<string, { readonly about: string; readonly isLong: boolean }>

export type PoolName = keyof typeof POOLS

export interface PoolOptions {
  /** Number of tasks that run at once, at least 1. */
  readonly places: number
  /** Number of tasks that may wait, for all keys together. Default: any number. */
  readonly queue?: number
  /** Milliseconds that a task may wait. Default: no limit. */
  readonly waitMs?: number
  /** The error for a refused task. @param seconds time after which a new attempt may succeed */
  readonly refusal?: (seconds: number) => Error
  /** False while no task may begin, even if places are free; {@link FairPool.look} tells the pool that this may have changed. */
  readonly isOpen?: () => boolean
}

export interface TurnOptions {
  readonly signal?: AbortSignal | undefined
  /** Whether the task waits as long as needed and is never refused: for background work. */
  readonly isPatient?: boolean
}

/** A waiting task. */
interface Waiter {
  readonly begin: () => void
  readonly giveUp: (error: unknown) => void
  readonly isPatient: boolean
}

/** Totals of all pools with one name since this process started. */
export interface PoolCounts {
  waiting: number
  /** Number of tasks that had to wait for their turn. */
  waited: number
  waitedMs: number
  refused: number
}

/** While other keys are waiting, one key may have at most 1/SHARE_OF_KEY of the places, rounded up. */
const SHARE_OF_KEY = 2
/** In a pool of long tasks, 1/SHARE_KEPT of the places, rounded down, is kept for keys that have none. */
const SHARE_KEPT = 4
/** Weight of a new measurement in the mean; with this weight, the mean depends on about the last twenty measurements. */
const WEIGHT = 0.1
const MOST_RETRY_SECONDS = 60

const all = new Map<PoolName, PoolCounts>()

/** Every pool that this process has opened. */
export const poolCounts = (): ReadonlyMap<PoolName, Readonly<PoolCounts>> => all

function countsOf(name: PoolName): PoolCounts {
  const counts = all.get(name) ?? { waiting: 0, waited: 0, waitedMs: 0, refused: 0 }
  all.set(name, counts)
  return counts
}

/**
 * Lets a limited number of tasks run at once; the only semaphore in the code base. Waiting keys take turns: one task
 * from each, then the next key's. While another key is waiting, a key with half of the places or more starts no further
 * tasks; alone it may have them all. In pools of long tasks, a quarter of the places is kept for keys that have none,
 * since running tasks are never stopped: another key's first task then begins at once.
 *
 * A task that would wait too long, judging by recent durations and the tasks ahead of it, is refused at once, and one
 * that has waited too long is rejected: a quick refusal is better than an answer after the caller has given up. When
 * too many tasks are waiting, the key with the most waiting tasks loses its last one to a key with fewer.
 */
export class FairPool {
  readonly #options: Required<PoolOptions>
  readonly #counts: PoolCounts
  readonly #isLong: boolean
  readonly #kept: number
  readonly #half: number
  #running = 0
  #refused = 0
  #closed: Error | undefined
  /** Number of places that each key occupies. */
  readonly #held = new Map<Party, number>()
  readonly #waiting = new FairQueue<Waiter>()
  /** Measured mean duration of a task in milliseconds; 0 until the first has ended. */
  #taskMs = 0
  /** When each running task began. */
  readonly #begun = new Set<{ readonly at: number }>()

  constructor(name: PoolName, options: PoolOptions) {
    const refusal = () => new Error(`Too many tasks are waiting for the pool "${name}".`)
    this.#options = { queue: Infinity, waitMs: Infinity, refusal, isOpen: () => true, ...options }
    this.#counts = countsOf(name)
    this.#half = Math.ceil(options.places / SHARE_OF_KEY)
    this.#isLong = POOLS[name].isLong
    this.#kept = this.#isLong ? Math.floor(options.places / SHARE_KEPT) : 0
  }

  /** Number of tasks that may run at once. */
  get places(): number {
    return this.#options.places
  }

  /** Number of running tasks. */
  get running(): number {
    return this.#running
  }

  /** Number of tasks that may wait. */
  get queue(): number {
    return this.#options.queue
  }

  /** Number of waiting tasks. */
  get waiting(): number {
    return this.#waiting.length
  }

  /** Keys that have at least half of the places. */
  get full(): readonly Party[] {
    return [...this.#held].filter(([, held]) => held >= this.#half).map(([key]) => key)
  }

  /** Number of tasks refused or rejected since startup. */
  get refused(): number {
    return this.#refused
  }

  /**
   * Refuses a task that {@link run} would refuse, before any work is done for it.
   * @throws the pool's refusal
   */
  check(key: Party): void {
    const isFull = this.waiting >= this.queue && this.#longerLine(key) === undefined
    if (isFull || this.#expectedMs(key) > this.#options.waitMs) throw this.#refusal(key)
  }

  /**
   * Runs a task when its turn comes. Rejects with the signal's reason when it aborts before the task's turn, and with
   * the pool's refusal when the turn would come too late. If the key belongs to a caller, everything the task starts
   * runs under that key.
   * @param key default: the current caller
   */
  async run<T>(
    task: () => T | Promise<T>,
    { key = callerHere() ?? APPLIANCE, ...options }: TurnOptions & { readonly key?: Party } = {},
  ): Promise<T> {
    options.signal?.throwIfAborted()
    if (this.#closed) throw this.#closed
    const asked = performance.now()
    if (!this.#waiting.lines.has(key) && this.#mayTake(key)) this.#take(key)
    else await this.#turn(key, options)
    if (options.signal?.aborted) {
      this.#leave(key)
      throw options.signal.reason
    }
    const begun = { at: performance.now() }
    this.#begun.add(begun)
    try {
      // A long task does not inherit the wait, because the requests that it makes have their own time limits.
      const waited = this.#isLong ? 0 : waitedHere() + begun.at - asked
      const work = () => havingWaited(waited, task)
      return await (typeof key === "string" && key !== APPLIANCE ? actingFor(key, work) : work())
    } finally {
      this.#begun.delete(begun)
      const took = performance.now() - begun.at
      this.#taskMs = this.#taskMs === 0 ? took : this.#taskMs + WEIGHT * (took - this.#taskMs)
      this.#leave(key)
    }
  }

  /**
   * Takes a place immediately or not at all. Since tasks cannot wait here, a key has at most half of the places.
   * @returns a function that releases the place, once; null if this key gets no place
   */
  enter(key: Party): (() => void) | null {
    if (this.#running >= this.places || (this.#held.get(key) ?? 0) >= this.#half) {
      this.#countRefused()
      return null
    }
    this.#take(key)
    let isTaken = true
    return () => {
      if (isTaken) this.#leave(key)
      isTaken = false
    }
  }

  /** Rejects all waiting tasks, and every later one. */
  close(reason: Error): void {
    this.#closed = reason
    for (const waiter of [...this.#waiting.lines.values()].flat()) waiter.giveUp(reason)
  }

  /** Starts all tasks that may begin. */
  look(): void {
    while (this.#waiting.length > 0) {
      let key: Party | undefined
      const next = this.#waiting.shift((party) => {
        const may = this.#mayTake(party)
        if (may) key = party
        return may
      })
      if (next === undefined || key === undefined) return
      this.#take(key)
      next.begin()
    }
  }

  #mayTake(key: Party): boolean {
    const free = this.places - this.#running
    if (free <= 0 || !this.#options.isOpen()) return false
    const held = this.#held.get(key) ?? 0
    if (held === 0) return true
    if (free <= this.#kept) return false
    const { lines } = this.#waiting
    return held < this.#half || lines.size === (lines.has(key) ? 1 : 0)
  }

  #take(key: Party): void {
    this.#running++
    this.#held.set(key, (this.#held.get(key) ?? 0) + 1)
  }

  #leave(key: Party): void {
    this.#running--
    const left = this.#held.get(key)! - 1
    if (left > 0) this.#held.set(key, left)
    else this.#held.delete(key)
    this.look()
  }

  /** Expected milliseconds until the turn of a new task. */
  #expectedMs(key: Party): number {
    const { lines } = this.#waiting
    const mine = lines.get(key)?.length ?? 0
    if (mine === 0 && this.#mayTake(key)) return 0
    let before = mine
    for (const [other, line] of lines) if (other !== key) before += Math.min(line.length, mine + 1)
    return ((before + 1) * Math.max(this.#taskMs, this.#runningMs())) / this.places
  }

  /** Mean milliseconds for which the current tasks have been running: if tasks become slower, this increases before they end. */
  #runningMs(): number {
    const now = performance.now()
    let sum = 0
    for (const { at } of this.#begun) sum += now - at
    return sum / Math.max(1, this.#begun.size)
  }

  /** The longest queue that is longer than this key's queue would become. */
  #longerLine(key: Party): readonly Waiter[] | undefined {
    let longest: readonly Waiter[] | undefined
    let length = (this.#waiting.lines.get(key)?.length ?? 0) + 1
    for (const line of this.#waiting.lines.values()) {
      if (line.length <= length) continue
      longest = line
      length = line.length
    }
    return longest
  }

  #countRefused(): void {
    this.#refused++
    this.#counts.refused++
  }

  #refusal(key: Party): Error {
    this.#countRefused()
    const seconds = Math.min(MOST_RETRY_SECONDS, Math.max(1, Math.ceil(this.#expectedMs(key) / 1000)))
    return this.#options.refusal(seconds)
  }

  async #turn(key: Party, { signal, isPatient = false }: TurnOptions): Promise<void> {
    const { waitMs } = this.#options
    if (!isPatient) {
      this.check(key)
      if (this.waiting >= this.queue) {
        const last = this.#longerLine(key)?.findLast((one) => !one.isPatient)
        if (last === undefined) throw this.#refusal(key)
        last.giveUp(this.#refusal(key))
      }
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const waiter: Waiter = {
      isPatient,
      begin: resolve,
      giveUp: (error) => {
        if (!this.#waiting.delete(key, waiter)) return
        reject(error)
        // Another key may have been limited to its half because of this waiting task.
        this.look()
      },
    }
    this.#waiting.push(key, waiter)
    this.#counts.waiting++
    this.#counts.waited++
    const since = performance.now()
    const onAbort = () => waiter.giveUp(signal?.reason)
    signal?.addEventListener("abort", onAbort, { once: true })
    const late =
      isPatient || waitMs === Infinity
        ? undefined
        : setTimeout(() => waiter.giveUp(this.#refusal(key)), waitMs)
    try {
      await promise
    } finally {
      clearTimeout(late)
      signal?.removeEventListener("abort", onAbort)
      this.#counts.waiting--
      this.#counts.waitedMs += performance.now() - since
    }
  }
}
