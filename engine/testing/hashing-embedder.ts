import { analyse } from "../text/analysis/analyse.ts"
import type { EmbedOptions, Embedder, TokenVectors } from "#engine/embedder.ts"
import { fnv1a } from "#base/text/hash.ts"

const DIMENSIONS = 64

/**
 * An embedder without a model, for tests: a text becomes the counts of its stemmed words, hashed into 64 dimensions
 * with signs (feature hashing, Weinberger et al. 2009) and scaled to unit length. The vectors of texts that share words
 * are close to each other; those of other texts are roughly orthogonal. A text without words gets the first unit
 * vector.
 */
export class HashingEmbedder implements Embedder {
  readonly id: string
  readonly dimensions = DIMENSIONS
  #closed = false

  /** @param id a different id creates an embedder whose vectors must not be mixed with these. */
  constructor(id = "hashing-64") {
    this.id = id
  }

  async embed(texts: readonly string[], options?: EmbedOptions): Promise<Float32Array[]> {
    this.#refuse(options)
    const words = texts.map((text) => analyse(text, "en"))
    options?.onTokens?.(words.flat().length)
    return words.map(hashed)
  }

  /** One token for each stemmed word. */
  async tokenVectors(texts: readonly string[], options?: EmbedOptions): Promise<TokenVectors[]> {
    this.#refuse(options)
    return texts.map((text) => {
      const tokens = analyse(text, "en")
      const vectors = new Float32Array(tokens.length * DIMENSIONS)
      for (const [i, token] of tokens.entries()) vectors.set(hashed([token]), i * DIMENSIONS)
      return { tokens, vectors }
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true
  }

  #refuse(options: EmbedOptions | undefined): void {
    options?.signal?.throwIfAborted()
    if (this.#closed) throw new Error("The embedder is closed.")
  }
}

function hashed(terms: readonly string[]): Float32Array {
  const vector = new Float32Array(DIMENSIONS)
  for (const term of terms) {
    const hash = mixedHash(term)
    const at = hash % DIMENSIONS
    vector[at] = (vector[at] ?? 0) + (hash & 0x8000_0000 ? 1 : -1)
  }
  const length = Math.hypot(...vector)
  if (length === 0) return Float32Array.from(vector, (_, i) => (i === 0 ? 1 : 0))
  return vector.map((value) => value / length)
}

/** FNV-1a over UTF-16 units, with a final mix so that the low bits depend on the whole text. */
function mixedHash(text: string): number {
  let hash = fnv1a(text)
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d)
  return (hash ^ (hash >>> 13)) >>> 0
}
