import { EngineError } from "../../errors.ts"

/** Time before the first check of whether a server is back; each later interval is twice as long. */
const FIRST_LOOK_MS = 1_000
const LAST_LOOK_MS = 30_000

/**
 * A model server that doesn't respond. There is one such error per outage, however many calls fail, so that the outage
 * can be reported once.
 */
export class ModelOutage extends EngineError {
  /** A sentence for any reader. */
  readonly because: string

  constructor(because: string, whatNow: string, options?: ErrorOptions) {
    super("MODEL_UNAVAILABLE", `${because} ${whatNow}`, options)
    this.name = "ModelOutage"
    this.because = because
  }
}

/**
 * Tracks whether a server responds (a circuit breaker). After a failure, no call waits for the server; it is checked
 * now and then until it is back.
 */
export class Availability implements Disposable {
  readonly #look: () => Promise<void>
  #outage: ModelOutage | null = null
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  /** @param look sends the server a small request; rejects if the server doesn't respond properly */
  constructor(look: () => Promise<void>) {
    this.#look = look
  }

  /** Null while the server is assumed to respond. */
  get outage(): ModelOutage | null {
    return this.#outage
  }

  /**
   * Records a failure.
   * @param notBeforeMs how long the server asked to be left alone
   * @returns the outage in progress, or this new one
   */
  failed(outage: ModelOutage, notBeforeMs = 0): ModelOutage {
    if (this.#outage || this.#isClosed) return this.#outage ?? outage
    this.#outage = outage
    this.#lookIn(FIRST_LOOK_MS, notBeforeMs)
    return outage
  }

  /** Records a response. */
  answered(): void {
    clearTimeout(this.#timer)
    this.#outage = null
  }

  [Symbol.dispose](): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
  }

  #lookIn(ms: number, notBeforeMs = 0): void {
    const wait = Math.max(ms, Math.min(notBeforeMs, LAST_LOOK_MS))
    this.#timer = setTimeout(() => void this.#lookAfter(ms), wait)
    this.#timer.unref()
  }

  async #lookAfter(ms: number): Promise<void> {
    try {
      await this.#look()
      this.answered()
    } catch {
      if (!this.#isClosed && this.#outage) this.#lookIn(Math.min(ms * 2, LAST_LOOK_MS))
    }
  }
}
