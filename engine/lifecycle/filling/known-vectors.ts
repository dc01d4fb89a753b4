import { createHash } from "node:crypto"
import { Lru } from "#base/flow/memory/lru.ts"

/** Number of vectors kept; takes 12 MB if they have 384 dimensions. */
const MOST_VECTORS = 8192

/**
 * Vectors by the text they were made from: those of the passages embedded last, and those of passages that pages had
 * before they changed. A vector depends only on its text, so it can be reused when the same text is embedded again.
 */
export class KnownVectors {
  readonly #vectors = new Lru<string, Float32Array>(MOST_VECTORS)

  get(text: string): Float32Array | undefined {
    return this.#vectors.get(keyOf(text))
  }

  set(text: string, vector: Float32Array): void {
    this.#vectors.set(keyOf(text), vector)
  }
}

/** Hashed, because the hash is shorter than most passages. */
const keyOf = (text: string): string => createHash("sha256").update(text).digest("base64")
