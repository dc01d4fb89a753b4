import { describe, expect, test } from "vitest"

import { LIMITED_ENDPOINTS, parseRateLimits, RateCounter, rateLimitsText } from "./rate-limits.ts"

describe("rate limits as text", () => {
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
    expect(rateLimitsText(parseRateLimits("search=100/m,*=5/2s"))).toBe("search=100/60s,*=5/2s")
  })

  test("range from one call to 100,000, over a second to a day", () => {
    expect(parseRateLimits("search=1/s,map=100000/24h,keys=1/86400s,*=7/1440m")).toEqual({
      search: { calls: 1, seconds: 1 },
      map: { calls: 100_000, seconds: 86_400 },
      keys: { calls: 1, seconds: 86_400 },
      "*": { calls: 7, seconds: 86_400 },
    })
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
    "search=100001/m",
    "search=1/86401s",
    "search=1/0s",
    "search=1/d",
    "*=1/m,*=2/m",
    "one search=1/m",
    "search=1/m more",
    "=1/m",
  ])("%s is rejected with the expected format", (text) => {
    expect(() => parseRateLimits(text)).toThrow(
      new Error(
        `must be a list such as search=100/m, usage=10/10m, *=1000/m: each of ${LIMITED_ENDPOINTS.join(", ")} and * at most once, with 1 to 100000 calls in up to a day`,
      ),
    )
  })
})

describe("a rate limit", () => {
  const limits = parseRateLimits("search=3/10s, *=1/10s")

  test("allows no more calls in any period of its length", async () => {
    let now = 0
    const counter = new RateCounter(() => now)
    const times: number[] = []
    // A caller who makes a call at every tick of the clock.
    for (; now < 100_000; now += 130)
      if ((await counter.take("a", "search", limits)) === null) times.push(now)
    const most = Math.max(
      ...times.map((from) => times.filter((at) => at >= from && at < from + 10_000).length),
    )
    expect(most).toBe(3)
    expect(times.length).toBeGreaterThanOrEqual(29)
  })

  test("says how long to wait, and then lets one through", async () => {
    let now = 0
    const counter = new RateCounter(() => now)
    const take = () => counter.take("a", "search", limits)
    await take()
    now = 4000
    await take()
    await take()
    expect(await take()).toEqual({ retryAfter: 6 })
    now = 4001
    expect(await take()).toEqual({ retryAfter: 6 })
    now = 10_000
    expect(await take()).toBeNull()
    expect(await take()).toEqual({ retryAfter: 4 })
  })

  test("starts again when it is set to another number", async () => {
    const counter = new RateCounter(() => 0)
    const take = (calls: number) => counter.take("a", "search", { search: { calls, seconds: 10 } })
    expect([await take(1), await take(1)]).toEqual([null, { retryAfter: 10 }])
    expect([await take(2), await take(2), await take(2)]).toEqual([null, null, { retryAfter: 10 }])
  })

  test("asks for a wait of at least a second", async () => {
    let now = 0
    const counter = new RateCounter(() => now)
    await counter.take("a", "map", limits)
    now = 9999.5
    expect(await counter.take("a", "map", limits)).toEqual({ retryAfter: 1 })
  })

  test("of the least recently used key is forgotten when there are too many", async () => {
    const counter = new RateCounter(() => 0)
    const take = async (key: string) => (await counter.take(key, "map", limits)) === null
    expect([await take("first"), await take("second"), await take("first")]).toEqual([true, true, false])
    for (let at = 0; at < 9998; at++) await take(`k${at}`)
    expect([await take("first"), await take("second")]).toEqual([false, false])
    await take("one more")
    expect([await take("first"), await take("second"), await take("k0")]).toEqual([false, false, true])
  })

  test("counts by key and endpoint, and is off if not set", async () => {
    const counter = new RateCounter(() => 0)
    expect([
      await counter.take("a", "map", limits),
      await counter.take("a", "crawl", limits),
      await counter.take("b", "map", limits),
    ]).toEqual([null, null, null])
    expect(await counter.take("a", "map", limits)).toEqual({ retryAfter: 10 })
    expect(await counter.take("a", "map", {})).toBeNull()
  })
})
