import type { EmbedOptions } from "#engine/embedder.ts"
import { HashingEmbedder } from "#engine/testing/hashing-embedder.ts"

/** Makes vectors by hashing and counts them. */
export class CountingEmbedder extends HashingEmbedder {
  vectors = 0

  override embed(texts: readonly string[], options?: EmbedOptions): Promise<Float32Array[]> {
    this.vectors += texts.length
    return super.embed(texts, options)
  }
}
