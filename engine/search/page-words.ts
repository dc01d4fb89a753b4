import { breather } from "#base/flow/breather.ts"
import { type WeightedWord, type WordEvidence, wordEvidenceFor } from "./ranking/word-evidence.ts"
import { unpackTerms } from "../text/passage-terms.ts"
import type { LexicalHits, SearchIndex } from "../index/search-index.ts"

/** The words of one question. */
export interface WordsAsked {
  readonly words: readonly WeightedWord[]
  /** Forms of the words on pages in rarer languages. Default: none. */
  readonly further?: ReadonlyMap<string, readonly WeightedWord[]>
  /** Whether the question might be in a language that no page is in: pages then need not contain its words. Default: false. */
  readonly isForeign?: boolean
  /** Variants of the question in other words, which are weighted slightly less. Default: none. */
  readonly variants?: readonly (readonly WeightedWord[])[]
}

/**
 * How much a page with a synonym is worth, relative to a page with the original word. If pages are otherwise alike, the
 * one with the original word comes first; a page that only mentions that word stays behind one that is about the
 * synonym.
 */
const SYNONYM_WEIGHT = 0.9

/** The word evidence of pages for one question; each page is read once. */
export class PageWords {
  readonly #index: SearchIndex
  readonly #asked: WordsAsked
  /** Evidence functions by language; null for all other languages. */
  readonly #evidence = new Map<string | null, ReturnType<typeof wordEvidenceFor>>()
  readonly #known = new Map<string, WordEvidence | null>()
  readonly #likely = new Map<string, number>()

  constructor(index: SearchIndex, asked: WordsAsked) {
    this.#index = index
    this.#asked = asked
  }

  /**
   * Reads the pages that might be among the best; the others are judged by the lexical arm's score.
   *
   * @param pages the likeliest first
   * @param most maximum number of pages to read
   */
  async readLikeliest(pages: readonly string[], most: number, lexical: LexicalHits): Promise<void> {
    await this.read(pages.slice(0, most))
    if (pages.length <= most) return
    // For a page that isn't read, the evidence is estimated from its lexical score, at the lowest ratio found among the
    // pages that are read.
    let least = Infinity
    for (const page of pages.slice(0, most)) {
      const score = lexical.get(page)
      const share = this.#known.get(page)?.share
      if (score && share !== undefined) least = Math.min(least, share / score)
    }
    if (least === Infinity) return
    for (const [page, score] of lexical) this.#likely.set(page, Math.min(1, least * score))
  }

  /** Reads pages in steps, so that the event loop isn't blocked for long. */
  async read(pages: Iterable<string>): Promise<void> {
    const unknown = [...pages].filter((page) => !this.#known.has(page))
    if (unknown.length === 0) return
    for (const page of unknown) this.#known.set(page, null)
    const { further } = this.#asked
    // Requested together with the terms: a server answers both at once.
    const facts = further?.size ? this.#index.facts(unknown) : undefined
    facts?.catch(() => undefined)
    const breathe = breather()
    for await (const [page, packed] of this.#index.passageTerms(unknown)) {
      await breathe()
      const language = (await facts)?.get(page)?.language ?? null
      this.#known.set(page, this.#evidenceIn(language)(unpackTerms(packed)))
    }
  }

  /** Created when needed: out of a dozen languages, usually only one or two are needed. */
  #evidenceIn(language: string | null): ReturnType<typeof wordEvidenceFor> {
    const { words, further } = this.#asked
    const own = language === null ? undefined : further?.get(language)
    const key = own ? language : null
    let evidence = this.#evidence.get(key)
    if (!evidence) this.#evidence.set(key, (evidence = this.#withVariants(wordEvidenceFor(own ?? words))))
    return evidence
  }

  /** The word evidence of a page for the question, or for a variant whose evidence is higher. */
  #withVariants(asked: ReturnType<typeof wordEvidenceFor>): ReturnType<typeof wordEvidenceFor> {
    const variants = (this.#asked.variants ?? []).map((words) => wordEvidenceFor(words))
    if (variants.length === 0) return asked
    return (page) => {
      let { share, passages, held, lacksNumbers } = asked(page)
      for (const variant of variants) {
        const said = variant(page)
        // It is unknown which of the question's words a synonym replaces, so a page with the synonym counts as lacking
        // none of them.
        if (SYNONYM_WEIGHT * said.share > share) held = held.map(() => 1)
        share = Math.max(share, SYNONYM_WEIGHT * said.share)
        passages = passages.map((own, at) => Math.max(own, SYNONYM_WEIGHT * said.passages[at]!))
        lacksNumbers = Math.min(lacksNumbers, said.lacksNumbers)
      }
      return { share, passages, held, lacksNumbers }
    }
  }

  /** The evidence, 0..1; for a page that wasn't read, an estimate from the lexical arm; 0 for a deleted page. */
  share(page: string): number {
    const known = this.#known.get(page)
    return known === undefined ? (this.#likely.get(page) ?? 0) : (known?.share ?? 0)
  }

  /** The share of the question's numbers that the page lacks, 0..1; 0 if the page was not read. */
  lacksNumbers(page: string): number {
    return this.#known.get(page)?.lacksNumbers ?? 0
  }

  /** The share of the question, weighted by word, that none of the pages read contains, 0..1; 0 if pages need not contain its words. */
  get nowhere(): number {
    if (this.#asked.isForeign) return 0
    const read = [...this.#known.values()].filter((one) => one !== null)
    let [lacking, weight] = [0, 0]
    for (const [place, { asked }] of this.#asked.words.entries()) {
      weight += asked
      if (read.every(({ held }) => held[place] === 0)) lacking += asked
    }
    return weight > 0 ? lacking / weight : 0
  }

  /** The highest possible evidence, 0..1: misspelt words keep their full weight, while their corrections weigh less. */
  get reach(): number {
    let [said, asked] = [0, 0]
    for (const word of this.#asked.words) {
      said += word.idf
      asked += word.asked
    }
    return asked > 0 && said > 0 ? Math.min(1, said / asked) : 1
  }

  /** The evidence of each passage, 0..1, by position; null when the page is gone or was not read. */
  passages(page: string): Float64Array | null {
    return this.#known.get(page)?.passages ?? null
  }
}
