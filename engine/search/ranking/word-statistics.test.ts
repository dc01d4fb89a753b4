import { describe, expect, test } from "vitest"

import type { WordStatistics } from "../../engine.ts"
import { idfAmong, statisticsOf, sumOf } from "./word-statistics.ts"

const of = (pages: number, words: Readonly<Record<string, number>>): WordStatistics => ({
  pages,
  words: new Map(Object.entries(words)),
})

describe("a word's rarity among all pages", () => {
  const statistics = of(100, { common: 60, rare: 1, none: 0, all: 100, counted: 130 })

  test("is the BM25 value, and never negative", () => {
    expect(idfAmong(statistics, "rare")).toBeCloseTo(Math.log(101 / 1.5), 9)
    expect(idfAmong(statistics, "common")).toBeCloseTo(Math.log(101 / 60.5), 9)
    // No page has the word, so its frequency is known: zero.
    expect(idfAmong(statistics, "none")).toBeCloseTo(Math.log(101 / 0.5), 9)
    expect(idfAmong(statistics, "all")).toBeCloseTo(Math.log(101 / 100.5), 9)
    // The word was counted while pages were being removed, so it is treated as if all pages had it.
    expect(idfAmong(statistics, "counted")).toBe(idfAmong(statistics, "all"))
  })

  test("is unknown for words that were not looked up, and without statistics", () => {
    expect([idfAmong(statistics, "other"), idfAmong(undefined, "rare")]).toEqual([undefined, undefined])
  })

  test("gives back the number of pages containing it", () => {
    for (const pages of [1, 7, 1000]) {
      const words = Object.fromEntries(Array.from({ length: pages + 1 }, (_, held) => [`w${held}`, held]))
      const rarity = new Map(
        Object.keys(words).map((word) => [word, idfAmong(of(pages, words), word)!] as const),
      )
      expect(statisticsOf(pages, rarity)).toEqual(of(pages, words))
    }
  })

  test("gives no page count out of range, whatever an index makes of it", () => {
    const odd = new Map([
      ["rarer than any", 50],
      ["in more than all", -3],
    ])
    expect(statisticsOf(10, odd)).toEqual(of(10, { "rarer than any": 0, "in more than all": 10 }))
  })
})

test("several indexes are summed as if they were one", () => {
  expect(sumOf([of(10, { a: 1, b: 2 }), of(5, { b: 3, c: 0 }), of(0, {})])).toEqual(
    of(15, { a: 1, b: 5, c: 0 }),
  )
  expect(sumOf([])).toEqual(of(0, {}))
})
