import { termHash } from "../text/analysis/term-hash.ts"
import type { PackedPage, PackedPassages } from "../text/passage-terms.ts"

/** A word of a question. */
export interface WeightedWord {
  /** The term of the word, or those that a misspelt one may stand for. */
  readonly terms: readonly string[]
  /** Inverse document frequency of what it stands for. */
  readonly idf: number
  /** The same of the word as asked: higher when it is misspelt, so that a corrected question scores below the right one. */
  readonly asked: number
}

/** What a page says in the words of a question, each as a share of what the words could say at most: 0..1. */
export interface WordEvidence {
  /** All of the below. */
  readonly share: number
  /** Of each passage, by position. */
  readonly passages: Float64Array
}

/** BM25's saturation (Robertson, Zaragoza 2009). */
export const K1 = 1.2
/** Length normalisation of a passage, and of a section: those differ less in length, and less by chance. */
const B_PASSAGE = 0.75
const B_SECTION = 0.5
/** Terms of a full passage with its headings, about: what lengths are measured by. 50 and 70 rank as well. */
const FULL_PASSAGE = 100
const FULL_SECTION_PASSAGE = 85
/** Passages of a section: every run of so many, half overlapping. A page that is shorter is one section. */
const SECTION = 6
const STEP = SECTION / 2
/** What a word of the title and of the address counts for in each section, as often as it would stand there (BM25F). */
const TITLE_FREQUENCY = 2
const ADDRESS_FREQUENCY = 1

/**
 * Shares of the evidence. nDCG@10 by words alone on half of the questions about long pages and of those that are exact
 * words (`bench/quality/needles.ts`), and on the judged collections apidocs, codebase, passages:
 *
 *     BM25 of whole pages             0.568  0.831  0.743  0.728  0.715
 *     best section                    0.762  0.936  0.760  0.730  0.725
 *     this                            0.789  0.942  0.807  0.732  0.723
 *     twice the pairs                 0.811  0.931  0.820  0.732  0.724
 */
const SHARES = { section: 0.5, passage: 0.21, name: 0.22, pairs: 0.07 }

/** A power of two, so that the remainder is a mask. */
const SLOTS = 4096

/**
 * What a page says in the words of a question: as much as its best section does, a little for its best passage, for a name that is
 * the question, and for neighbours in the question that are neighbours on the page. The length of the page
 * says nothing: a manual is as good as its best section.
 */
export function wordEvidence(page: PackedPage, words: readonly WeightedWord[]): WordEvidence {
  const weight = words.reduce((sum, { asked }) => sum + asked, 0)
  const { lengths } = page.passages
  if (weight === 0) return { share: 0, passages: new Float64Array(lengths.length) }
  const places = new Map(words.flatMap(({ terms }, place) => terms.map((term) => [termHash(term), place])))
  const found = count(page.passages, words, places)
  const given = new Float64Array(words.length)
  for (const place of placesIn(page.title, places)) given[place]! += TITLE_FREQUENCY
  for (const place of placesIn(page.address, places)) given[place]! += ADDRESS_FREQUENCY
  const bound = weight * (K1 + 1)
  const passages = Float64Array.from(lengths, (length, at) => {
    const norm = K1 * (1 - B_PASSAGE + (B_PASSAGE * length) / FULL_PASSAGE)
    return bm25(words, (place) => found.counts[at * words.length + place]!, norm) / bound
  })
  const section = bestSection(lengths, found.counts, words, given) / bound
  const passage = passages.reduce((most, share) => Math.max(most, share), 0)
  const pairs = Math.max(found.pairs, pairsIn(page.title, words, places))
  const neighbours = words.slice(1).reduce((sum, { idf }, at) => sum + Math.min(idf, words[at]!.idf), 0)
  const share =
    SHARES.section * section +
    SHARES.passage * passage +
    SHARES.name * nameMatch(page, words, places, weight) +
    // One word has no neighbour: then the section says it all.
    SHARES.pairs * (neighbours > 0 ? pairs / neighbours : section)
  return { share: Math.min(1, share), passages }
}

