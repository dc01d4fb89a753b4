import { EngineError } from "../../errors.ts"
import { Availability, ModelOutage } from "./availability.ts"
import { ModelServerError } from "./model-server.ts"

export interface ServerCallsOptions {
  /** The name of the caller, such as `embedder`: errors after closing use it. */
  readonly what: string
  /** The model on the server, such as `the embedding model`: reports of an outage begin with it. */
  readonly model: string
  /** What Fossick does without the server, and where to look; a sentence. */
  readonly whatNow: string
  /** Sends the server a small request; rejects if the server doesn't answer as it should. */
  readonly look: () => Promise<void>
}

/** Makes the calls to a model server: no call is made while it is unavailable or after closing, and a failed call begins an outage. */
export class ServerCalls implements Disposable {
  readonly #options: ServerCallsOptions
  readonly #availability: Availability
  readonly #closing = new AbortController()

  constructor(options: ServerCallsOptions) {
    this.#options = options
    this.#availability = new Availability(options.look)
  }

  /** Why there are no answers at present; a sentence for any reader. */
  get outage(): string | null {
    return this.#availability.outage?.because ?? null
  }

  /** Aborted by closing. */
  get closing(): AbortSignal {
    return this.#closing.signal
  }

  /**
   * @param call is given a signal that closing aborts as well
   * @throws ModelOutage while the server is unavailable; EngineError `ENGINE_CLOSED`; whatever `signal` aborts with
   */
  async run<T>(signal: AbortSignal | undefined, call: (either: AbortSignal) => Promise<T>): Promise<T> {
    this.#refuse(signal)
    if (this.#availability.outage) throw this.#availability.outage
    try {
      const answer = await call(signal ? AbortSignal.any([signal, this.closing]) : this.closing)
      this.#availability.answered()
      return answer
    } catch (error) {
      this.#refuse(signal)
      throw error instanceof ModelServerError ? this.away(error) : error
    }
  }

  /** Records that the server doesn't answer. @returns the outage already under way, or a new one */
  away(error: ModelServerError): ModelOutage {
    const { model, whatNow } = this.#options
    const outage = new ModelOutage(`The server of ${model} ${error.message}.`, whatNow, { cause: error })
    return this.#availability.failed(outage, error.retryAfterMs ?? 0)
  }

  [Symbol.dispose](): void {
    this.#closing.abort()
    this.#availability[Symbol.dispose]()
  }

  #refuse(signal: AbortSignal | undefined): void {
    signal?.throwIfAborted()
    if (this.closing.aborted) throw new EngineError("ENGINE_CLOSED", `The ${this.#options.what} was closed.`)
  }
}
