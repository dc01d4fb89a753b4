import { analyse, analyseQuery } from "#engine/text/analysis/analyse.ts"

const K1 = 1.2
const B = 0.75

/** BM25 over whole documents, held in memory and exact: what an engine's lexical arm is measured against. */
export class ExactBm25 {
  readonly #postings = new Map<string, Map<number, number>>()
  readonly #lengths: number[] = []
  #total = 0

  add(text: string): void {
    const document = this.#lengths.length
    const terms = analyse(text, "en")
    for (const term of terms) {
      let posting = this.#postings.get(term)
      if (!posting) this.#postings.set(term, (posting = new Map()))
      posting.set(document, (posting.get(document) ?? 0) + 1)
    }
    this.#lengths.push(terms.length)
    this.#total += terms.length
  }

  /** Score of every document for the query, and the score that no document can pass. */
  search(query: string): { scores: Float64Array; bound: number } {
    const count = this.#lengths.length
    const average = this.#total / count
    const scores = new Float64Array(count)
    let bound = 0
    for (const term of analyseQuery(query, "en").terms) {
      const posting = this.#postings.get(term)
      const idf = Math.log(1 + (count - (posting?.size ?? 0) + 0.5) / ((posting?.size ?? 0) + 0.5))
      bound += idf * (K1 + 1)
      for (const [document, tf] of posting ?? []) {
        const norm = K1 * (1 - B + (B * this.#lengths[document]!) / average)
        scores[document]! += (idf * tf * (K1 + 1)) / (tf + norm)
      }
    }
    return { scores, bound }
  }
}

/** Highest cosine of a query with each document's passages. */
export function nearestPassages(
  query: Float32Array,
  documents: readonly (readonly Float32Array[])[],
): Float64Array {
  return Float64Array.from(documents, (passages) => Math.max(-1, ...passages.map((one) => dot(query, one))))
}

function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!
  return sum
}
