import { termHash } from "../../text/analysis/term-hash.ts"
import { LETTERS_PER_CHARACTER, eastAsianIn } from "#base/text/east-asian.ts"
import type { PackedPage, PackedPassages } from "../../text/passage-terms.ts"

/** A word of a question. */
export interface WeightedWord {
  /** The term of the word, or the corrections of a misspelt one. */
  readonly terms: readonly string[]
  /** Inverse document frequency of these terms. */
  readonly idf: number
  /** The inverse document frequency of the original word: higher if it is misspelt, so that a corrected question scores below a correctly spelt one. */
  readonly asked: number
}

/** A page's evidence for the words of a question; values are shares of the possible maximum, 0..1. */
export interface WordEvidence {
  /** All of the page's evidence combined. */
  readonly share: number
  /** Evidence of each passage, by its position. */
  readonly passages: Float64Array
  /** For each word of the question: 1 if the page contains it. */
  readonly held: Uint8Array
  /** The share of the question's numbers (words with a digit) that the page lacks, 0..1; 0 for a question without numbers. */
  readonly lacksNumbers: number
}

/** BM25's saturation (Robertson, Zaragoza 2009). */
export const K1 = 1.2
/** Length normalisation for passages, and for sections: the lengths of sections differ less, and less by chance. */
const B_PASSAGE = 0.75
const B_SECTION = 0.5
/** Approximate number of terms in a full passage with its headings; lengths are measured in this unit. Values of 50 and 70 rank equally well. */
const FULL_PASSAGE = 100
const FULL_SECTION_PASSAGE = 85
/** Number of passages in a section; sections overlap by half. A page with fewer passages is one section. */
const SECTION = 6
const STEP = SECTION / 2
/** How many times words in the title, and in the address, count as occurring in each section (BM25F). */
const TITLE_FREQUENCY = 2
const ADDRESS_FREQUENCY = 1

/**
 * Shares of the evidence. nDCG@10 by words alone on half of the questions about long pages and half of the exact-word
 * questions (`bench/quality/needles.ts`), and on the judged collections apidocs, codebase, passages:
 *
 * BM25 of whole pages             0.568  0.831  0.743  0.728  0.715
 * best section                    0.762  0.936  0.760  0.730  0.725
 * this                            0.789  0.942  0.807  0.732  0.723
 * twice the pairs                 0.811  0.931  0.820  0.732  0.724
 */
const SHARES = { section: 0.5, passage: 0.21, name: 0.22, pairs: 0.07 }

/** A power of two, so that the remainder is a mask: a 32-bit remainder takes several times as long. */
const SLOTS = 4096

/** The words of a question, prepared so that they can be looked up in any number of pages. */
interface Asked {
  readonly words: readonly WeightedWord[]
  /**
   * Number of terms in a full passage in the question's script: every East Asian character is a term, and all but the
   * last also begin a bigram.
   */
  readonly fullPassage: number
  readonly fullSection: number
  readonly idfs: Float64Array
  /** Total weight of all words as originally written. */
  readonly weight: number
  /** Positions of words with a digit. */
  readonly numbers: readonly number[]
  /** The highest possible evidence from neighbours. */
  readonly neighbours: number
  /** Positions of words in the question, by the hashes of their terms. */
  readonly places: ReadonlyMap<number, number>
  /** Hardly any terms of a passage are in the question: this array rules out most of the others in a tenth of the time that a Map takes. */
  readonly possible: Uint8Array
}

function askedBy(words: readonly WeightedWord[]): Asked {
  const places = new Map(words.flatMap(({ terms }, place) => terms.map((term) => [termHash(term), place])))
  const possible = new Uint8Array(SLOTS)
  for (const hash of places.keys()) possible[hash & (SLOTS - 1)] = 1
  const eastAsian = words.filter(({ terms }) => terms.some((term) => eastAsianIn(term) > 0))
  const density = eastAsian.length > words.length / 2 ? LETTERS_PER_CHARACTER : 1
  return {
    words,
    fullPassage: FULL_PASSAGE * density,
    fullSection: FULL_SECTION_PASSAGE * SECTION * density,
    idfs: Float64Array.from(words, ({ idf }) => idf),
    weight: words.reduce((sum, { asked }) => sum + asked, 0),
    numbers: words.flatMap(({ terms }, place) => (terms.some((term) => /\p{N}/u.test(term)) ? [place] : [])),
    neighbours: words.slice(1).reduce((sum, { idf }, at) => sum + Math.min(idf, words[at]!.idf), 0),
    places,
    possible,
  }
}

/**
 * The word evidence of a page for a question: the evidence of its best section, plus a little for its best passage, for
 * a name that equals the question, and for neighbours in the question that are also neighbours on the page. The length
 * of the page doesn't count: a manual is as good as its best section.
 */
export function wordEvidenceFor(words: readonly WeightedWord[]): (page: PackedPage) => WordEvidence {
  const asked = askedBy(words)
  return (page) => wordEvidence(page, asked)
}

