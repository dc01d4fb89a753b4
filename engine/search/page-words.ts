import { breather } from "#base/flow/breather.ts"
import { type WeightedWord, type WordEvidence, wordEvidence } from "../ranking/word-evidence.ts"
import { unpackTerms } from "../text/passage-terms.ts"
import type { SearchIndex } from "../index/search-index.ts"

/** What pages say in the words of one question; each page is read once. */
export class PageWords {
  readonly #index: SearchIndex
  readonly #words: readonly WeightedWord[]
  readonly #known = new Map<string, WordEvidence | null>()

  constructor(index: SearchIndex, words: readonly WeightedWord[]) {
    this.#index = index
    this.#words = words
  }

  /** Reads pages in steps, so that the event loop is not held up for long. */
  async read(pages: Iterable<string>): Promise<void> {
    const unknown = [...pages].filter((page) => !this.#known.has(page))
    if (unknown.length === 0) return
    for (const page of unknown) this.#known.set(page, null)
    const breathe = breather()
    for await (const [page, packed] of this.#index.passageTerms(unknown)) {
      await breathe()
      this.#known.set(page, wordEvidence(unpackTerms(packed), this.#words))
    }
  }

  /** 0..1; 0 when the page is gone or was not read. */
  share(page: string): number {
    return this.#known.get(page)?.share ?? 0
  }

  /** What each passage says, 0..1, by position; null when the page is gone or was not read. */
  passages(page: string): Float64Array | null {
    return this.#known.get(page)?.passages ?? null
  }
}
