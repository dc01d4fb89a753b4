import { documentFrequency } from "./arms.ts"
import { Lru } from "./lru.ts"
import type { Tables } from "./tables.ts"

/** BM25's saturation of term frequency, as LanceDB has it. */
const K1 = 1.2
/** Frequencies are counted up to here: a word of so many pages weighs next to nothing. */
const COUNTED_PAGES = 5000
const KNOWN_TERMS = 20_000
/** Frequencies drift slowly; a growth of this share counts them anew. */
const GROWTH = 0.2

/** Facts about the whole collection that scores are measured by. */
export class Collection {
  readonly #frequencies = new Lru<string, number>(KNOWN_TERMS)
  #pages = 0

  /** The BM25 score of a page that would hold every term very often: Σ idf(t) · (k1 + 1). */
  async lexicalBound(tables: Tables, terms: readonly string[]): Promise<number> {
    const pages = await tables.pages.countRows()
    if (Math.abs(pages - this.#pages) > this.#pages * GROWTH) {
      this.#frequencies.clear()
      this.#pages = pages
    }
    const idfs = await Promise.all(
      terms.map(async (term) => {
        let frequency = this.#frequencies.get(term)
        if (frequency === undefined) {
          frequency = await documentFrequency(tables, term, COUNTED_PAGES)
          this.#frequencies.set(term, frequency)
        }
        return Math.log(1 + (pages - frequency + 0.5) / (frequency + 0.5))
      }),
    )
    return idfs.reduce((sum, idf) => sum + idf * (K1 + 1), 0)
  }
}
