import { describe, expect, test } from "vitest"
import { bestPositions } from "./best-passages.ts"

const words = (...shares: number[]) => Float64Array.from(shares)

describe("a page's best passages", () => {
  test("contain the words and are near in meaning", () => {
    expect(bestPositions(words(0, 0.8, 0.4, 0.3), new Map([[2, 0.6]]), 2)).toEqual([2, 1])
  })

  test("are found by words alone when none is among the nearest, and the first wins a tie", () => {
    expect(bestPositions(words(0, 0.2, 0.9, 0.2), new Map(), 3)).toEqual([2, 1, 3])
    expect(bestPositions(words(0, 0, 0), new Map(), 2)).toEqual([0, 1])
  })

  test("are found by nearness alone when the words are unknown", () => {
    const cosines = new Map([
      [7, 0.4],
      [40, 0.7],
    ])
    expect(bestPositions(null, cosines, 3)).toEqual([40, 7, 0])
    expect(bestPositions(words(), new Map(), 3)).toEqual([])
  })
})
