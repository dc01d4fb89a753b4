import {
  type EmbedOptions,
  type Embedder,
  type ModelTraits,
  type TokenVectors,
  traitsOf,
} from "../../embedder.ts"
import { unlessAborted } from "#base/flow/unless-aborted.ts"

/** An embedder that creates no vectors for pages until it is released; questions don't wait. */
export class HeldEmbedder implements Embedder {
  readonly #embedder: Embedder
  readonly #held = Promise.withResolvers<void>()

  constructor(embedder: Embedder) {
    this.#embedder = embedder
  }

  get id(): string {
    return this.#embedder.id
  }

  get dimensions(): number {
    return this.#embedder.dimensions
  }

  get traits(): ModelTraits {
    return traitsOf(this.#embedder)
  }

  letGo(): void {
    this.#held.resolve()
  }

  async embed(texts: readonly string[], options: EmbedOptions = {}): Promise<Float32Array[]> {
    await this.#wait(options)
    return await this.#embedder.embed(texts, options)
  }

  async tokenVectors(texts: readonly string[], options: EmbedOptions = {}): Promise<TokenVectors[]> {
    await this.#wait(options)
    return await this.#embedder.tokenVectors(texts, options)
  }

  [Symbol.asyncDispose](): PromiseLike<void> {
    return this.#embedder[Symbol.asyncDispose]()
  }

  async #wait({ priority = "index", signal }: EmbedOptions): Promise<void> {
    if (priority === "query") return
    if (signal) await unlessAborted(this.#held.promise, signal)
    else await this.#held.promise
    signal?.throwIfAborted()
  }
}
