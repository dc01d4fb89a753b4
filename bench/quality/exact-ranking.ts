import { cosineOf } from "#engine/embedder.ts"
import { wordsWith } from "#engine/search/query-terms.ts"
import { K1, wordEvidenceFor } from "#engine/search/ranking/word-evidence.ts"
import { inverseFrequency } from "#engine/search/ranking/word-statistics.ts"
import { analyse, analyseQuery, timesOf } from "#engine/text/analysis/analyse.ts"
import { termsOf } from "#engine/text/analysis/known-chunks.ts"
import { namesOf } from "#engine/text/page-names.ts"
import { type PackedPage, packTerms, unpackTerms } from "#engine/text/passage-terms.ts"
import { toPassages } from "#engine/text/passages.ts"

/** BM25's length normalisation for whole documents. */
const B = 0.75

/** Plain BM25 over whole documents (Robertson, Zaragoza 2009), each language with its own stemmer: the baseline for any ranking. */
export class PlainBm25 {
  readonly #language: string
  readonly #documents: { readonly length: number; readonly counts: ReadonlyMap<string, number> }[] = []
  readonly #frequencies = new Map<string, number>()
  #length = 0

  constructor(language: string) {
    this.#language = language
  }

  add(title: string, text: string): void {
    const counts = timesOf(analyse(`${title}\n${text}`, this.#language))
    const length = [...counts.values()].reduce((sum, times) => sum + times, 0)
    this.#documents.push({ length, counts })
    this.#length += length
    for (const term of counts.keys()) this.#frequencies.set(term, (this.#frequencies.get(term) ?? 0) + 1)
  }

  /** The score of every document, 0 or higher. */
  search(query: string): Float64Array {
    const count = this.#documents.length
    const usual = this.#length / count
    const asked = [...timesOf(analyse(query, this.#language))]
    return Float64Array.from(this.#documents, ({ length, counts }) => {
      const norm = K1 * (1 - B + (B * length) / usual)
      return asked.reduce((sum, [term, times]) => {
        const said = counts.get(term) ?? 0
        const idf = inverseFrequency(this.#frequencies.get(term) ?? 0, count)
        return sum + (times * idf * said * (K1 + 1)) / (said + norm)
      }, 0)
    })
  }
}

/** Scores every document against the words of a question: the reference for an engine's lexical arm. */
export class ExactWords {
  readonly #language: string
  readonly #pages: PackedPage[] = []
  readonly #frequencies = new Map<string, number>()

  constructor(language: string) {
    this.#language = language
  }

  add(title: string, url: string, text: string): void {
    const names = namesOf(title, url, this.#language)
    const passages = toPassages(text).map(({ headings, text }) => [
      ...headings.flatMap((heading) => analyse(heading, this.#language)),
      ...analyse(text, this.#language),
    ])
    this.#pages.push(
      unpackTerms(
        packTerms({ ...names, passages: passages.map((text) => ({ headings: [], text: termsOf(text) })) }),
      ),
    )
    for (const term of new Set([...names.title, ...names.address, ...passages.flat()]))
      this.#frequencies.set(term, (this.#frequencies.get(term) ?? 0) + 1)
  }

  /** The score of every document, 0..1. */
  search(query: string): Float64Array {
    const count = this.#pages.length
    const idf = (term: string) => inverseFrequency(this.#frequencies.get(term) ?? 0, count)
    const evidence = wordEvidenceFor(wordsWith(analyseQuery(query, this.#language), new Map(), idf))
    return Float64Array.from(this.#pages, (page) => evidence(page).share)
  }
}

/** Highest cosine similarity between a query and each document's passages. */
export function nearestPassages(
  query: Float32Array,
  documents: readonly (readonly Float32Array[])[],
): Float64Array {
  return Float64Array.from(documents, (passages) =>
    Math.max(-1, ...passages.map((one) => cosineOf(query, one))),
  )
}
