import { describe, expect, test } from "vitest"
import { crawl, pagesOfHosts } from "./crawl.ts"

const pace = { pauseSeconds: 1, requestSeconds: 1, atATime: 1000, pagesPerSecond: 1000 }

describe("a first crawl", () => {
  test("takes as long as the largest host if there is capacity for all", () => {
    expect(crawl([500, 10, 10], pace).seconds).toBeCloseTo(1000)
  })

  test("takes as long as its processors need if there are many hosts", () => {
    expect(
      crawl(
        Array.from({ length: 10_000 }, () => 10),
        { ...pace, pagesPerSecond: 100 },
      ).seconds,
    ).toBeCloseTo(1000)
  })

  test("makes as many concurrent requests as allowed", () => {
    expect(
      crawl(
        Array.from({ length: 1000 }, () => 10),
        { ...pace, atATime: 50 },
      ).seconds,
    ).toBeCloseTo(200)
  })

  test("has most pages long before the last if one host is much larger", () => {
    // 99 hosts with ten pages each are done after 20 s; after that, only one host is left.
    const { seconds, secondsTo95, hostsAfter95 } = crawl([40, ...Array.from({ length: 99 }, () => 10)], pace)
    expect(seconds).toBeCloseTo(80)
    expect(secondsTo95).toBeLessThan(20)
    expect(hostsAfter95).toBe(100)
    expect(crawl([400, ...Array.from({ length: 99 }, () => 10)], pace).hostsAfter95).toBe(1)
  })
})

describe("hosts", () => {
  test("share the pages according to Zipf's law", () => {
    const sizes = pagesOfHosts(11_000, 3)
    expect(sizes).toEqual([6000, 3000, 2000])
    expect(pagesOfHosts(10, 100).at(-1)).toBe(1)
  })
})
