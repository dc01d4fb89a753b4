/** Lets so many tasks run at once; the others wait their turn in the order they came. */
export class Gate {
  #free: number
  readonly #waiting: (() => void)[] = []

  /** @param places at least 1. */
  constructor(places: number) {
    this.#free = places
  }

  /** Rejects with the signal's reason when it aborts before the task's turn. */
  async run<T>(task: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    if (this.#free > 0) this.#free--
    else await this.#turn(signal)
    try {
      return await task()
    } finally {
      const next = this.#waiting.shift()
      if (next) next()
      else this.#free++
    }
  }

  async #turn(signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted()
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const giveUp = () => {
      const place = this.#waiting.indexOf(resolve)
      if (place === -1) return
      this.#waiting.splice(place, 1)
      reject(signal?.reason)
    }
    this.#waiting.push(resolve)
    signal?.addEventListener("abort", giveUp, { once: true })
    try {
      await promise
    } finally {
      signal?.removeEventListener("abort", giveUp)
    }
  }
}
