/**
 * Lets so many tasks run at once. Who waits is served by turns: of each waiting key one task, then the next key's, so
 * that a key with a thousand tasks holds up another's first by no more than a turn.
 */
export class FairGate {
  #free: number
  /** By key, in the order of their turns. */
  readonly #waiting = new Map<string, (() => void)[]>()

  /** @param places at least 1 */
  constructor(places: number) {
    this.#free = places
  }

  /** Rejects with the signal's reason when it aborts before the task's turn. */
  async run<T>(key: string, task: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted()
    if (this.#free > 0) this.#free--
    else await this.#turn(key, signal)
    try {
      return await task()
    } finally {
      const next = this.#next()
      if (next) next()
      else this.#free++
    }
  }

  #next(): (() => void) | undefined {
    const [first] = this.#waiting
    if (first === undefined) return undefined
    const [key, line] = first
    const next = line.shift()
    this.#waiting.delete(key)
    // To the end: the others come first now.
    if (line.length > 0) this.#waiting.set(key, line)
    return next
  }

  async #turn(key: string, signal: AbortSignal | undefined): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const line = this.#waiting.get(key) ?? []
    if (line.length === 0) this.#waiting.set(key, line)
    line.push(resolve)
    const giveUp = () => {
      const place = line.indexOf(resolve)
      if (place === -1) return
      line.splice(place, 1)
      if (line.length === 0) this.#waiting.delete(key)
      reject(signal?.reason as Error)
    }
    signal?.addEventListener("abort", giveUp, { once: true })
    try {
      await promise
    } finally {
      signal?.removeEventListener("abort", giveUp)
    }
  }
}
