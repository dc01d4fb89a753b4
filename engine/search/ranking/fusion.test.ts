import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { madeUp } from "#base/testing/made-up.ts"
import { type Candidate, fuse } from "./fusion.ts"
import { toReadAgain, withLateInteraction } from "./late-order.ts"

const page = (id: string, words: number, cosine?: number | null): Candidate => ({ id, words, cosine })
const ranked = (candidates: readonly Candidate[]) => fuse(candidates, { hasWords: true })
const ids = (candidates: readonly Candidate[], hasWords = true) =>
  fuse(candidates, { hasWords }).map((one) => one.id)

const anyCandidates = fc.uniqueArray(
  fc.record({
    id: fc.string({ minLength: 1, maxLength: 4 }),
    words: fc.double({ min: 0, max: 1, noNaN: true }),
    cosine: fc.oneof(fc.double({ min: -1, max: 1, noNaN: true }), fc.constantFrom(undefined, null)),
  }),
  { selector: (one) => one.id, maxLength: 30 },
)

describe("the ranking", () => {
  it("puts a page that both arms found before pages found by one arm", () => {
    const found = [page("words", 0.45, 0.1), page("both", 0.4, 0.6), page("near", 0, 0.6)]
    expect(ids(found)).toEqual(["both", "words", "near"])
  })

  it("treats an unknown cosine as the farthest known one", () => {
    const [first, second] = ranked([page("known", 0.25, 0.2), page("unknown", 0.25)])
    expect(second!.fused).toBe(first!.fused)
    expect(second!.vector).toBe(0)
  })

  it("ignores pages looked up separately when measuring how far the nearest ones reach", () => {
    const found = ranked([
      page("known", 0.25, 0.5),
      page("unknown", 0.25),
      { ...page("wanted", 0, 0.1), aside: true },
    ])
    expect(found.map(({ id }) => id)).toEqual(["known", "unknown", "wanted"])
    expect(found[1]!.fused).toBe(found[0]!.fused)
  })

  it("estimates a page without vectors from pages that say about as much in words", () => {
    const others = [page("near", 0.5, 0.7), page("far", 0.5, 0.5), page("else", 0, 0.3)]
    const found = ranked([...others, page("new", 0.5, null)])
    expect(found.map((one) => one.id)).toEqual(["near", "new", "far", "else"])
    expect(found[1]).toMatchObject({ vector: 0 })
    expect(found[1]!.fused).toBeCloseTo((found[0]!.fused + found[2]!.fused) / 2, 1)
  })

  it("uses the five with the most similar words for that, and among equals the farther, in any order", () => {
    const alike = Array.from({ length: 9 }, (_, i) => page(`p${i}`, 0.5, 0.1 + i / 10))
    const given = [page("else", 0.4, 0), ...alike, page("more", 0.6, 1), page("new", 0.5, null)]
    for (const candidates of [given, given.toReversed()]) {
      const fused = new Map(ranked(candidates).map((one) => [one.id, one.fused]))
      // The mean of 0.1 to 0.5.
      expect(fused.get("new")).toBeCloseTo(fused.get("p2")!, 9)
    }
  })

  it("neither favours nor penalises a page whose vectors are not made yet", () => {
    const cosines = [0.62, 0.55, 0.48, 0.4, 0.31, 0.2]
    const pages = cosines.map((cosine, i) => page(`p${i}`, 0.6 - i / 10, cosine))
    for (const [i, { id, words }] of pages.entries()) {
      const place = ids(pages.with(i, page(id, words, null))).indexOf(id)
      expect(Math.abs(place - i)).toBeLessThanOrEqual(1)
    }
  })

  it("trusts misspelled words as much as correct ones: a page is measured by what it could cover", () => {
    const found = [page("words", 0.4, 0.3), page("near", 0.28, 0.62)]
    expect(ids(found)).toEqual(["near", "words"])
    const misspelt = fuse(found, { hasWords: true, reach: 0.4 })
    expect(misspelt.map(({ id }) => id)).toEqual(["words", "near"])
    expect(misspelt[0]!.lexical).toBe(0.4)
  })

  it("uses words alone while no page has vectors", () => {
    expect(ids([page("a", 0.2, null), page("b", 0.4, null), page("c", 0.3)])).toEqual(["b", "c", "a"])
  })

  it("works with one arm alone", () => {
    expect(ids([page("a", 0.1), page("b", 0.3)])).toEqual(["b", "a"])
    expect(ids([page("a", 0, 0.3), page("b", 0, 0.7)], false)).toEqual(["b", "a"])
    expect(ids([], false)).toEqual([])
  })

  it("leaves out pages that neither arm found", () => {
    expect(ids([page("a", 0.4), page("b", 0)])).toEqual(["a"])
  })

  it("is ordered by fused value and by score, all within 0..1", () => {
    fc.assert(
      fc.property(anyCandidates, fc.boolean(), (candidates, hasWords) => {
        const found = fuse(candidates, { hasWords })
        const values = found.flatMap((one) => [one.lexical, one.vector, one.fused, one.score])
        expect(values.every((value) => value >= 0 && value <= 1)).toBe(true)
        expect(found.map((one) => one.fused)).toEqual(found.map((one) => one.fused).sort((a, b) => b - a))
        expect(found.map((one) => one.score)).toEqual(found.map((one) => one.score).sort((a, b) => b - a))
      }),
      madeUp(100),
    )
  })

  it("leaves out a page that is near only by rounding", () => {
    expect(ids([page("near", 0, 0.1), page("rounded", 0, 1.2e-7)])).toEqual(["near"])
    expect(ids([page("near", 0, 0.1), page("rounded", 0, 1e-6)], false)).toEqual(["near"])
  })

  it("does not depend on the order of the candidates", () => {
    fc.assert(
      fc.property(anyCandidates, (candidates) => {
        expect(ranked(candidates.toReversed())).toEqual(ranked(candidates))
      }),
      madeUp(100),
    )
  })

  it("never ranks a page lower for being nearer", () => {
    // Rounded to hundredths, because word evidence of 5e-324 is lost when any nearness is added to it.
    const plain = (value: number) => Math.round(value * 100) / 100
    fc.assert(
      fc.property(anyCandidates, fc.integer({ min: 1, max: 50 }), (candidates, hundredths) => {
        const nearer = hundredths / 100
        const known = candidates
          .filter(({ cosine }) => cosine !== null)
          .map(({ id, words, cosine }) =>
            page(id, plain(words), cosine === undefined ? cosine : plain(cosine!)),
          )
        for (const [at, one] of known.entries()) {
          // A page that isn't among the nearest has no cosine to raise.
          const cosine = one.cosine === undefined ? undefined : one.cosine! + nearer
          const before = ids(known).indexOf(one.id)
          const after = ids(known.with(at, { ...one, cosine })).indexOf(one.id)
          expect(before === -1 || after <= before).toBe(true)
        }
      }),
      madeUp(100),
    )
  })

  it("orders pages that match equally by their ids, wherever they were found", () => {
    fc.assert(
      fc.property(anyCandidates, (candidates) => {
        const alike = candidates.map((one) => ({ ...one, words: 0.4, cosine: 0.5 }))
        expect(ids(alike)).toEqual(alike.map(({ id }) => id).sort())
        const found = ranked(candidates)
        const wrong = found.filter(
          (one, at) => found[at + 1]?.fused === one.fused && one.id > found[at + 1]!.id,
        )
        expect(wrong).toEqual([])
      }),
      madeUp(100),
    )
  })

  it("never ranks a page lower for containing more of the query", () => {
    fc.assert(
      fc.property(anyCandidates, fc.double({ min: 0.01, max: 0.5, noNaN: true }), (candidates, more) => {
        // The nearness of a page without vectors is an estimate that depends on words.
        const known = candidates.filter(({ cosine }) => cosine !== null)
        for (const [at, one] of known.entries()) {
          const before = ids(known).indexOf(one.id)
          const after = ids(known.with(at, { ...one, words: one.words + more })).indexOf(one.id)
          // An unknown page may appear anywhere.
          expect(before === -1 || after <= before).toBe(true)
        }
      }),
      madeUp(100),
    )
  })
})

