import { describe, expect, test } from "vitest"
import { chance } from "#base/testing/chance.ts"
import { ratioOf, verdictOf } from "./statistic.ts"

/** Ratios around `ratio`: each start is off by up to `start`, and each of its turns by up to `turn` more. */
function noisy(ratio: number, { start, turn, seed = 1 }: { start: number; turn: number; seed?: number }) {
  const { next } = chance(seed)
  const off = (most: number) => 1 + most * (2 * next() - 1)
  return Array.from({ length: 5 }, () => {
    const own = ratio * off(start)
    return Array.from({ length: 6 }, () => own * off(turn))
  })
}

describe("the ratio of two checkouts", () => {
  test("is the median of all turns, within its interval", () => {
    const { middle, low, high } = ratioOf([[1, 1.1, 1.2], [1.1]])
    expect(middle).toBeCloseTo(1.1)
    expect(low).toBeLessThanOrEqual(middle)
    expect(high).toBeGreaterThanOrEqual(middle)
  })

  test("has an interval of no width when all turns are the same", () => {
    expect(ratioOf([[2], [2], [2]])).toEqual({ middle: 2, low: 2, high: 2 })
  })

  test("has a wider interval with fewer starts", () => {
    const high = (starts: number[][]) => ratioOf(starts).high
    expect(high([[0.9], [1.1]])).toBeGreaterThan(high([[0.9], [1.1], [0.9], [1.1], [0.9], [1.1]]))
    expect(verdictOf(ratioOf([[0.9]]))).toBe("undecided")
  })

  test("has a wider interval when starts differ than when turns do", () => {
    const width = ({ low, high }: { low: number; high: number }) => high - low
    const starts = width(ratioOf(noisy(1, { start: 0.1, turn: 0 })))
    expect(starts).toBeGreaterThan(width(ratioOf(noisy(1, { start: 0, turn: 0.1 }))))
  })

  test("ignores a turn that another program disturbed", () => {
    const quiet = noisy(1, { start: 0.01, turn: 0.02 })
    const { low, high } = ratioOf([...quiet, [3, ...noisy(1, { start: 0, turn: 0.02 })[0]!]])
    expect(low).toBeGreaterThan(0.97)
    expect(high).toBeLessThan(1.03)
  })

  test("is the same each time for the same turns", () => {
    const turns = noisy(1, { start: 0.1, turn: 0.1 })
    expect(ratioOf(turns)).toEqual(ratioOf(turns))
  })
})

describe("the verdict", () => {
  test("calls a line slower only if the whole interval is above the limit", () => {
    expect(verdictOf({ middle: 1.1, low: 1.051, high: 1.2 })).toBe("slower")
    expect(verdictOf({ middle: 1.1, low: 1.05, high: 1.2 })).toBe("undecided")
  })

  test("passes a line only if the whole interval is within the limit", () => {
    expect(verdictOf({ middle: 1, low: 0.9, high: 1.05 })).toBe("passes")
    expect(verdictOf({ middle: 1, low: 0.9, high: 1.051 })).toBe("undecided")
  })

  test("uses the limit that the ledger allows", () => {
    expect(verdictOf({ middle: 1.1, low: 1.08, high: 1.12 }, 1.2)).toBe("passes")
  })

  test("is undecided without figures", () => {
    expect(verdictOf(ratioOf([]))).toBe("undecided")
  })

  test.each([1, 2, 3, 4, 5, 6, 7, 8])(
    "never confuses a tenth more with the same, whatever the noise (%i)",
    (seed) => {
      expect(verdictOf(ratioOf(noisy(1, { start: 0.2, turn: 0.3, seed })))).not.toBe("slower")
      expect(verdictOf(ratioOf(noisy(1.1, { start: 0.01, turn: 0.03, seed })))).toBe("slower")
      expect(verdictOf(ratioOf(noisy(1.1, { start: 0.2, turn: 0.3, seed })))).not.toBe("passes")
    },
  )
})
