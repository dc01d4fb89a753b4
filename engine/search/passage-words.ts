import { breather } from "#base/flow/breather.ts"
import { type WeightedTerm, passageShares } from "../text/passage-terms.ts"
import type { SearchIndex } from "../index/search-index.ts"

/** What the passages of pages say in the words of one question; each page is read once. */
export class PassageWords {
  readonly #index: SearchIndex
  readonly #terms: readonly WeightedTerm[]
  readonly #known = new Map<string, Float64Array | null>()

  constructor(index: SearchIndex, terms: readonly WeightedTerm[]) {
    this.#index = index
    this.#terms = terms
  }

  /** Reads pages in steps, so that the event loop is not held up for long. */
  async read(pages: Iterable<string>): Promise<void> {
    const unknown = [...pages].filter((page) => !this.#known.has(page))
    if (unknown.length === 0) return
    for (const page of unknown) this.#known.set(page, null)
    const breathe = breather()
    for await (const [page, packed] of this.#index.passageTerms(unknown)) {
      await breathe()
      this.#known.set(page, passageShares(packed, this.#terms))
    }
  }

  /** BM25 of each passage, 0..1, by position; null when the page is gone or was not read. */
  shares(page: string): Float64Array | null {
    return this.#known.get(page) ?? null
  }

  /** The best passage's; undefined when the page is gone or was not read. */
  best(page: string): number | undefined {
    return this.shares(page)?.reduce((most, share) => Math.max(most, share), 0)
  }
}
