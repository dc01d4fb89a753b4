import { traced } from "#base/telemetry/traces/tracing.ts"
import {
  type EmbedOptions,
  type Embedder,
  type ModelTraits,
  type TokenVectors,
  traitsOf,
} from "../embedder.ts"
import { type LanguageOffset, LanguageOffsets } from "./language-offset.ts"
import { ByteLru, CacheMemory } from "#base/flow/memory/cache-memory.ts"

/** Memory for the vectors of a thousand questions, if a vector has 384 dimensions. */
const MEMORY = new CacheMemory("questions", 2 * 1024 * 1024)

/** The vectors of the most recent questions: the same question is often asked again, for another page of results or with a filter. */
export class QueryVectors {
  readonly #embedder: Embedder
  readonly #known = new ByteLru<string, Float32Array>(MEMORY)
  readonly #offsets = new LanguageOffsets((text) => this.of(text, undefined))

  constructor(embedder: Embedder) {
    this.#embedder = embedder
  }

  /** Id of the model's embedder. */
  get model(): string {
    return this.#embedder.id
  }

  /** The traits that the model declares. */
  get traits(): ModelTraits {
    return traitsOf(this.#embedder)
  }

  /** Like {@link of}, but moved to the language of the pages if an offset is given. */
  async movedBy(
    offset: LanguageOffset | null,
    ...asked: Parameters<QueryVectors["of"]>
  ): Promise<Float32Array> {
    const vector = await this.of(...asked)
    return offset === null ? vector : await this.#offsets.moved(vector, offset)
  }

  /** @param onTokens called with the question's token vectors if the model produces them along the way */
  async of(
    text: string,
    signal: AbortSignal | undefined,
    onTokens?: (tokens: TokenVectors) => void,
  ): Promise<Float32Array> {
    const known = this.#known.get(text)
    if (known) return known
    const options: EmbedOptions = {
      as: "question",
      priority: "query",
      ...(signal && { signal }),
      ...(onTokens && { onTokenVectors: onTokens }),
    }
    const [vector] = await traced("embed the question", {}, () => this.#embedder.embed([text], options))
    this.#known.set(text, vector!, vector!.byteLength + 2 * text.length)
    return vector!
  }
}