describe("a second reading", () => {
  const found = (words: number) => ranked([page("said", words, 0.3), page("meant", words - 0.05, 0.3)])
  const late = new Map([
    ["said", 0.1],
    ["meant", 0.9],
  ])

  it("decides when words say little", () => {
    expect(toReadAgain(found(0.2), 1).map(({ id }) => id)).toEqual(["said"])
    const [first] = withLateInteraction(found(0.2), late)
    expect(first).toMatchObject({ id: "meant", late: 0.9 })
  })

  it("changes nothing, and is not needed, when words say enough", () => {
    expect(toReadAgain(found(0.7), 2)).toEqual([])
    const after = withLateInteraction(found(0.7), late)
    expect(after.map(({ id, fused }) => [id, fused])).toEqual(found(0.7).map(({ id, fused }) => [id, fused]))
  })
})

describe("the score", () => {
  const scoreOf = (words: number, cosine: number | undefined, hasWords = true) =>
    fuse([page("only", words, cosine)], { hasWords })[0]!.score

  it("is high when words and meaning agree", () => {
    expect(scoreOf(0.6, 0.75)).toBeGreaterThan(0.6)
  })

  it("is low when the index has nothing relevant, although some page is always the nearest", () => {
    expect(scoreOf(0.075, 0.15)).toBeLessThan(0.3)
    expect(scoreOf(0.075, undefined)).toBeLessThan(0.3)
    expect(scoreOf(0, 0.2, false)).toBeLessThan(0.3)
  })

  describe("for a question with words found on no page", () => {
    const askedFor = (nowhere: number, cosine: number) =>
      fuse([page("only", 0.2, cosine)], { hasWords: true, nowhere })[0]!.score

    it("is very low, unless a page is near in meaning", () => {
      expect(askedFor(0.9, 0.3)).toBeLessThan(0.03)
      expect(askedFor(0.9, 0.3)).toBeLessThan(askedFor(0, 0.3))
      expect(askedFor(0.9, 0.6)).toBe(askedFor(0, 0.6))
    })

    it("is unchanged when only a few are missing, such as `license` where pages have `copyright`", () => {
      expect(askedFor(0.2, 0.3)).toBe(askedFor(0, 0.3))
    })

    it("is very low by words alone as well", () => {
      const scores = [0, 0.9].map(
        (nowhere) => fuse([page("only", 0.2)], { hasWords: true, nowhere })[0]!.score,
      )
      expect(scores[1]).toBeLessThan(scores[0]! / 10)
    })
  })

  describe("for pages that lack a number in the question", () => {
    const lacking = (id: string, words: number, lacksNumbers: number): Candidate => ({
      ...page(id, words, 0.6),
      lacksNumbers,
    })

    it("is lower, and they come after pages that say nearly as much and have it", () => {
      const [first, second] = ranked([lacking("without", 0.42, 1), lacking("with", 0.4, 0)])
      expect([first!.id, second!.id]).toEqual(["with", "without"])
      expect(second!.score).toBeLessThan(first!.score / 3)
      const [alone] = ranked([lacking("without", 0.42, 1)])
      expect(alone!.score).toBeLessThan(ranked([lacking("with", 0.42, 0)])[0]!.score / 3)
    })

    it("is not lower than that of a page behind them", () => {
      const [first, second] = ranked([lacking("without", 0.6, 1), lacking("with", 0.4, 0)])
      expect([first!.id, second!.id]).toEqual(["without", "with"])
      expect(first!.score).toBe(second!.score)
    })
  })
})
