import { setTimeout as sleep } from "node:timers/promises"
import { unlessAborted } from "#base/flow/unless-aborted.ts"
import type { Values } from "#base/settings.ts"
import {
  type EmbedOptions,
  type Embedder,
  type ModelTraits,
  PLAIN_TRAITS,
  type TokenVectors,
} from "../../../embedder.ts"
import { EngineError } from "../../../errors.ts"
import { ModelOutage } from "../../servers/availability.ts"
import { ModelServer, ModelServerError, type PostOptions } from "../../servers/model-server.ts"
import { ServerCalls } from "../../servers/server-calls.ts"
import { serverKey } from "../../servers/server-key.ts"
import { MAX_DIMENSIONS, type modelServerSettings } from "../../servers/settings.ts"
import { EMBEDDINGS_SHAPES, type EmbeddingsShape, unitVector } from "./embeddings-wire.ts"
import { type KnownModel, KnownModelFile } from "./known-model.ts"

export type RemoteSettings = Pick<
  Values<typeof modelServerSettings>,
  | "embeddingsUrl"
  | "embeddingsModel"
  | "embeddingsKey"
  | "embeddingsApi"
  | "embeddingsDimensions"
  | "embeddingsQuestionPrefix"
  | "embeddingsPassagePrefix"
  | "embeddingsCosines"
  | "embeddingsBatch"
  | "embeddingsTimeoutMs"
> & { readonly dataDir: string }

/** A text that every process embeds first: its vector shows whether the server still has the model that made the index. */
const PROBE = "ready?"
/**
 * The lowest cosine allowed between two vectors of the same text from the same model. Servers compute in 16-bit or
 * 8-bit numbers, alone or in a batch, which results in 0.99 or more. Vectors from two different models with the same
 * dimensions have a cosine near 0.
 */
const SAME_MODEL = 0.95
/** The time limit for texts of pages is this many times that for questions: no user is waiting for them, and a request contains more of them. */
const INDEX_PATIENCE = 30
/** Attempts at embedding page texts before the server counts as unavailable. */
const ATTEMPTS = 3
const FIRST_RETRY_MS = 500
const LAST_RETRY_MS = 60_000
/** Maximum size of a response: each number of a vector takes up to 24 bytes; the rest, such as the model's name, is short. */
const BYTES_PER_DIMENSION = 24
const BYTES_BESIDE = 64 * 1024
/** How many times a text that the server refuses is cut in half: servers that don't truncate texts refuse long ones. */
const SHORTENED = 3
/** Statuses that servers return when a request or a text is too large. */
const TOO_MUCH = new Set([400, 413, 422])
/** Statuses that servers return for an address that doesn't exist. */
const NOT_THERE = new Set([404, 405, 501])

const WHAT_NOW =
  "Questions are answered by words alone, and pages wait for their vectors, until it answers: see FOSSICK_EMBEDDINGS_URL."

/** How a request is made, and how its cost is reported. */
interface Asking {
  readonly timeoutMs: number
  readonly signal?: AbortSignal | undefined
  /** Called at the end with the number of tokens that the server read; null if the server doesn't report it. */
  readonly onRead?: (tokens: number | null) => void
}

/**
 * Embeds texts on a server chosen by the operator: OpenAI-compatible, or Text Embeddings Inference.
 *
 * The server is not trusted: each vector is checked, and the first one of every process is compared with the one that
 * the server returned when the index was created.
 */
export class RemoteEmbedder implements Embedder {
  readonly id: string
  readonly dimensions: number
  readonly traits: ModelTraits
  readonly hasTokenVectors = false
  readonly #settings: RemoteSettings
  readonly #server: ModelServer
  /** `null` to store nothing. */
  readonly #file: KnownModelFile | null
  readonly #calls: ServerCalls
  #shape: EmbeddingsShape
  #isShapeKnown: boolean
  #probe: readonly number[] | null
  #recognised: Promise<void> | undefined
  /** The last text that the server refused, and its error: each text is reported once. */
  #refused: ModelOutage | undefined

