import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { type Candidate, fuse } from "./fusion.ts"

const page = (id: string, lexical: number, cosine?: number | null): Candidate => ({ id, lexical, cosine })
const ids = (candidates: readonly Candidate[], lexicalBound: number) =>
  fuse(candidates, { lexicalBound }).map((one) => one.id)

const anyCandidates = fc.uniqueArray(
  fc.record({
    id: fc.string({ minLength: 1, maxLength: 4 }),
    lexical: fc.double({ min: 0, max: 30, noNaN: true }),
    cosine: fc.oneof(fc.double({ min: -1, max: 1, noNaN: true }), fc.constantFrom(undefined, null)),
  }),
  { selector: (one) => one.id, maxLength: 30 },
)
const anyBound = fc.double({ min: 0, max: 60, noNaN: true })

describe("the ranking", () => {
  it("puts a page that both arms find before pages that one arm finds", () => {
    expect(ids([page("words", 9, 0.1), page("both", 8, 0.6), page("near", 0, 0.6)], 20)).toEqual([
      "both",
      "words",
      "near",
    ])
  })

  it("takes an unknown cosine for as far as the farthest known", () => {
    const [first, second] = fuse([page("known", 5, 0.2), page("unknown", 5)], { lexicalBound: 20 })
    expect(second!.fused).toBe(first!.fused)
    expect(second!.vector).toBe(0)
  })

  it("judges a page that has no vectors yet by its words alone", () => {
    const ranked = fuse([page("near", 2, 0.5), page("far", 6, 0.1), page("new", 12, null)], {
      lexicalBound: 20,
    })
    expect(ranked.map((one) => one.id)).toEqual(["new", "near", "far"])
    expect(ranked[0]).toMatchObject({ fused: 0.6, vector: 0 })
  })

  it("works with one arm alone", () => {
    expect(ids([page("a", 1), page("b", 3)], 20)).toEqual(["b", "a"])
    expect(ids([page("a", 0, 0.3), page("b", 0, 0.7)], 0)).toEqual(["b", "a"])
    expect(ids([], 0)).toEqual([])
  })

  it("leaves out what neither arm knows", () => {
    expect(ids([page("a", 4), page("b", 0)], 20)).toEqual(["a"])
  })

  it("is in order of fused value and of score, all within 0..1", () => {
    fc.assert(
      fc.property(anyCandidates, anyBound, (candidates, lexicalBound) => {
        const ranked = fuse(candidates, { lexicalBound })
        const values = ranked.flatMap((one) => [one.lexical, one.vector, one.fused, one.score])
        expect(values.every((value) => value >= 0 && value <= 1)).toBe(true)
        expect(ranked.map((one) => one.fused)).toEqual(ranked.map((one) => one.fused).sort((a, b) => b - a))
        expect(ranked.map((one) => one.score)).toEqual(ranked.map((one) => one.score).sort((a, b) => b - a))
      }),
    )
  })

  it("does not depend on the order of the candidates", () => {
    fc.assert(
      fc.property(anyCandidates, anyBound, (candidates, lexicalBound) => {
        expect(fuse(candidates.toReversed(), { lexicalBound })).toEqual(fuse(candidates, { lexicalBound }))
      }),
    )
  })

  it("never ranks a page lower for holding more of the query", () => {
    fc.assert(
      fc.property(anyCandidates, fc.double({ min: 0.1, max: 10, noNaN: true }), (candidates, more) => {
        const [id] = ids(candidates, 60).slice(-1)
        fc.pre(id !== undefined)
        const before = ids(candidates, 60).indexOf(id)
        const raised = candidates.map((one) =>
          one.id === id ? { ...one, lexical: one.lexical + more } : one,
        )
        const after = ids(raised, 60).indexOf(id)
        expect(after).toBeLessThanOrEqual(before)
      }),
    )
  })
})

describe("the score", () => {
  const scoreOf = (lexical: number, cosine: number | undefined) =>
    fuse([page("only", lexical, cosine)], { lexicalBound: 20 })[0]!.score

  it("is high where words and meaning agree", () => {
    expect(scoreOf(12, 0.75)).toBeGreaterThan(0.6)
  })

  it("is low where the index holds nothing of the kind, although some page is always the nearest", () => {
    expect(scoreOf(1.5, 0.15)).toBeLessThan(0.3)
    expect(scoreOf(1.5, undefined)).toBeLessThan(0.3)
    expect(fuse([page("only", 0, 0.2)], { lexicalBound: 0 })[0]!.score).toBeLessThan(0.3)
  })
})
