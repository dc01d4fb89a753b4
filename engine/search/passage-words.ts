import { breather } from "../../breather.ts"
import { type WeightedTerm, passageShares } from "../../passage-terms.ts"
import type { PageStore } from "./page-store.ts"

/** What the passages of pages say in the words of one question; each page is read once. */
export class PassageWords {
  readonly #store: PageStore
  readonly #terms: readonly WeightedTerm[]
  readonly #known = new Map<string, Float64Array | null>()

  constructor(store: PageStore, terms: readonly WeightedTerm[]) {
    this.#store = store
    this.#terms = terms
  }

  /** Reads many pages in steps, so that the event loop is not held up for long by those who ask for them next. */
  async readAhead(pages: Iterable<string>): Promise<void> {
    const breathe = breather()
    for (const page of pages) {
      await breathe()
      this.shares(page)
    }
  }

  /** BM25 of each passage, 0..1, by position; null when the page is gone. */
  shares(page: string): Float64Array | null {
    let shares = this.#known.get(page)
    if (shares === undefined) {
      const packed = this.#store.passageTerms(page)
      shares = packed && passageShares(packed, this.#terms)
      this.#known.set(page, shares)
    }
    return shares
  }

  /** The best passage's; undefined when the page is gone. */
  best(page: string): number | undefined {
    return this.shares(page)?.reduce((most, share) => Math.max(most, share), 0)
  }
}