  private constructor(settings: RemoteSettings, server: ModelServer, known: KnownModel, keep: boolean) {
    this.dimensions = known.dimensions
    this.id = remoteId(settings, known.dimensions)
    this.traits = { ...PLAIN_TRAITS, cosines: settings.embeddingsCosines }
    this.#settings = settings
    this.#server = server
    this.#file = keep ? fileOf(settings) : null
    this.#probe = known.probe
    this.#isShapeKnown = settings.embeddingsApi !== "auto"
    this.#shape = EMBEDDINGS_SHAPES[settings.embeddingsApi === "tei" ? "tei" : "openai"]
    this.#calls = new ServerCalls({
      what: "embedder",
      model: "the embedding model",
      whatNow: WHAT_NOW,
      look: () => this.#recognise(),
    })
  }

  /**
   * Opens without a request if the model's dimensions are already known or set.
   *
   * @param options.keep false leaves the data folder as it is. Default true.
   * @throws EngineError `MODEL_UNAVAILABLE` if the dimensions are unknown and the server doesn't respond; SettingsError
   */
  static async open(settings: RemoteSettings, { keep = true } = {}): Promise<RemoteEmbedder> {
    const server = new ModelServer({
      url: settings.embeddingsUrl,
      key: serverKey("FOSSICK_EMBEDDINGS_KEY", settings.embeddingsKey),
      purpose: "embeddings",
    })
    const known = await fileOf(settings).read()
    if (known) return new RemoteEmbedder(settings, server, known, keep)
    const unknown = { model: settings.embeddingsModel, dimensions: 0, probe: null }
    const asking = new RemoteEmbedder(settings, server, unknown, false)
    try {
      const [vector] = await asking.#patiently([PROBE], {})
      const found = { model: settings.embeddingsModel, dimensions: vector!.length, probe: [...vector!] }
      if (keep) await fileOf(settings).write(found)
      const embedder = new RemoteEmbedder(settings, server, found, keep)
      embedder.#shape = asking.#shape
      embedder.#isShapeKnown = asking.#isShapeKnown
      embedder.#recognised = Promise.resolve()
      return embedder
    } catch (error) {
      await server[Symbol.asyncDispose]()
      if (!(error instanceof ModelServerError)) throw error
      throw new EngineError(
        "MODEL_UNAVAILABLE",
        `The server at FOSSICK_EMBEDDINGS_URL ${error.message}, and its model is not known yet. Start it and check FOSSICK_EMBEDDINGS_URL, FOSSICK_EMBEDDINGS_MODEL and FOSSICK_EMBEDDINGS_KEY, or set FOSSICK_EMBEDDINGS_DIMENSIONS to start without it.`,
        { cause: error },
      )
    }
  }

  /** The reason why there are no vectors at present, as a sentence for any reader. */
  get outage(): string | null {
    return this.#calls.outage
  }

  /** @throws ModelOutage while the server is unavailable; EngineError `MODEL_UNAVAILABLE` for a text that the server refuses. */
  async embed(
    given: readonly string[],
    { as = "passage", priority = "index", signal, onTokens }: EmbedOptions = {},
  ): Promise<Float32Array[]> {
    const { embeddingsQuestionPrefix, embeddingsPassagePrefix } = this.#settings
    const prefix = as === "question" ? embeddingsQuestionPrefix : embeddingsPassagePrefix
    const texts = given.map((text) => `${prefix}${text}`)
    const onRead = (tokens: number | null) => {
      if (tokens !== null) onTokens?.(tokens)
    }
    return await this.#calls.run(signal, async (either) => {
      if (texts.length === 0) return []
      await this.#recogniseOnce(signal)
      try {
        const { embeddingsTimeoutMs: timeoutMs } = this.#settings
        return priority === "query"
          ? await this.#batches(texts, { timeoutMs, signal: either, onRead })
          : await this.#patiently(texts, { signal: either, onRead })
      } catch (error) {
        throw isTooMuch(error) ? this.#refusal(error) : error
      }
    })
  }

  tokenVectors(): Promise<TokenVectors[]> {
    return Promise.reject(
      new EngineError("MODEL_UNAVAILABLE", "An embeddings server gives no token vectors."),
    )
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#calls[Symbol.dispose]()
    await this.#server[Symbol.asyncDispose]()
  }

  #refusal(error: ModelServerError): ModelOutage {
    const because = `The server of the embedding model ${error.message}, even to a shortened text.`
    if (this.#refused?.because !== because) {
      this.#refused = new ModelOutage(because, "fossick doctor shows its response.", { cause: error })
    }
    return this.#refused
  }

  /** @throws ModelOutage when the server does not respond properly; the abort reason of `signal` */
  async #recogniseOnce(signal: AbortSignal | undefined): Promise<void> {
    this.#recognised ??= this.#recognise().catch((error: unknown) => {
      this.#recognised = undefined
      throw error instanceof ModelServerError ? this.#calls.away(error) : error
    })
    if (!signal) return await this.#recognised
    await unlessAborted(this.#recognised, signal)
    signal.throwIfAborted()
  }

  /** Checks that the server still has the same model. */
  async #recognise(): Promise<void> {
    const [vector] = await this.#ask([PROBE], {
      timeoutMs: this.#settings.embeddingsTimeoutMs,
      signal: this.#calls.closing,
    })
    if (this.#probe) {
      const cosine = vector!.reduce((sum, value, i) => sum + value * this.#probe![i]!, 0)
      if (cosine >= SAME_MODEL) return
      throw new ModelServerError(
        "now has another model under this name: give that model its own name in FOSSICK_EMBEDDINGS_MODEL",
        { status: 200 },
      )
    }
    this.#probe = [...vector!]
    const { embeddingsModel: model } = this.#settings
    await this.#file?.write({ model, dimensions: this.dimensions, probe: this.#probe })
  }

  /** {@link #batches} for pages: more patient, and retried after temporary failures. */
  async #patiently(texts: readonly string[], how: Omit<Asking, "timeoutMs">): Promise<Float32Array[]> {
    const { signal } = how
    const timeoutMs = this.#settings.embeddingsTimeoutMs * INDEX_PATIENCE
    for (let attempt = 1, wait = FIRST_RETRY_MS; ; attempt++, wait *= 2) {
      try {
        return await this.#batches(texts, { ...how, timeoutMs })
      } catch (error) {
        if (!(error instanceof ModelServerError) || !error.isPassing || attempt >= ATTEMPTS) throw error
        const asked = Math.min(error.retryAfterMs ?? 0, LAST_RETRY_MS)
        await sleep(Math.max(wait, asked), undefined, signal && { signal })
      }
    }
  }

  async #batches(texts: readonly string[], how: Asking): Promise<Float32Array[]> {
    const size = this.#settings.embeddingsBatch
    const batches: (readonly string[])[] = []
    for (let at = 0; at < texts.length; at += size) batches.push(texts.slice(at, at + size))
    let tokens: number | null = 0
    const onRead = (read: number | null) => {
      tokens = tokens === null || read === null ? null : tokens + read
    }
    const made = await Promise.all(batches.map((some) => this.#smaller(some, { ...how, onRead })))
    // Reported after all batches have arrived, so that a retried request is counted only once.
    how.onRead?.(tokens)
    return made.flat()
  }

  /** Splits a request that is too large for the server in half, and finally truncates the text. */
  async #smaller(texts: readonly string[], how: Asking, shortened = 0): Promise<Float32Array[]> {
    try {
      return await this.#ask(texts, how)
    } catch (error) {
      if (!isTooMuch(error) || shortened >= SHORTENED) throw error
      if (texts.length > 1) {
        const half = texts.length >> 1
        const first = await this.#smaller(texts.slice(0, half), how)
        return [...first, ...(await this.#smaller(texts.slice(half), how))]
      }
      const [text = ""] = texts
      if (text.length < 2) throw error
      return await this.#smaller([text.slice(0, text.length >> 1)], how, shortened + 1)
    }
  }

  async #ask(texts: readonly string[], { timeoutMs, signal, onRead }: Asking): Promise<Float32Array[]> {
    const shape = this.#shape
    const { embeddingsModel: model, embeddingsDimensions: cutTo } = this.#settings
    // A server can return more dimensions than are used.
    const dimensions = cutTo > 0 || this.dimensions === 0 ? MAX_DIMENSIONS : this.dimensions
    const how = {
      timeoutMs,
      signal,
      maxBytes: texts.length * dimensions * BYTES_PER_DIMENSION + BYTES_BESIDE,
    }
    let answer
    try {
      answer = await this.#server.post(shape.path, shape.body(model, texts), how)
    } catch (error) {
      if (this.#isShapeKnown || !isNotThere(error)) throw error
      answer = await this.#askOther(texts, how, error)
    }
    this.#isShapeKnown = true
    const vectors = this.#shape.vectors(answer, texts.length).map((one) => unitVector(one, cutTo || null))
    const wrong = vectors.find(({ length }) => this.dimensions > 0 && length !== this.dimensions)
    if (!wrong) {
      onRead?.(this.#shape.tokens(answer))
      return vectors
    }
    throw new ModelServerError(
      `gave a vector of ${wrong.length} dimensions instead of ${this.dimensions}: it now has another model; give that model its own name in FOSSICK_EMBEDDINGS_MODEL`,
      { status: 200 },
    )
  }

  /** @throws ModelServerError `first`, when neither of the two addresses exists on the server */
  async #askOther(texts: readonly string[], how: PostOptions, first: ModelServerError): Promise<unknown> {
    const { tei } = EMBEDDINGS_SHAPES
    try {
      const answer = await this.#server.post(tei.path, tei.body("", texts), how)
      this.#shape = tei
      return answer
    } catch (error) {
      throw isNotThere(error) ? first : error
    }
  }
}

/** The identity of a model's vectors, independent of the server's address and key. */
function remoteId(
  {
    embeddingsModel,
    embeddingsQuestionPrefix: question,
    embeddingsPassagePrefix: passage,
  }: Pick<RemoteSettings, "embeddingsModel" | "embeddingsQuestionPrefix" | "embeddingsPassagePrefix">,
  dimensions: number,
): string {
  const prefixed = question + passage === "" ? "" : `:${JSON.stringify([question, passage])}`
  return `remote:${embeddingsModel}:${dimensions}${prefixed}`
}

/** The model's name from an id made by {@link remoteId}; null for any other embedder's id. */
export function remoteModelOf(id: string): string | null {
  return /^remote:(.*):\d+(?::\[".*"\])?$/.exec(id)?.[1] ?? null
}

/** A model's identity doesn't include an address, so the same model at two addresses shares one file. */
const fileOf = ({ dataDir, embeddingsModel, embeddingsDimensions }: RemoteSettings): KnownModelFile =>
  new KnownModelFile(dataDir, embeddingsModel, embeddingsDimensions)

const isTooMuch = (error: unknown): error is ModelServerError =>
  error instanceof ModelServerError && TOO_MUCH.has(error.status ?? 0)

const isNotThere = (error: unknown): error is ModelServerError =>
  error instanceof ModelServerError && NOT_THERE.has(error.status ?? 0)
