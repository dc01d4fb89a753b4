import { tavily } from "@tavily/core"
import { describe, expect, test } from "vitest"

import type { ReadResult } from "#crawler"

import { FakeEngine, hit } from "../../testing/fake-engine.ts"
import { SEARCH_KEY, serveApp, TEST_KEY } from "../../testing/serve-app.ts"

/** A timeout long enough that waiting searches time out only after the test releases them. */
const PATIENT = { searchWaitSeconds: 300 }
const REFUSED = expect.stringContaining("Try again in")

/** An engine whose searches don't finish until they are released. */
function slowEngine() {
  const gate = Promise.withResolvers<void>()
  class SlowEngine extends FakeEngine {
    override async search(...given: Parameters<FakeEngine["search"]>) {
      const found = await super.search(...given)
      await gate.promise
      return found
    }
  }
  return { engine: new SlowEngine([hit()]), letGo: gate.resolve }
}

const search = (url: string, key: string) =>
  fetch(`${url}/search`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Authorization: `Bearer ${key}` },
    body: JSON.stringify({ query: "pumps" }),
  })

const metrics = async (url: string) =>
  (await fetch(`${url}/metrics`, { headers: { Authorization: `Bearer ${TEST_KEY}` } })).text()

describe("more searches than can be answered in time", () => {
  test("are refused early with 429 and Retry-After, while health and metrics are answered", async () => {
    const { engine, letGo } = slowEngine()
    await using app = await serveApp({ engine, config: { searches: 2, searchQueue: 10, ...PATIENT } })
    const all = Array.from({ length: 100 }, () => app.post("/search", { query: "pumps" }))
    const first = await Promise.race(all)
    expect([first.status, first.headers.get("retry-after"), first.body]).toEqual([
      429,
      expect.stringMatching(/^\d+$/),
      { detail: { error: REFUSED } },
    ])
    for (const path of ["/healthz", "/readyz", "/metrics"]) {
      const { status } = await fetch(app.url + path, { headers: { Authorization: `Bearer ${TEST_KEY}` } })
      expect([path, status]).toEqual([path, 200])
    }
    await expect
      .poll(() => metrics(app.url))
      .toMatch(/fossick_searches_waiting 10\n[^]*fossick_calls_shed_total\{kind="search"\} 88\n/)
    letGo()
    const statuses = (await Promise.all(all)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 200)).toHaveLength(12)
    expect(statuses.filter((status) => status === 429)).toHaveLength(88)
  })

  test("of one key do not keep another's out", async () => {
    const { engine, letGo } = slowEngine()
    await using app = await serveApp({ engine, config: { searches: 2, searchQueue: 10, ...PATIENT } })
    const many = Array.from({ length: 50 }, () => search(app.url, TEST_KEY))
    await Promise.race(many)
    const other = search(app.url, SEARCH_KEY)
    // One of the many waiting searches lost its place to this one.
    await expect.poll(() => metrics(app.url)).toContain('fossick_calls_shed_total{kind="search"} 39\n')
    letGo()
    expect((await other).status).toBe(200)
    await Promise.all(many)
  })

  test("give the official client a readable error", async () => {
    const { engine, letGo } = slowEngine()
    await using app = await serveApp({ engine, config: { searches: 1, searchQueue: 1, ...PATIENT } })
    const client = tavily({ apiKey: TEST_KEY, apiBaseURL: app.url })
    const all = Array.from({ length: 3 }, () => client.search("pumps", {}))
    await expect(Promise.race(all)).rejects.toThrow(/Try again in \d+ s\./)
    letGo()
    expect((await Promise.allSettled(all)).filter(({ status }) => status === "fulfilled")).toHaveLength(2)
  })
})

test("live calls are limited, with half of the slots for one key", async () => {
  const gate = Promise.withResolvers<ReadResult>()
  const reader = { read: () => gate.promise, sitemap: async () => [], [Symbol.asyncDispose]: async () => {} }
  await using app = await serveApp({ reader, config: { liveCalls: 4 } })
  const body = { urls: ["https://example.com/"], url: "https://example.com/" }
  const calls = ["/extract", "/crawl", "/map"].map((path) => app.post(path, body))
  const refused = await Promise.race(calls)
  expect([refused.status, refused.headers.get("retry-after"), refused.body]).toEqual([
    429,
    "5",
    { detail: { error: REFUSED } },
  ])
  const other = fetch(`${app.url}/extract`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Authorization: `Bearer ${SEARCH_KEY}` },
    body: JSON.stringify(body),
  })
  gate.resolve({ kind: "failed", because: "dns", detail: "no such host" })
  expect((await other).status).toBe(200)
  expect((await Promise.all(calls)).map(({ status }) => status).sort((a, b) => a - b)).toEqual([
    200, 200, 429,
  ])
  // The places are free again.
  expect((await app.post("/extract", body)).status).toBe(200)
})
