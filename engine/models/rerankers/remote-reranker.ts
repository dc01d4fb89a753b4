import type { Values } from "#base/settings.ts"
import { ModelServer, ModelServerError } from "../servers/model-server.ts"
import { ServerCalls } from "../servers/server-calls.ts"
import { serverKey } from "../servers/server-key.ts"
import type { modelServerSettings } from "../servers/settings.ts"
import type { Reranker } from "../../reranker.ts"
import { sigmoid } from "./cross-encoder.ts"
import { RERANK_SHAPES, type RerankShape, scoresIn } from "./rerank-wire.ts"

export type RerankerSettings = Pick<
  Values<typeof modelServerSettings>,
  "rerankerUrl" | "rerankerModel" | "rerankerKey" | "rerankerApi" | "rerankerTimeoutMs"
>

/** Maximum size of a response, large enough for servers that send the texts back. */
const BYTES_PER_TEXT = 16 * 1024
const BYTES_BESIDE = 64 * 1024
/** Statuses that servers return for a request in the other format. */
const MISUNDERSTOOD = new Set([400, 422])
const WHAT_NOW = "Until it answers, results are ranked without it: see FOSSICK_RERANKER_URL."
/** The request that checks whether the server is back. */
const PROBE = "ready?"

/** A reranker on a server chosen by the operator, which uses the format of Cohere and Jina or that of Text Embeddings Inference. */
export class RemoteReranker implements Reranker {
  readonly id: string
  readonly #settings: RerankerSettings
  readonly #server: ModelServer
  readonly #calls: ServerCalls
  #shape: RerankShape
  #isShapeKnown: boolean
  /** Whether the server has returned a score outside 0..1. Servers that return the model's raw output (llama.cpp) do. */
  #givesLogits = false

  /** @throws SettingsError */
  constructor(settings: RerankerSettings) {
    this.id = `remote:${settings.rerankerModel}`
    this.#settings = settings
    this.#server = new ModelServer({
      url: settings.rerankerUrl,
      key: serverKey("FOSSICK_RERANKER_KEY", settings.rerankerKey),
      purpose: "reranker",
    })
    this.#isShapeKnown = settings.rerankerApi !== "auto"
    this.#shape = RERANK_SHAPES[settings.rerankerApi === "tei" ? "tei" : "cohere"]
    this.#calls = new ServerCalls({
      what: "reranker",
      model: "the reranker",
      whatNow: WHAT_NOW,
      look: async () => void (await this.#ask(PROBE, [PROBE], this.#calls.closing)),
    })
  }

  get outage(): string | null {
    return this.#calls.outage
  }

  async scores(question: string, texts: readonly string[], signal?: AbortSignal): Promise<number[]> {
    const scores = await this.#calls.run(signal, async (either) =>
      texts.length === 0 ? [] : await this.#ask(question, texts, either),
    )
    this.#givesLogits ||= scores.some((score) => score < 0 || score > 1)
    return this.#givesLogits ? scores.map(sigmoid) : scores
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#calls[Symbol.dispose]()
    await this.#server[Symbol.asyncDispose]()
  }

  async #ask(question: string, texts: readonly string[], signal: AbortSignal): Promise<number[]> {
    const { rerankerTimeoutMs: timeoutMs, rerankerModel: model } = this.#settings
    const how = { timeoutMs, maxBytes: texts.length * BYTES_PER_TEXT + BYTES_BESIDE, signal }
    const askIn = async (shape: RerankShape) => {
      const answer = await this.#server.post("/rerank", shape.body(model, question, texts), how)
      this.#shape = shape
      this.#isShapeKnown = true
      return scoresIn(answer, texts.length)
    }
    try {
      return await askIn(this.#shape)
    } catch (error) {
      const isOther = error instanceof ModelServerError && MISUNDERSTOOD.has(error.status ?? 0)
      if (this.#isShapeKnown || !isOther) throw error
      return await askIn(RERANK_SHAPES.tei)
    }
  }
}
