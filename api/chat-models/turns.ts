/** Lets so many works run at once; the others wait in the order in which they came. */
export class Turns {
  readonly #most: number
  #running = 0
  readonly #waiting: (() => void)[] = []

  constructor(most: number) {
    this.#most = most
  }

  /**
   * Runs `work` as soon as it may.
   * @throws whatever `signal` aborts with while it waits
   */
  async run<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    await this.#turn(signal)
    try {
      return await work()
    } finally {
      const next = this.#waiting.shift()
      if (next) next()
      else this.#running--
    }
  }

  async #turn(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    if (this.#running < this.#most) {
      this.#running++
      return
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const onAbort = () => {
      this.#waiting.splice(this.#waiting.indexOf(resolve), 1)
      reject(signal.reason as Error)
    }
    signal.addEventListener("abort", onAbort, { once: true })
    this.#waiting.push(resolve)
    try {
      await promise
    } finally {
      signal.removeEventListener("abort", onAbort)
    }
  }
}
