import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { afterAll, beforeAll, describe, expect, test } from "vitest"

import { createReader, crawlerSettings, type Reader } from "#crawler"
import { article, startTestSite, type TestSite } from "#crawler/testing/test-site.ts"
import { readSettings } from "#base/settings.ts"

import { FakeEngine, hit } from "../../testing/fake-engine.ts"
import { serveAccounts } from "../../testing/serve-accounts.ts"
import { TEST_KEY } from "../../testing/serve-app.ts"

const CLIENTS = 64

let dir: string
let site: TestSite
let reader: Reader

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "fossick-limits-"))
  site = await startTestSite({ "/a": article("A"), "/b": article("B"), "/c": article("C") })
  reader = createReader({ ...readSettings(crawlerSettings, {}), allowedNetworks: [site.authority] })
})
afterAll(async () => {
  await reader[Symbol.asyncDispose]()
  await site[Symbol.asyncDispose]()
  await rm(dir, { recursive: true })
})

/** Runs this many callers at once, each making its calls one after the other. */
async function flood(calls: number, call: (client: number) => Promise<number>): Promise<Map<number, number>> {
  const statuses = new Map<number, number>()
  const client = async (_: unknown, number: number) => {
    for (let i = 0; i < calls; i++) {
      const status = await call(number)
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
  }
  await Promise.all(Array.from({ length: CLIENTS }, client))
  return statuses
}

describe("under 64 clients at once", () => {
  test("a key's credits are used to the last one, and no further, whichever process is asked", async () => {
    const engine = new FakeEngine([hit()])
    await using one = await serveAccounts({ dir, engine })
    await using other = await serveAccounts({ dir, engine })
    const key = await one.key({ creditLimit: { credits: 101, per: "month" } })
    const free = await one.key()
    const statuses = await flood(4, async (client) => {
      const app = client % 2 === 0 ? one : other
      return (await app.call("/search", key, { query: "pumps" })).status
    })
    expect(statuses).toEqual(
      new Map([
        [200, 101],
        [432, 4 * CLIENTS - 101],
      ]),
    )
    for (let i = 0; i < 4; i++) expect((await one.call("/search", free, { query: "pumps" })).status).toBe(200)
    const { body } = await other.call("/usage", key)
    expect(body.key).toMatchObject({ usage: 101, limit: 101, search_usage: 101 })
    expect(body.account).toMatchObject({ plan_usage: 105, plan_limit: null })
  })

  test("the plan applies to all keys together, followed by the allowance beyond it", async () => {
    const config = { planCredits: 60, paygoCredits: 31, planName: "Ours" }
    await using app = await serveAccounts({ config })
    const keys = await Promise.all(Array.from({ length: CLIENTS }, () => app.key()))
    const statuses = await flood(2, async (client) => {
      const body = { query: "pumps", search_depth: client % 2 === 0 ? "basic" : "advanced" }
      return (await app.call("/search", keys[client]!, body)).status
    })
    const { account } = (await app.call("/usage", keys[0]!)).body
    expect(account).toMatchObject({ current_plan: "Ours", plan_usage: 60, plan_limit: 60, paygo_limit: 31 })
    // The credits left are fewer than any refused call would have cost.
    expect([30, 31]).toContain(account.paygo_usage)
    expect([...statuses.keys()].toSorted((a, b) => a - b)).toEqual([200, 433])
    const logged = (await app.call("/logs", TEST_KEY, { limit: 1000 })).body.logs as { credits: number }[]
    expect(logged).toHaveLength(statuses.get(200)!)
    expect(logged.reduce((sum, { credits }) => sum + credits, 0)).toBe(60 + account.paygo_usage)
  })

  test("pages counted in blocks do not exceed a limit between two blocks", async () => {
    await using app = await serveAccounts({ reader })
    const key = await app.key({ creditLimit: { credits: 6, per: "total" } })
    let pages = 0
    const statuses = await flood(1, async () => {
      const urls = [site.url("/a"), site.url("/b"), site.url("/c")]
      const { status, body } = await app.call("/extract", key, { urls, timeout: 60 })
      if (status === 200) pages += body.results.length
      return status
    })
    const { usage } = (await app.call("/usage", key)).body.key
    expect(usage).toBe(Math.floor(pages / 5))
    expect(usage).toBeLessThanOrEqual(6)
    // Calls that had reserved pages released them for other calls when they ended.
    expect(pages).toBeGreaterThan(5 * 6 - 3)
    expect([...statuses.keys()].toSorted((a, b) => a - b)).toEqual([200, 432])
  })

  test("a rate limit is exact, by key and endpoint", async () => {
    await using app = await serveAccounts({
      config: { rateLimits: { search: { calls: 40, seconds: 3600 } } },
    })
    const key = await app.key()
    const own = await app.key({ rateLimits: { "*": { calls: 3, seconds: 3600 } } })
    const statuses = await flood(2, async () => (await app.call("/search", key, { query: "pumps" })).status)
    expect(statuses).toEqual(
      new Map([
        [200, 40],
        [429, 2 * CLIENTS - 40],
      ]),
    )
    const slowed = await app.call("/search", key, { query: "pumps" })
    expect(slowed.body).toEqual({
      detail: {
        error: "Your request has been blocked due to excessive requests. Please reduce the rate of requests.",
      },
    })
    const wait = Number(slowed.headers.get("retry-after"))
    expect(wait).toBeGreaterThan(3500)
    expect(wait).toBeLessThanOrEqual(3600)
    // Other keys continue, and so do this key's other endpoints.
    expect((await app.call("/usage", key)).status).toBe(200)
    const ofOwn = await flood(1, async () => (await app.call("/search", own, { query: "pumps" })).status)
    expect(ofOwn.get(200)).toBe(3)
  })
})

describe("credits", () => {
  test.each([
    [
      "key",
      { creditLimit: { credits: 1, per: "month" as const } },
      {},
      432,
      "your plan's set usage limit. The key",
    ],
    ["plan", {}, { planCredits: 1 }, 432, "your plan's set usage limit. Ask"],
  ])("a call beyond the limit of the %s costs nothing and says so", async (_, spec, config, status, text) => {
    const engine = new FakeEngine([hit()])
    await using app = await serveAccounts({ engine, config })
    const key = await app.key(spec)
    const refused = await app.call("/search", key, { query: "pumps", search_depth: "advanced" })
    expect([refused.status, Object.keys(refused.body), Object.keys(refused.body.detail)]).toEqual([
      status,
      ["detail"],
      ["error"],
    ])
    expect(refused.body.detail.error).toContain(text)
    expect(engine.queries).toEqual([])
    expect((await app.call("/search", key, { query: "pumps" })).status).toBe(200)
    expect((await app.call("/search", key, { query: "pumps" })).status).toBe(status)
  })

  test("an automatically chosen depth costs its normal price", async () => {
    await using app = await serveAccounts({ engine: new FakeEngine([hit()]) })
    const query =
      "how do the seals of a pump compare with the seals of a compressor, and which wear out first?"
    const { body } = await app.call("/search", await app.key(), {
      query,
      auto_parameters: true,
      include_usage: true,
    })
    expect(body.auto_parameters.search_depth).toBe("advanced")
    expect(body.usage).toEqual({ credits: 2 })
  })

  test("failed or refused calls cost nothing, and their reservations are released", async () => {
    const engine = new FakeEngine([hit()])
    await using app = await serveAccounts({ engine })
    const key = await app.key({ creditLimit: { credits: 2, per: "total" } })
    engine.failure = new Error("broken")
    for (let i = 0; i < 3; i++) {
      expect((await app.call("/search", key, { query: "pumps" })).status).toBe(500)
      expect((await app.call("/search", key, { query: "pumps", topic: "sports" })).status).toBe(400)
    }
    engine.failure = null
    const paid = { query: "pumps", search_depth: "advanced", include_usage: true }
    expect((await app.call("/search", key, paid)).body.usage).toEqual({ credits: 2 })
    expect((await app.call("/search", key, { query: "pumps" })).status).toBe(432)
  })

  test("a crawl costs the same as its map and extracts; instructions and depth each double it", async () => {
    const pages = Object.fromEntries(Array.from({ length: 9 }, (_, i) => [`/p${i}`, article(`Page ${i}`)]))
    await using ten = await startTestSite({ "/": article("Home", { links: Object.keys(pages) }), ...pages })
    await using local = createReader({
      ...readSettings(crawlerSettings, {}),
      allowedNetworks: [ten.authority],
    })
    await using app = await serveAccounts({ reader: local })
    const credits = async (body: object) => {
      const answer = await app.call("/crawl", await app.key(), {
        url: ten.url("/"),
        include_usage: true,
        ...body,
      })
      expect(answer.body.results).toHaveLength(10)
      return answer.body.usage.credits
    }
    expect(await credits({})).toBe(3)
    expect(await credits({ extract_depth: "advanced" })).toBe(5)
    const map = await app.call("/map", await app.key(), { url: ten.url("/"), include_usage: true })
    expect(map.body.usage).toEqual({ credits: 1 })
  })

  test("the calls of one project are counted and reported for it", async () => {
    await using app = await serveAccounts()
    const key = await app.key()
    const tied = await app.key({ projects: ["pumps"] })
    const project = (name: string) => ({ "X-Project-ID": name })
    await app.call("/search", key, { query: "a" }, project("seals"))
    await app.call("/search", key, { query: "a", search_depth: "advanced" })
    await app.call("/search", tied, { query: "a" })
    expect((await app.call("/search", tied, { query: "a" }, project("seals"))).status).toBe(403)
    expect((await app.call("/usage", key, undefined, project("seals"))).body).toMatchObject({
      key: { usage: 1, search_usage: 1 },
      account: { plan_usage: 1 },
    })
    expect((await app.call("/usage", key)).body).toMatchObject({
      key: { usage: 3 },
      account: { plan_usage: 4 },
    })
    expect((await app.call("/usage", tied, undefined, project("pumps"))).body.account.plan_usage).toBe(1)
  })
})
