import { describe, expect, test } from "vitest"

import { parseRateLimits, RateCounter, rateLimitsText } from "./rate-limits.ts"

describe("rates as text", () => {
  test("are read, and written as they are read", () => {
    const limits = parseRateLimits(" search=100/m, usage = 10/10m ,*=5/2s,logs=1/h")
    expect(limits).toEqual({
      search: { calls: 100, seconds: 60 },
      usage: { calls: 10, seconds: 600 },
      "*": { calls: 5, seconds: 2 },
      logs: { calls: 1, seconds: 3600 },
    })
    expect(parseRateLimits(rateLimitsText(limits))).toEqual(limits)
    expect(parseRateLimits("")).toEqual({})
  })

  test.each([
    "search",
    "search=100",
    "search=0/m",
    "search=1/25h",
    "find=1/m",
    "search=1/m,search=2/m",
    "search=1/0m",
    "*=x/m",
  ])("%s is refused with what is expected", (text) => {
    expect(() => parseRateLimits(text)).toThrow("must be a list such as search=100/m")
  })
})

describe("a rate", () => {
  const limits = parseRateLimits("search=3/10s, *=1/10s")

  test("lets no more through in any stretch of its length", () => {
    let now = 0
    const counter = new RateCounter(() => now)
    const times: number[] = []
    // A caller who asks at every turn of the clock.
    for (; now < 100_000; now += 130) if (counter.take("a", "search", limits) === null) times.push(now)
    const most = Math.max(
      ...times.map((from) => times.filter((at) => at >= from && at < from + 10_000).length),
    )
    expect(most).toBe(3)
    expect(times.length).toBeGreaterThanOrEqual(29)
  })

  test("says how long to wait, and then lets one through", () => {
    let now = 0
    const counter = new RateCounter(() => now)
    const take = () => counter.take("a", "search", limits)
    take()
    now = 4000
    take()
    take()
    expect(take()).toEqual({ retryAfter: 6 })
    now = 4001
    expect(take()).toEqual({ retryAfter: 6 })
    now = 10_000
    expect(take()).toBeNull()
    expect(take()).toEqual({ retryAfter: 4 })
  })

  test("is counted by key and by endpoint, and off where none is set", () => {
    const counter = new RateCounter(() => 0)
    expect([
      counter.take("a", "map", limits),
      counter.take("a", "crawl", limits),
      counter.take("b", "map", limits),
    ]).toEqual([null, null, null])
    expect(counter.take("a", "map", limits)).toEqual({ retryAfter: 10 })
    expect(counter.take("a", "map", {})).toBeNull()
  })
})