interface Counted {
  /** By passage, then by word. */
  readonly counts: Uint16Array
  /** The most that neighbours say in one passage. */
  readonly pairs: number
}

function count(
  { lengths, hashes }: PackedPassages,
  words: readonly WeightedWord[],
  places: ReadonlyMap<number, number>,
): Counted {
  // Nearly every term of a passage is none of the question's: this tells most of those in a tenth of a Map's time.
  const possible = new Uint8Array(SLOTS)
  for (const hash of places.keys()) possible[hash % SLOTS] = 1
  const counts = new Uint16Array(lengths.length * words.length)
  let pairs = 0
  for (let passage = 0, at = 0; passage < lengths.length; passage++) {
    const from = passage * words.length
    const seen = new Set<number>()
    let said = 0
    for (let before = -2, end = at + lengths[passage]!; at < end; at++) {
      const hash = hashes[at]!
      const place = possible[hash % SLOTS] === 1 ? places.get(hash) : undefined
      if (place === undefined) {
        before = -2
        continue
      }
      if (counts[from + place]! < 0xffff) counts[from + place]!++
      if (place === before + 1 && !seen.has(place)) {
        seen.add(place)
        said += Math.min(words[place]!.idf, words[before]!.idf)
      }
      before = place
    }
    pairs = Math.max(pairs, said)
  }
  return { counts, pairs }
}

function pairsIn(
  terms: Uint32Array,
  words: readonly WeightedWord[],
  places: ReadonlyMap<number, number>,
): number {
  return count({ lengths: Uint32Array.of(terms.length), hashes: terms }, words, places).pairs
}

function bestSection(
  lengths: Uint32Array,
  counts: Uint16Array,
  words: readonly WeightedWord[],
  given: Float64Array,
): number {
  let best = 0
  const sums = new Float64Array(words.length)
  for (let from = 0; from === 0 || from < lengths.length; from += STEP) {
    const end = Math.min(lengths.length, from + SECTION)
    let length = 0
    sums.set(given)
    for (let passage = from; passage < end; passage++) {
      length += lengths[passage]!
      for (let place = 0; place < words.length; place++)
        sums[place]! += counts[passage * words.length + place]!
    }
    const norm = K1 * (1 - B_SECTION + (B_SECTION * length) / (FULL_SECTION_PASSAGE * SECTION))
    best = Math.max(
      best,
      bm25(words, (place) => sums[place]!, norm),
    )
    if (end === lengths.length) break
  }
  return best
}

function bm25(words: readonly WeightedWord[], frequencyOf: (place: number) => number, norm: number): number {
  let score = 0
  for (const [place, { idf }] of words.entries()) {
    const frequency = frequencyOf(place)
    if (frequency > 0) score += (idf * frequency * (K1 + 1)) / (frequency + norm)
  }
  return score
}

function placesIn(terms: Uint32Array, places: ReadonlyMap<number, number>): Set<number> {
  const held = new Set<number>()
  for (const hash of terms) {
    const place = places.get(hash)
    if (place !== undefined) held.add(place)
  }
  return held
}

/** How nearly one of the page's names is the question: the question's share in the name times the name's in the question. */
function nameMatch(
  { single }: PackedPage,
  words: readonly WeightedWord[],
  places: ReadonlyMap<number, number>,
  weight: number,
): number {
  let best = 0
  for (const name of single) {
    const held = placesIn(name, places)
    if (held.size === 0) continue
    let said = 0
    for (const place of held) said += words[place]!.idf
    const terms = new Set(name)
    let asked = 0
    for (const hash of terms) if (places.has(hash)) asked += 1
    best = Math.max(best, (said / weight) * (asked / terms.size))
  }
  return best
}
