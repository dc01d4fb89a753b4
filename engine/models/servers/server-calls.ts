import { EngineError } from "../../errors.ts"
import { Availability, ModelOutage } from "./availability.ts"
import { ModelServerError } from "./model-server.ts"

export interface ServerCallsOptions {
  /** The name of the caller, such as `embedder`, used in errors after closing. */
  readonly what: string
  /** What to call the model on the server, such as `the embedding model`; reports of an outage begin with this. */
  readonly model: string
  /** What Fossick does without the server, and where to look; a sentence. */
  readonly whatNow: string
  /** Sends the server a small request; rejects if the server doesn't respond properly. */
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

  /** The reason why there are no responses at present, as a sentence for any reader. */
  get outage(): string | null {
    return this.#availability.outage?.because ?? null
  }

  /** A signal that is aborted by closing. */
  get closing(): AbortSignal {
    return this.#closing.signal
  }

  /**
   * @param call gets a signal that is also aborted by closing
   * @throws ModelOutage while the server is unavailable; EngineError `ENGINE_CLOSED`; the abort reason of `signal`
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

  /** Records that the server doesn't respond. @returns the outage in progress, or a new one */
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
