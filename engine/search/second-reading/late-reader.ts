import { setImmediate } from "node:timers/promises"
import type { EmbedOptions, Embedder } from "../../embedder.ts"
import {
  type PackedTokens,
  type WeightedTokens,
  lateInteraction,
  packTokens,
  weighTokens,
} from "../../ranking/late-interaction.ts"
import { Lru } from "#base/flow/lru.ts"

/** Passages whose token vectors are kept: about 40 KB each. */
const KEPT = 500

/** Reads passages against a question with the embedder's token vectors, and remembers those of passages. */
export class LateReader {
  readonly #embedder: Embedder
  readonly #passages = new Lru<string, PackedTokens>(KEPT)

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
    const unknown = [...new Set(texts)].filter((text) => !this.#passages.get(text))
    const read = new Map<string, PackedTokens>()
    const made = unknown.length > 0 ? await this.#embedder.tokenVectors(unknown, optionsOf(signal)) : []
    for (const [i, text] of unknown.entries()) {
      read.set(text, packTokens(made[i]!))
      await setImmediate()
    }
    for (const [text, passage] of read) this.#passages.set(text, passage)
    const scores: number[] = []
    for (const text of texts) {
      const passage = read.get(text) ?? this.#passages.get(text)!
      scores.push(lateInteraction(question, passage, this.#embedder.traits?.cosines))
      // A millisecond or two each: others go in between.
      await setImmediate()
      signal?.throwIfAborted()
    }
    return scores
  }
}

const optionsOf = (signal: AbortSignal | undefined): EmbedOptions =>
  signal ? { priority: "query", signal } : { priority: "query" }
