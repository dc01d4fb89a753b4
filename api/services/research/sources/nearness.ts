import { leaveOut } from "#base/flow/degraded.ts"
import type { Embedder } from "#engine"
import { cosineOf, traitsOf } from "#engine/embedder.ts"
import { ModelOutage } from "#engine/models/servers/availability.ts"
import { nearnessOf } from "#engine/search/ranking/fusion.ts"

/** Texts handed to the embedder at a time: searches that wait go before the next. */
const AT_A_TIME = 32

/** How near texts of one task are to each other in meaning; each is embedded once, however often it is asked for. */
export class Nearness {
  readonly #embedder: Pick<Embedder, "embed" | "traits">
  readonly #vectors = new Map<string, Float32Array>()
  #isOut = false

  constructor(embedder: Pick<Embedder, "embed" | "traits">) {
    this.#embedder = embedder
  }

  /** Gets ready to compare texts. @returns false when no vectors are to be had: words have to do */
  async know(texts: readonly string[], signal: AbortSignal): Promise<boolean> {
    const missing = [...new Set(texts)].filter((text) => !this.#vectors.has(text))
    try {
      for (let at = 0; at < missing.length && !this.#isOut; at += AT_A_TIME) {
        signal.throwIfAborted()
        const some = missing.slice(at, at + AT_A_TIME)
        const vectors = await this.#embedder.embed(some, { priority: "index", signal })
        for (const [i, text] of some.entries()) this.#vectors.set(text, vectors[i]!)
      }
    } catch (error) {
      if (!(error instanceof ModelOutage)) throw error
      leaveOut("answer_meaning")
      this.#isOut = true
    }
    return !this.#isOut
  }

  /** 0 for texts that have nothing to do with each other, 1 for those that mean the same; 0 for one that is not known. */
  between(one: string, other: string): number {
    const [a, b] = [this.#vectors.get(one), this.#vectors.get(other)]
    if (!a || !b) return 0
    return Math.min(1, Math.max(0, nearnessOf(cosineOf(a, b), traitsOf(this.#embedder).cosines)))
  }
}
