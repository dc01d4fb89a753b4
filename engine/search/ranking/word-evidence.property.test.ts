import * as fc from "fast-check"
import { expect, test } from "vitest"
import { madeUp } from "#base/testing/made-up.ts"
import { termsOf } from "../../text/analysis/known-chunks.ts"
import { packTerms, unpackTerms } from "../../text/passage-terms.ts"
import { type WeightedWord, wordEvidenceFor } from "./word-evidence.ts"

interface Given {
  readonly title: readonly string[]
  readonly address: readonly string[]
  readonly single: readonly (readonly string[])[]
  readonly passages: readonly (readonly string[])[]
}

/** A reference implementation of the formulas in the comments: BM25F over sections, BM25 over passages, names, neighbours. No hashes, no shortcuts. */
function naive({ title, address, single, passages }: Given, words: readonly WeightedWord[]) {
  const placeOf = (term: string) => words.findLastIndex(({ terms }) => terms.includes(term))
  const weight = words.reduce((sum, { asked }) => sum + asked, 0)
  if (weight === 0) return { share: 0, passages: passages.map(() => 0) }
  const eastAsian = words.filter(({ terms }) => terms.some((term) => /\p{Script=Han}/u.test(term))).length
  const density = eastAsian > words.length / 2 ? 3 : 1
  const count = (terms: readonly string[]) =>
    words.map((_, place) => terms.filter((term) => placeOf(term) === place).length)
  const bm25 = (frequencies: readonly number[], norm: number) =>
    frequencies.reduce((sum, f, at) => sum + (f === 0 ? 0 : (words[at]!.idf * f * 2.2) / (f + norm)), 0) /
    (weight * 2.2)
  const byPassage = passages.map((terms) =>
    bm25(count(terms), 1.2 * (0.25 + (0.75 * terms.length) / (100 * density))),
  )
  const names = words.map(
    (_, place) =>
      (title.some((one) => placeOf(one) === place) ? 2 : 0) +
      (address.some((one) => placeOf(one) === place) ? 1 : 0),
  )
  const sections: number[] = []
  for (let from = 0; from === 0 || from < passages.length; from += 3) {
    const terms = passages.slice(from, from + 6).flat()
    const own = count(terms)
    // A later section without any of the words adds nothing: the names have already been counted in the first section.
    if (from === 0 || own.some((f) => f > 0))
      sections.push(
        bm25(
          own.map((f, place) => f + names[place]!),
          1.2 * (0.5 + (0.5 * terms.length) / (85 * 6 * density)),
        ),
      )
    if (from + 6 >= passages.length) break
  }
  const pairWeight = (first: number) => Math.min(words[first]!.idf, words[first + 1]!.idf)
  const pairs = [...passages, title].map((terms) => {
    const held = new Set<number>()
    for (const [at, term] of terms.entries()) {
      const [one, next] = [placeOf(term), placeOf(terms[at + 1] ?? "")]
      if (one >= 0 && next === one + 1) held.add(one)
    }
    return [...held].reduce((sum, first) => sum + pairWeight(first), 0)
  })
  const allPairs = words.slice(1).reduce((sum, _, first) => sum + pairWeight(first), 0)
  const name = single.map((terms) => {
    const held = new Set(terms.map(placeOf).filter((place) => place >= 0))
    const different = new Set(terms)
    const asked = [...different].filter((term) => placeOf(term) >= 0).length
    return (
      ([...held].reduce((sum, place) => sum + words[place]!.idf, 0) / weight) *
      (asked / Math.max(1, different.size))
    )
  })
  const section = Math.max(...sections)
  const share =
    0.5 * section +
    0.21 * Math.max(0, ...byPassage) +
    0.22 * Math.max(0, ...name) +
    0.07 * (allPairs > 0 ? Math.max(...pairs) / allPairs : section)
  return { share: Math.min(1, share), passages: byPassage }
}

const QUESTION = ["alpha", "beta", "gamma", "delta", "配额", "磁盘"]
const term = fc.constantFrom(...QUESTION, "beta2", "x", "y", "z")
const filler = fc
  .integer({ min: 1, max: 120 })
  .map((length) => Array.from({ length }, (_, at) => `f${at % 40}`))
const terms = fc.oneof(
  // Most words in a manual match no word of a question.
  { weight: 8, arbitrary: filler },
  fc.array(term, { maxLength: 8 }),
  fc.constant([]),
  // Texts with about as many terms as real passages.
  fc
    .tuple(fc.array(term, { maxLength: 4 }), fc.integer({ min: 20, max: 160 }))
    .map(([some, length]) => [...some, ...Array.from({ length }, (_, at) => `f${at % 40}`)]),
)
const page = fc.record({
  title: fc.array(term, { maxLength: 5 }),
  address: fc.array(term, { maxLength: 3 }),
  single: fc.array(fc.array(term, { maxLength: 4 }), { maxLength: 3 }),
  passages: fc.array(terms, { maxLength: 16 }),
})
const words = fc.subarray(QUESTION, { maxLength: 4 }).chain((chosen) =>
  fc.tuple(
    ...chosen.map((one) =>
      fc
        .record({ idf: fc.integer({ min: 1, max: 9 }), more: fc.nat(3), isMisspelt: fc.boolean() })
        .map(({ idf, more, isMisspelt }): WeightedWord => ({
          terms: isMisspelt && one === "beta" ? [one, "beta2"] : [one],
          idf,
          asked: idf + (isMisspelt ? more : 0),
        })),
    ),
  ),
)

const withHashes = <Page extends { readonly passages: readonly (readonly string[])[] }>(of: Page) => ({
  ...of,
  passages: of.passages.map((terms) => ({ headings: [], text: termsOf(terms) })),
})

test("a page's word evidence matches the formulas", () => {
  fc.assert(
    fc.property(page, words, (given, asked) => {
      const found = wordEvidenceFor(asked)(unpackTerms(packTerms(withHashes(given))))
      const expected = naive(given, asked)
      expect(found.share).toBeCloseTo(expected.share, 9)
      expect(found.passages.length).toBe(expected.passages.length)
      for (const [at, share] of expected.passages.entries()) expect(found.passages[at]).toBeCloseTo(share, 9)
    }),
    madeUp(400),
  )
})

test("a word that occurs more often than the counter can count is not worth less", () => {
  const [word] = [{ terms: ["alpha"], idf: 3, asked: 3 }]
  const often = {
    title: [],
    address: [],
    single: [],
    passages: [Array.from({ length: 70_000 }, () => "alpha")],
  }
  const { share } = wordEvidenceFor([word])(unpackTerms(packTerms(withHashes(often))))
  const seldom = { ...often, passages: [Array.from({ length: 65_000 }, () => "alpha")] }
  expect(share).toBeCloseTo(wordEvidenceFor([word])(unpackTerms(packTerms(withHashes(seldom)))).share, 1)
})
