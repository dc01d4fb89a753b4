import { describe, expect, test } from "vitest"
import type { Ranked } from "./fusion.ts"
import { toReadAgain, toReadNext, withLateInteraction } from "./late-order.ts"

/** Pages `a`, `b`, `c`… with these values, best first, all with the same word evidence and nearness. */
const ranking = (values: readonly number[], more: Partial<Ranked> = {}): Ranked[] =>
  values.map((fused, i) => ({
    id: String.fromCodePoint(97 + i),
    lexical: 0.2,
    vector: 0.5,
    late: 0,
    rerank: 0,
    fused,
    score: 0.5,
    ...more,
  }))

const next = (ranked: readonly Ranked[], late: Readonly<Record<string, number>> = {}, results = 5) =>
  toReadNext(ranked, ranked, new Map(Object.entries(late)), results)

describe("the passages to read next", () => {
  test("are none when the pages are too far apart to change places", () => {
    expect(next(ranking([0.8, 0.6, 0.4, 0.2]))).toEqual([])
  })

  test("are those of pages close to another one, the closest and highest first", () => {
    expect(next(ranking([0.8, 0.6, 0.599, 0.4, 0.389, 0.2])).toSorted()).toEqual(["b", "c", "d", "e"])
    expect(
      next(ranking([0.8, 0.6, 0.599, 0.4, 0.389, 0.2]))
        .slice(0, 2)
        .toSorted(),
    ).toEqual(["b", "c"])
  })

  test("are none once those have been read", () => {
    const ranked = ranking([0.8, 0.6, 0.599, 0.4])
    expect(next(ranked, { b: 0.2, c: 0.5 })).toEqual([])
  })

  test("include the rest when reading has brought a page near another one", () => {
    const ranked = ranking([0.8, 0.6, 0.599, 0.5])
    expect(next(ranked)).not.toContain("d")
    // Both pages were read, and the worse one is now about where the next page is likely to be.
    expect(next(ranked, { b: 0.6, c: 0 })).toEqual(["d"])
  })

  test("are four at a time", () => {
    expect(next(ranking(Array<number>(12).fill(0.5)))).toHaveLength(4)
  })

  test("are none among pages that are not shown", () => {
    const ranked = ranking([0.9, 0.8, 0.7, 0.5, 0.499])
    expect(next(ranked, {}, 2)).toEqual([])
    expect(next(ranked, {}, 5).toSorted()).toEqual(["d", "e"])
    // The order of the eleventh and twelfth pages doesn't matter.
    const many = ranking([...Array.from({ length: 11 }, (_, i) => 2 - i / 10), 0.999])
    expect(next(many, {}, 100)).toEqual([])
  })

  test("are none when no page is likely to answer", () => {
    const close = [0.3, 0.295, 0.2]
    expect(next(ranking(close, { score: 0.4 })).toSorted()).toEqual(["a", "b"])
    expect(next(ranking(close, { score: 0.0002 }))).toEqual([])
  })

  test("never include unreadable pages", () => {
    const ranked = ranking([0.6, 0.599])
    expect(toReadNext(ranked, [], new Map(), 5)).toEqual([])
  })
})

describe("the ranking", () => {
  test("gives an unread page the value expected from its words and its nearness", () => {
    const [known, alike, nearer] = ranking([0.5, 0.5, 0.5])
    const ranked = [known!, alike!, { ...nearer!, vector: 0.9 }]
    const after = withLateInteraction(ranked, new Map([["a", 0.7]]))
    const fusedOf = (id: string) => after.find((one) => one.id === id)!.fused
    expect(fusedOf("b")).toBeCloseTo(fusedOf("a"), 9)
    expect(fusedOf("c")).toBeGreaterThan(fusedOf("b"))
    expect(after.map(({ late }) => late).toSorted((a, b) => a - b)).toEqual([0, 0, 0.7])
  })

  test("reads fewer pages for fewer results", () => {
    const ranked = ranking(Array<number>(40).fill(0.5))
    expect([1, 3, 5, 10, 100].map((results) => toReadAgain(ranked, 16, results).length)).toEqual([
      2, 4, 6, 16, 16,
    ])
  })
})
