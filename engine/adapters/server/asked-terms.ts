import type { SearchIndex } from "../../index/search-index.ts"
import { inverseFrequency } from "../../search/ranking/word-statistics.ts"
import { correctionsOf, rareTerms } from "../../text/spelling/corrections.ts"
import { stemmerOf } from "../../text/analysis/stem.ts"
import type { UnknownWord } from "./unknown-words.ts"

/** Maximum number of terms to look up: for a text of hundreds of words, only the first ones are looked up. */
const MOST_TERMS = 64
/** Maximum number of words found on no page, or hardly any, for which the server is asked for similar terms: it compares each of these words with all terms in the index. */
const MOST_UNKNOWN_WORDS = 4

type Frequencies = ReadonlyMap<string, number>

export interface AskedTermsParts {
  /** Number of pages in the index. */
  readonly pages: number
  /** Returns how many pages contain each term. */
  readonly frequenciesOf: (terms: readonly string[]) => Promise<Frequencies>
  /** Returns terms in the index that resemble these words, and how many pages contain each. */
  readonly similarTerms: (words: readonly UnknownWord[]) => Promise<Frequencies>
}

/** Remembers term frequencies for one search, so that the server is asked about each term once. */
export class AskedTerms {
  readonly #parts: AskedTermsParts
  readonly #known = new Map<string, number>()

  constructor(parts: AskedTermsParts) {
    this.#parts = parts
  }

  /** See {@link SearchIndex.idf}. */
  async idf(terms: readonly string[]): Promise<ReadonlyMap<string, number>> {
    await this.#learn(terms)
    return new Map(terms.map((term) => [term, this.idfOf(term)]))
  }

  /** The inverse document frequency of a term that was looked up. */
  idfOf(term: string): number {
    return inverseFrequency(this.#frequencyOf(term), this.#parts.pages)
  }

  /** The terms that are on at least one page. */
  async held(terms: readonly string[]): Promise<string[]> {
    await this.#learn(terms)
    return terms.filter((term) => this.#frequencyOf(term) > 0)
  }

  /** See {@link SearchIndex.corrections}. */
  async corrections(
    asked: Parameters<SearchIndex["corrections"]>[0],
    unheld: ReadonlySet<string> = new Set(),
  ): ReturnType<SearchIndex["corrections"]> {
    await this.#learn(asked.terms)
    const { pages } = this.#parts
    const pagesWith = (term: string) => (unheld.has(term) ? 0 : this.#frequencyOf(term))
    const unknown = asked.terms.filter((term) => unheld.has(term) || this.#known.get(term) === 0)
    const rare = await rareTerms(asked, { pages, pagesWith })
    const terms = [...unknown, ...rare].slice(0, MOST_UNKNOWN_WORDS)
    if (terms.length > 0) {
      const words = terms.map((term) => {
        const { word, language } = asked.written.get(term) ?? { word: term, language: null }
        return { word, stem: stemmerOf(language) }
      })
      this.#note(await this.#parts.similarTerms(words))
    }
    return await correctionsOf(asked, { pages, pagesWith, isHeld: () => Promise.resolve(false) })
  }

  async #learn(terms: readonly string[]): Promise<void> {
    const unknown = terms.filter((term) => !this.#known.has(term)).slice(0, MOST_TERMS)
    if (unknown.length > 0) this.#note(await this.#parts.frequenciesOf(unknown))
  }

  #note(frequencies: Frequencies): void {
    for (const [term, frequency] of frequencies) this.#known.set(term, frequency)
  }

  #frequencyOf(term: string): number {
    return this.#known.get(term) ?? 0
  }
}