function wordEvidence(page: PackedPage, asked: Asked): WordEvidence {
  const { words, idfs, weight, neighbours, places } = asked
  const { lengths } = page.passages
  const passages = new Float64Array(lengths.length)
  if (weight === 0) return { share: 0, passages, held: new Uint8Array(words.length), lacksNumbers: 0 }
  const found = count(page.passages, asked)
  const given = new Float64Array(words.length)
  for (const place of placesIn(page.title, places)) given[place]! += TITLE_FREQUENCY
  for (const place of placesIn(page.address, places)) given[place]! += ADDRESS_FREQUENCY
  const { held } = found
  for (const [place, times] of given.entries()) if (times > 0) held[place] = 1
  const bound = weight * (K1 + 1)
  let passage = 0
  for (const at of found.holding) {
    const norm = K1 * (1 - B_PASSAGE + (B_PASSAGE * lengths[at]!) / asked.fullPassage)
    const share = bm25(idfs, found.counts, at * words.length, norm) / bound
    passages[at] = share
    if (share > passage) passage = share
  }
  const section = bestSection(lengths, found, given, asked) / bound
  const pairs = Math.max(found.pairs, pairsIn(page.title, asked))
  const share =
    SHARES.section * section +
    SHARES.passage * passage +
    SHARES.name * nameMatch(page, asked) +
    // A single word has no neighbours, so only the section counts.
    SHARES.pairs * (neighbours > 0 ? pairs / neighbours : section)
  const lacking = asked.numbers.filter((place) => held[place] === 0)
  const lacksNumbers = lacking.length / Math.max(1, asked.numbers.length)
  return { share: Math.min(1, share), passages, held, lacksNumbers }
}

interface Counted {
  /** Frequencies of the words, by passage, then by word. */
  readonly counts: Uint16Array
  /** Positions of the passages that contain any of the words, in ascending order. */
  readonly holding: readonly number[]
  /** The most evidence that neighbours provide in any one passage. */
  readonly pairs: number
  /** For each word: 1 if any passage contains it. */
  readonly held: Uint8Array
}

function count({ lengths, hashes }: PackedPassages, { words, idfs, places, possible }: Asked): Counted {
  const counts = new Uint16Array(lengths.length * words.length)
  const holding: number[] = []
  const held = new Uint8Array(words.length)
  /** For each word, the last passage in which its neighbours were counted. */
  const seen = new Int32Array(words.length).fill(-1)
  let pairs = 0
  for (let passage = 0, at = 0; passage < lengths.length; passage++) {
    const from = passage * words.length
    let said = 0
    let holds = false
    for (let before = -2, end = at + lengths[passage]!; at < end; at++) {
      const hash = hashes[at]!
      const place = possible[hash & (SLOTS - 1)] === 1 ? places.get(hash) : undefined
      if (place === undefined) {
        before = -2
        continue
      }
      holds = true
      held[place] = 1
      if (counts[from + place]! < 0xffff) counts[from + place]!++
      if (place === before + 1 && seen[place] !== passage) {
        seen[place] = passage
        said += Math.min(idfs[place]!, idfs[before]!)
      }
      before = place
    }
    if (holds) holding.push(passage)
    if (said > pairs) pairs = said
  }
  return { counts, holding, pairs, held }
}

function pairsIn(terms: Uint32Array, asked: Asked): number {
  return count({ lengths: Uint32Array.of(terms.length), hashes: terms }, asked).pairs
}

function bestSection(
  lengths: Uint32Array,
  { counts, holding }: Counted,
  given: Float64Array,
  { idfs, fullSection }: Asked,
): number {
  let best = 0
  const sums = new Float64Array(idfs.length)
  let next = 0
  for (let from = 0; ; from += STEP) {
    const end = Math.min(lengths.length, from + SECTION)
    while (next < holding.length && holding[next]! < from) next++
    // The first section is scored even if it contains none of the words, so that words in the page's names count by
    // themselves.
    if (from === 0 || (next < holding.length && holding[next]! < end)) {
      let length = 0
      sums.set(given)
      for (let passage = from; passage < end; passage++) {
        length += lengths[passage]!
        for (let place = 0; place < sums.length; place++)
          sums[place]! += counts[passage * sums.length + place]!
      }
      const norm = K1 * (1 - B_SECTION + (B_SECTION * length) / fullSection)
      best = Math.max(best, bm25(idfs, sums, 0, norm))
    }
    if (end === lengths.length) break
  }
  return best
}

/** @param from index at which the frequencies of the words begin */
function bm25(
  idfs: Float64Array,
  frequencies: Uint16Array | Float64Array,
  from: number,
  norm: number,
): number {
  let score = 0
  for (let place = 0; place < idfs.length; place++) {
    const frequency = frequencies[from + place]!
    if (frequency > 0) score += (idfs[place]! * frequency * (K1 + 1)) / (frequency + norm)
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

/** How closely one of the page's names matches the question: the question's share of the name times the name's share of the question. */
function nameMatch({ single }: PackedPage, { idfs, places, weight }: Asked): number {
  let best = 0
  for (const name of single) {
    const held = placesIn(name, places)
    if (held.size === 0) continue
    let said = 0
    for (const place of held) said += idfs[place]!
    const terms = new Set(name)
    let asked = 0
    for (const hash of terms) if (places.has(hash)) asked += 1
    best = Math.max(best, (said / weight) * (asked / terms.size))
  }
  return best
}
