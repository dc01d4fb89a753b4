import { describe, expect, test } from "vitest"

import {
  crawlCost,
  dueBetween,
  extractCost,
  mapCost,
  metersOf,
  mostCredits,
  PRICES,
  researchCost,
  searchCost,
} from "./credits.ts"

describe("a call costs", () => {
  test("a credit for a search, two for an advanced one", () => {
    expect(
      ["ultra-fast", "fast", "basic", "advanced"].map((depth) => mostCredits(searchCost(depth))),
    ).toEqual([1, 1, 1, 2])
  })

  test("for pages by the block, with a partial block costing at most a full one", () => {
    expect([0, 1, 5, 6].map((pages) => mostCredits(extractCost("basic", pages)))).toEqual([0, 1, 1, 2])
    expect([0, 1, 5, 6].map((pages) => mostCredits(extractCost("advanced", pages)))).toEqual([0, 2, 2, 4])
    expect([0, 1, 10, 11].map((pages) => mostCredits(mapCost(false, pages)))).toEqual([0, 1, 1, 2])
    expect([0, 1, 10, 11].map((pages) => mostCredits(mapCost(true, pages)))).toEqual([0, 2, 2, 4])
    expect(crawlCost(true, "advanced", 11)).toEqual({
      pages: { "map-instructions": 11, "extract-advanced": 11 },
    })
    expect(crawlCost(false, "basic", 11)).toEqual({ pages: { map: 11, "extract-basic": 11 } })
  })

  test("no more than the pages that can be read in time, whatever limit it requests", () => {
    expect(extractCost("basic", Infinity)).toEqual({ pages: { "extract-basic": 100_000 } })
    expect(mapCost(false, 1e9)).toEqual({ pages: { map: 100_000 } })
  })

  test("the difference when its pages fill blocks that others began", () => {
    const due = (before: number, after: number) => dueBetween("extract-advanced", before, after)
    expect([due(0, 4), due(4, 5), due(4, 14), due(5, 5)]).toEqual([0, 2, 4, 0])
    expect(dueBetween("map", 9, 10)).toBe(1)
  })

  test("for a report by its searches after the first, up to a maximum", () => {
    const credits = (model: "mini" | "pro") =>
      [0, 1, 2, 5, Infinity].map((count) => researchCost(model, count).credits)
    expect(credits("mini")).toEqual([4, 4, 5, 8, 110])
    expect(credits("pro")).toEqual([15, 15, 17, 23, 250])
  })

  test("nothing for calls that are free", () => {
    expect(metersOf({ pages: { map: 0, "extract-basic": 2 } })).toEqual([["extract-basic", 2]])
    expect(metersOf({ credits: 3 })).toEqual([])
    expect(mostCredits({})).toBe(0)
    expect(mostCredits({ credits: 3, pages: { map: 1 } })).toBe(4)
  })
})

test("what the price list says", () => {
  expect(PRICES).toMatchObject({
    search: "1 credit, 2 with the depth `advanced`.",
    advancedSearch: "2 credits",
    map: "1 credit for every 10 addresses, 2 with `instructions`.",
  })
  expect(PRICES.extract).toMatch(/^1 credit for every 5 pages read, 2 with the depth `advanced`/)
  expect(PRICES.research).toMatch(/^4 to 110 credits with the model `mini`, 15 to 250 with `pro`/)
})
