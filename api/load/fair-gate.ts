import { ApiError } from "../errors.ts"

export interface GateLimits {
  /** Tasks that run at once, at least 1. */
  readonly places: number
  /** Tasks that may wait, of all keys. */
  readonly queue?: number
  /** Milliseconds that a task may wait. */
  readonly waitMs?: number
}

export interface TurnOptions {
  readonly signal?: AbortSignal | undefined
  /** Waits however long it takes, and is never refused: for work that nobody waits for. */
  readonly isPatient?: boolean
}

/** One that waits. */
interface Waiter {
  readonly begin: () => void
  readonly giveUp: (error: unknown) => void
  readonly isPatient: boolean
}

/** What one more measured task counts in the mean of all: the last twenty or so decide. */
const WEIGHT = 0.1
const MOST_RETRY_SECONDS = 60

/**
 * Lets so many tasks run at once. Who waits is served by turns: of each waiting key one task, then the next key's, so
 * that a key with a thousand tasks holds up another's first by no more than a turn.
 *
 * A task that would wait too long, by the time that tasks took lately and those before it, is refused at once, and one
 * that has waited too long is sent away: better a quick no than an answer that nobody waits for any more. When too many
 * wait, the key with most of them loses its last to a key with fewer.
 */
export class FairGate {
  readonly #limits: Required<GateLimits>
  #free: number
  /** By key, in the order of their turns. */
  readonly #waiting = new Map<string, Waiter[]>()
  #count = 0
  #shed = 0
  /** Milliseconds that a task takes, as measured; 0 until the first has ended. */
  #taskMs = 0
  /** When each task that runs was begun. */
  readonly #begun = new Set<{ readonly at: number }>()

  constructor({ places, queue = Infinity, waitMs = Infinity }: GateLimits) {
    this.#limits = { places, queue, waitMs }
    this.#free = places
  }

  /** Tasks that may run at once. */
  get places(): number {
    return this.#limits.places
  }

  /** Tasks that run. */
  get running(): number {
    return this.#limits.places - this.#free
  }

  /** Tasks that may wait. */
  get queue(): number {
    return this.#limits.queue
  }

  /** Tasks that wait. */
  get waiting(): number {
    return this.#count
  }

  /** Tasks refused or sent away since the start. */
  get shed(): number {
    return this.#shed
  }

  /**
   * Refuses what {@link run} would refuse, before anything is done for it.
   * @throws ApiError 429 with `Retry-After`
   */
  check(key: string): void {
    const isFull = this.#count >= this.#limits.queue && this.#longerLine(key) === undefined
    if (isFull || this.#expectedMs(key) > this.#limits.waitMs) throw this.#refusal(key)
  }

  /**
   * Rejects with the signal's reason when it aborts before the task's turn, and with an ApiError 429 with `Retry-After`
   * when its turn would come too late.
   */
  async run<T>(key: string, task: () => Promise<T>, options: TurnOptions = {}): Promise<T> {
    options.signal?.throwIfAborted()
    if (this.#free > 0) this.#free--
    else await this.#turn(key, options)
    const begun = { at: performance.now() }
    this.#begun.add(begun)
    try {
      return await task()
    } finally {
      this.#begun.delete(begun)
      const took = performance.now() - begun.at
      this.#taskMs = this.#taskMs === 0 ? took : this.#taskMs + WEIGHT * (took - this.#taskMs)
      const next = this.#next()
      if (next) next.begin()
      else this.#free++
    }
  }

  /** Milliseconds until the turn of a new task. */
  #expectedMs(key: string): number {
    if (this.#free > 0) return 0
    const mine = this.#waiting.get(key)?.length ?? 0
    let before = mine
    for (const [other, line] of this.#waiting) if (other !== key) before += Math.min(line.length, mine + 1)
    return ((before + 1) * Math.max(this.#taskMs, this.#runningMs())) / this.#limits.places
  }

  /** Milliseconds for which those that run have run already, in the mean: when tasks get slower, it is known before they end. */
  #runningMs(): number {
    const now = performance.now()
    let sum = 0
    for (const { at } of this.#begun) sum += now - at
    return sum / Math.max(1, this.#begun.size)
  }

  /** The longest line of those longer than the key's own would be. */
  #longerLine(key: string): Waiter[] | undefined {
    let longest: Waiter[] | undefined
    let length = (this.#waiting.get(key)?.length ?? 0) + 1
    for (const line of this.#waiting.values()) {
      if (line.length <= length) continue
      longest = line
      length = line.length
    }
    return longest
  }

  #refusal(key: string): ApiError {
    this.#shed++
    const seconds = Math.min(MOST_RETRY_SECONDS, Math.max(1, Math.ceil(this.#expectedMs(key) / 1000)))
    const text = `The server has more to do than it can answer in time. Try again in ${seconds} s.`
    return new ApiError(429, text, {}, { "Retry-After": String(seconds) })
  }

  #next(): Waiter | undefined {
    const [first] = this.#waiting
    if (first === undefined) return undefined
    const [key, line] = first
    const next = line.shift()
    this.#count--
    this.#waiting.delete(key)
    // To the end: the others come first now.
    if (line.length > 0) this.#waiting.set(key, line)
    return next
  }

  async #turn(key: string, { signal, isPatient = false }: TurnOptions): Promise<void> {
    if (!isPatient) {
      this.check(key)
      if (this.#count >= this.#limits.queue) {
        const last = this.#longerLine(key)?.findLast((one) => !one.isPatient)
        if (last === undefined) throw this.#refusal(key)
        last.giveUp(this.#refusal(key))
      }
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const line = this.#waiting.get(key) ?? []
    if (line.length === 0) this.#waiting.set(key, line)
    const waiter: Waiter = {
      isPatient,
      begin: resolve,
      giveUp: (error) => {
        const place = line.indexOf(waiter)
        if (place === -1) return
        line.splice(place, 1)
        this.#count--
        if (line.length === 0) this.#waiting.delete(key)
        reject(error)
      },
    }
    line.push(waiter)
    this.#count++
    const onAbort = () => waiter.giveUp(signal?.reason)
    signal?.addEventListener("abort", onAbort, { once: true })
    const late =
      isPatient || this.#limits.waitMs === Infinity
        ? undefined
        : setTimeout(() => waiter.giveUp(this.#refusal(key)), this.#limits.waitMs)
    try {
      await promise
    } finally {
      clearTimeout(late)
      signal?.removeEventListener("abort", onAbort)
    }
  }
}
