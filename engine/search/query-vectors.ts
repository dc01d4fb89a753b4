import { traced } from "#base/traces/tracing.ts"
import { type EmbedOptions, type Embedder, type ModelTraits, traitsOf } from "../embedder.ts"
import { Lru } from "#base/flow/lru.ts"

/** The vectors of the last questions: the same question often comes again, on another page or with a filter. */
export class QueryVectors {
  readonly #embedder: Embedder
  readonly #known = new Lru<string, Float32Array>(500)

  constructor(embedder: Embedder) {
    this.#embedder = embedder
  }

  /** What the model says of itself. */
  get traits(): ModelTraits {
    return traitsOf(this.#embedder)
  }

  async of(text: string, signal: AbortSignal | undefined): Promise<Float32Array> {
    const known = this.#known.get(text)
    if (known) return known
    const options: EmbedOptions = { as: "question", priority: "query", ...(signal && { signal }) }
    const [vector] = await traced("embed the question", {}, () => this.#embedder.embed([text], options))
    this.#known.set(text, vector!)
    return vector!
  }
}
