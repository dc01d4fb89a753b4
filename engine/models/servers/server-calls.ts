import { EngineError } from "../../errors.ts"
import { Availability, ModelOutage } from "./availability.ts"
import { ModelServerError } from "./model-server.ts"

export interface ServerCallsOptions {
  /** What asks, such as `embedder`: it is refused by this name once it is closed. */
  readonly what: string
  /** The model on the server, such as `the embedding model`: an outage begins with it. */
  readonly model: string
  /** What Fossick does without the server, and where to look; a sentence. */
  readonly whatNow: string
  /** Asks the server something small; rejects while it does not answer, or not as it should. */
  readonly look: () => Promise<void>
}

/** The calls to a model's server: none while it is away or after closing, and one that fails begins an outage. */
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
   * @throws ModelOutage while the server is away; EngineError `ENGINE_CLOSED`; whatever `signal` aborts with
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

  /** Records that the server does not answer. @returns the current outage, or the one that begins */
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
