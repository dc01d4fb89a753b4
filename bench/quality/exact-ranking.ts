import { cosineOf } from "#engine/embedder.ts"
import { type WeightedWord, wordEvidenceFor } from "#engine/search/ranking/word-evidence.ts"
import { analyse, analyseQuery } from "#engine/text/analysis/analyse.ts"
import { termsOf } from "#engine/text/analysis/known-chunks.ts"
import { namesOf } from "#engine/text/page-names.ts"
import { type PackedPage, packTerms, unpackTerms } from "#engine/text/passage-terms.ts"
import { toPassages } from "#engine/text/passages.ts"

/** What every document says in the words of a question: what an engine's lexical arm is measured against. */
export class ExactWords {
  readonly #pages: PackedPage[] = []
  readonly #frequencies = new Map<string, number>()

  add(title: string, url: string, text: string): void {
    const names = namesOf(title, url, "en")
    const passages = toPassages(text).map(({ headings, text }) => [
      ...headings.flatMap((heading) => analyse(heading, "en")),
      ...analyse(text, "en"),
    ])
    this.#pages.push(
      unpackTerms(
        packTerms({ ...names, passages: passages.map((text) => ({ headings: [], text: termsOf(text) })) }),
      ),
    )
    for (const term of new Set([...names.title, ...names.address, ...passages.flat()]))
      this.#frequencies.set(term, (this.#frequencies.get(term) ?? 0) + 1)
  }

  /** Of every document, 0..1. */
  search(query: string): Float64Array {
    const count = this.#pages.length
    const words = analyseQuery(query, "en").terms.map((term): WeightedWord => {
      const frequency = this.#frequencies.get(term) ?? 0
      const idf = Math.log(1 + (count - frequency + 0.5) / (frequency + 0.5))
      return { terms: [term], idf, asked: idf }
    })
    const evidence = wordEvidenceFor(words)
    return Float64Array.from(this.#pages, (page) => evidence(page).share)
  }
}

/** Highest cosine of a query with each document's passages. */
export function nearestPassages(
  query: Float32Array,
  documents: readonly (readonly Float32Array[])[],
): Float64Array {
  return Float64Array.from(documents, (passages) =>
    Math.max(-1, ...passages.map((one) => cosineOf(query, one))),
  )
}
