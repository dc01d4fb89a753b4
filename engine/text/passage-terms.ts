import { termHash } from "./analysis/term-hash.ts"

/** A term of a query and its inverse document frequency. */
export interface WeightedTerm {
  readonly term: string
  readonly idf: number
}

/** BM25's saturation and length normalisation, as for pages. */
const K1 = 1.2
const B = 0.75
/** Terms of a full passage, about: what a passage's length is measured by. 50 and 70 rank as well. */
const FULL_PASSAGE = 100
/** A power of two, so that the remainder is a mask. */
const SLOTS = 4096

/**
 * The terms of a page's passages, small enough to be read for every candidate of a query: how many passages,
 * how many terms each, then the terms' hashes, all in 32 bits. Analysing the text again takes a hundred times
 * as long.
 */
export function packTerms(passages: readonly (readonly string[])[]): Uint8Array {
  const numbers = [passages.length, ...passages.map((terms) => terms.length)]
  for (const terms of passages) for (const term of terms) numbers.push(termHash(term))
  return new Uint8Array(Uint32Array.from(numbers).buffer)
}

/**
 * The BM25 score of each passage as a share of what a passage could have at most: 0..1.
 *
 * @param packed by {@link packTerms}
 */
export function passageShares(packed: Uint8Array, terms: readonly WeightedTerm[]): Float64Array {
  const numbers = aligned(packed)
  const count = numbers[0] ?? 0
  const shares = new Float64Array(count)
  const bound = terms.reduce((sum, { idf }) => sum + idf, 0) * (K1 + 1)
  if (bound === 0) return shares
  const places = new Map(terms.map(({ term }, place) => [termHash(term), place]))
  // Nearly every term of a passage is none of the question's: this tells most of those in a tenth of a Map's time.
  const possible = new Uint8Array(SLOTS)
  for (const hash of places.keys()) possible[hash % SLOTS] = 1
  const found = new Uint32Array(terms.length)
  let at = count + 1
  for (let passage = 0; passage < count; passage++) {
    const length = numbers[passage + 1]!
    found.fill(0)
    for (const end = at + length; at < end; at++) {
      const hash = numbers[at]!
      if (possible[hash % SLOTS] === 0) continue
      const place = places.get(hash)
      if (place !== undefined) found[place]!++
    }
    const norm = K1 * (1 - B + (B * length) / FULL_PASSAGE)
    let score = 0
    for (const [place, { idf }] of terms.entries()) {
      const frequency = found[place]!
      if (frequency > 0) score += (idf * frequency * (K1 + 1)) / (frequency + norm)
    }
    shares[passage] = Math.min(1, score / bound)
  }
  return shares
}

/** SQLite's bytes may lie anywhere; numbers may not. */
function aligned(bytes: Uint8Array): Uint32Array {
  const whole = bytes.byteOffset % 4 === 0 ? bytes : bytes.slice()
  return new Uint32Array(whole.buffer, whole.byteOffset, whole.byteLength >>> 2)
}
