import { setImmediate } from "node:timers/promises"
import type { EmbedOptions, Embedder } from "../../embedder.ts"
import {
  type PackedTokens,
  type WeightedTokens,
  lateInteraction,
  packTokens,
  weighTokens,
} from "../ranking/late-interaction.ts"
import { ByteLru, CacheMemory } from "#base/flow/cache-memory.ts"

/** For token vectors of passages: of some five hundred, about 40 KB each. */
const MEMORY = new CacheMemory("passages", 20 * 1024 * 1024)

/** Reads passages against a question with the embedder's token vectors, and remembers those of passages. */
export class LateReader {
  readonly #embedder: Embedder
  readonly #passages = new ByteLru<string, PackedTokens>(MEMORY)

  constructor(embedder: Embedder) {
    this.#embedder = embedder
  }

  /** False with a model that gives no token vectors. */
  get isAble(): boolean {
    return this.#embedder.hasTokenVectors !== false
  }

  /** The question's tokens, each weighed by its word. */
  async question(
    text: string,
    language: string | null,
    idf: (term: string) => number,
    signal: AbortSignal | undefined,
  ): Promise<WeightedTokens> {
    const [tokens] = await this.#embedder.tokenVectors([text], { as: "question", ...optionsOf(signal) })
    return weighTokens(text, tokens!, language, idf)
  }

  /** How well each text says what the question asks, 0..1, in order. */
  async read(
    question: WeightedTokens,
    texts: readonly string[],
    signal: AbortSignal | undefined,
  ): Promise<number[]> {
    const read = new Map<string, PackedTokens>()
    for (const text of texts) {
      const known = this.#passages.get(text)
      if (known) read.set(text, known)
    }
    const unknown = [...new Set(texts)].filter((text) => !read.has(text))
    const made = unknown.length > 0 ? await this.#embedder.tokenVectors(unknown, optionsOf(signal)) : []
    for (const [i, text] of unknown.entries()) {
      const packed = packTokens(made[i]!)
      read.set(text, packed)
      this.#passages.set(text, packed, bytesOf(text, packed))
      await setImmediate()
    }
    const scores: number[] = []
    for (const text of texts) {
      const passage = read.get(text)!
      scores.push(lateInteraction(question, passage, this.#embedder.traits?.cosines))
      // A millisecond or two each: others go in between.
      await setImmediate()
      signal?.throwIfAborted()
    }
    return scores
  }
}

const bytesOf = (text: string, { values, scales }: PackedTokens): number =>
  2 * text.length + values.byteLength + scales.byteLength

const optionsOf = (signal: AbortSignal | undefined): EmbedOptions =>
  signal ? { priority: "query", signal } : { priority: "query" }
