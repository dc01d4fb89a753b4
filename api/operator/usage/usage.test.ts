import { Jobs } from "#crawler/jobs/jobs.ts"
import { Sources } from "#crawler/sources/sources.ts"
import { tavily } from "@tavily/core"
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest"

import { FakeEngine, hit } from "../../testing/fake-engine.ts"
import { type ServedAccounts, serveAccounts } from "../../testing/serve-accounts.ts"
import { type Answer, answerOf, TEST_KEY } from "../../testing/serve-app.ts"

const HOUR = 3_600_000

let app: ServedAccounts

beforeAll(async () => {
  app = await serveAccounts({ engine: new FakeEngine([hit()]) })
})
afterAll(() => app[Symbol.asyncDispose]())

const errorOf = ({ status, body }: Answer) => [status, body.detail.error]
const search = (key: string, headers = {}) => app.call("/search", key, { query: "pumps" }, headers)

describe("keys", () => {
  const generate = (body: object, key = TEST_KEY) => app.call("/generate-keys", key, body)
  const info = (key: string) => app.call("/key-info", key)

  test("are generated, looked up, and deactivated together", async () => {
    const before = Date.now()
    const { status, body } = await generate({
      permission_level: "user",
      count: 2,
      key_limit: 3,
      ttl_hours: 24,
    })
    expect(status).toBe(200)
    expect(body).toEqual({
      keys: [expect.stringMatching(/^fsk-dev-/), expect.stringMatching(/^fsk-dev-/)],
      expires_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
      created: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/),
      message:
        "2 keys generated successfully with 3 credits each. These keys will be automatically deactivated after 24 hours",
      request_id: expect.any(String),
    })
    expect(Math.abs(Date.parse(body.expires_at) - before - 24 * 3_600_000)).toBeLessThan(60_000)
    const [one, two] = body.keys as [string, string]
    expect((await info(one)).body).toEqual({
      name: `development-${body.expires_at}-#1`,
      created: body.created,
      expires_at: body.expires_at,
      key_type: "development",
      status: "active",
    })
    for (let i = 0; i < 3; i++) expect((await search(one)).status).toBe(200)
    expect((await search(one)).status).toBe(432)
    expect((await search(two)).status).toBe(200)

    const ended = await app.call("/deactivate-keys", TEST_KEY, { request_id: body.request_id })
    expect([ended.status, ended.body]).toEqual([200, { message: "Successfully deactivated 2 key(s)" }])
    expect(errorOf(await search(two))).toEqual([401, "Unauthorized: missing or invalid API key."])
    expect((await info(two)).body.status).toBe("deactivated")
    const again = await app.call("/deactivate-keys", TEST_KEY, { request_id: body.request_id })
    expect(again.body.message).toBe("Successfully deactivated 0 key(s)")
    expect((await app.call("/deactivate-keys", TEST_KEY, { request_id: "unknown" })).status).toBe(404)
  })

  test("deactivate themselves by a call without a body", async () => {
    const [key] = (await generate({ permission_level: "user", name: "chat" })).body.keys
    expect((await info(key)).body.name).toBe("chat")
    const answer = await answerOf(
      await fetch(`${app.url}/deactivate-keys`, {
        method: "POST",
        headers: { Authorization: `Bearer ${key}` },
      }),
    )
    expect(answer.body).toEqual({ message: "Successfully deactivated 1 key(s)" })
    expect((await search(key)).status).toBe(401)
    // A key made by the command may be shared by many programs.
    const shared = await app.key()
    expect(errorOf(await app.call("/deactivate-keys", shared, {}))).toEqual([
      403,
      "Access denied. This key may not deactivate keys.",
    ])
  })

  test.each([
    [{}, 400, /^Missing permission_level\. Must be 'admin' or 'user'\.$/],
    [{ permission_level: "root" }, 400, /^Invalid permission_level\./],
    [
      { permission_level: "user", key_limit: 0 },
      400,
      /^Invalid key_limit\. Must be a whole number from 1 to 100000\.$/,
    ],
    [
      { permission_level: "user", ttl_hours: 8761 },
      400,
      /^Invalid ttl_hours\. Must be a whole number from 1 to 8760\.$/,
    ],
    [
      { permission_level: "user", count: 201 },
      400,
      /^Invalid count\. Must be a whole number from 1 to 200\.$/,
    ],
    [
      { permission_level: "user", scope: ["api:everything"] },
      400,
      /^Invalid scope\. Must be the list \['api:generate_keys'\]\.$/,
    ],
    [{ permission_level: "admin", scope: ["api:generate_keys"] }, 400, /^Invalid scope\./],
    [
      { permission_level: "admin", sources: ["a"] },
      400,
      /^Invalid permission_level\. Keys of the level 'admin' cannot/,
    ],
    [
      { permission_level: "user", endpoints: ["lookup"] },
      400,
      /^Invalid endpoints\. Must be some of search, extract/,
    ],
    [{ permission_level: "user", domains: ["*.example.com"] }, 400, /^Invalid domains: /],
    [
      { permission_level: "user", collections: ["unknown"] },
      400,
      /^Invalid collections\. There is no collection "unknown"\.$/,
    ],
    // A non-empty list of limits never counts as left out.
    [{ permission_level: "user", endpoints: [""] }, 400, /^Invalid endpoints\./],
    [{ permission_level: "user", sources: [""] }, 400, /^Invalid sources\./],
    [{ permission_level: "user", collections: [" "] }, 400, /^Invalid collections\./],
    [{ permission_level: "user", domains: [""] }, 400, /^Invalid domains/],
    [{ permission_level: "user", projects: [""] }, 400, /^Invalid projects\./],
    [
      { permission_level: "user", principals: ["hr"] },
      400,
      /^Invalid principals\. Must be user:NAME, group:NAME or signed-in, not "hr"\.$/,
    ],
    [
      { permission_level: "admin", principals: ["group:hr"] },
      400,
      /^Invalid principals\. Must be left out for a key with the role admin: it reads every page\.$/,
    ],
  ])("are not generated for %j", async (body, status, error) => {
    const answer = await generate(body)
    expect([answer.status, answer.body.detail.error]).toEqual([status, expect.stringMatching(error)])
  })

  test("can create others only with that permission, and never with more rights", async () => {
    expect(errorOf(await generate({ permission_level: "user" }, await app.key()))).toEqual([
      403,
      "Access denied. This key may not make keys.",
    ])
    const made = await generate({
      permission_level: "user",
      scope: ["api:generate_keys"],
      key_limit: 10,
      ttl_hours: 5,
      domains: ["example.com"],
      projects: ["pumps"],
    })
    const [maker] = made.body.keys
    const refused = async (body: object) =>
      (await generate({ permission_level: "user", ...body }, maker)).status
    expect(await refused({ permission_level: "admin", key_limit: 1, ttl_hours: 1 })).toBe(403)
    expect(await refused({ scope: ["api:generate_keys"], key_limit: 1, ttl_hours: 1 })).toBe(403)
    expect(await refused({ domains: ["example.org"], key_limit: 1, ttl_hours: 1 })).toBe(403)
    expect(await refused({ projects: ["seals"], key_limit: 1, ttl_hours: 1 })).toBe(403)
    expect(await refused({ key_limit: 1, ttl_hours: 6 })).toBe(400)
    expect(await refused({ key_limit: 4, count: 3, ttl_hours: 1 })).toBe(403)

    expect((await search(maker)).status).toBe(200)
    const children = await generate({ permission_level: "user", key_limit: 4, count: 2, ttl_hours: 1 }, maker)
    // The maker has used 1 of its credits, 8 are assigned to the new keys, and 1 remains.
    expect(await refused({ key_limit: 2, ttl_hours: 1 })).toBe(403)
    expect((await search(maker)).status).toBe(200)
    expect((await search(maker)).status).toBe(432)
    const [child] = children.body.keys
    expect(await app.accounts.keys.verify(child)).toMatchObject({
      scope: { domains: ["example.com"] },
      projects: ["pumps"],
      mayMakeKeys: false,
    })
    // No key can deactivate keys that others made.
    expect((await app.call("/deactivate-keys", maker, { request_id: made.body.request_id })).status).toBe(404)
    const ended = await app.call("/deactivate-keys", maker, { request_id: children.body.request_id })
    expect(ended.body.message).toBe("Successfully deactivated 2 key(s)")
  })

  test("carry groups only if the key that creates them does", async () => {
    const wanted = { permission_level: "user", key_limit: 1, ttl_hours: 1 }
    const maker = await app.key({ mayMakeKeys: true, principals: ["group:hr", "group:staff"] })
    const principalsOf = async (body: object, key: string) => {
      const answer = await generate({ ...wanted, ...body }, key)
      const made = answer.status === 200 ? await app.accounts.keys.verify(answer.body.keys[0]) : null
      return made?.principals ?? answer.status
    }
    expect(await principalsOf({ principals: ["Group:HR"] }, maker)).toEqual(["group:hr"])
    expect(await principalsOf({}, maker)).toEqual([])
    expect(await principalsOf({ principals: ["group:hr", "user:anna@example.com"] }, maker)).toBe(403)
    expect(await principalsOf({ principals: ["signed-in"] }, maker)).toBe(403)
    expect(await principalsOf({ principals: ["user:anna@example.com"] }, TEST_KEY)).toEqual([
      "user:anna@example.com",
    ])
  })

  test("expire at their time", async () => {
    const key = await app.key({ expiresAt: new Date(Date.now() + HOUR) })
    expect((await search(key)).status).toBe(200)
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + HOUR })
    try {
      expect((await search(key)).status).toBe(401)
      expect((await info(key)).body.status).toBe("deactivated")
      expect((await info("nobody")).status).toBe(401)
    } finally {
      vi.useRealTimers()
    }
  })
})

describe("usage", () => {
  test("has every field of the contract", async () => {
    const { status, body } = await app.call("/usage", await app.key())
    const calls = { search_usage: 0, extract_usage: 0, crawl_usage: 0, map_usage: 0, research_usage: 0 }
    expect([status, body.key]).toEqual([200, { usage: 0, limit: null, ...calls }])
    expect(body.account).toEqual({
      current_plan: "Self-hosted",
      plan_usage: expect.any(Number),
      plan_limit: null,
      paygo_usage: 0,
      paygo_limit: 0,
      ...calls,
      search_usage: expect.any(Number),
    })
    expect((await app.call("/usage", "nobody")).status).toBe(401)
    expect((await app.call("/usage", TEST_KEY, {})).status).toBe(405)
  })
})

describe("logs", () => {
  test("list calls, newest first, without what was asked or found", async () => {
    await using own = await serveAccounts({ engine: new FakeEngine([hit()]) })
    const [one, two] = [await own.key(), await own.key()]
    // Midnight might pass during the test.
    const began = new Date().toISOString().slice(0, 10)
    const ids: string[] = []
    for (const [key, depth] of [
      [one, "basic"],
      [two, "fast"],
      [one, "advanced"],
    ] as const) {
      const body = { query: "a private question", search_depth: depth }
      ids.unshift((await own.call("/search", key, body, { "X-Project-ID": depth })).body.request_id)
    }
    await own.call("/extract", two, { urls: "https://a.example/" })
    await own.call("/search", one, { query: "refused", topic: "sports" })

    const all = await own.call("/logs", TEST_KEY, {})
    expect(all.body).toEqual({
      logs: expect.any(Array),
      count: 4,
      response_time: expect.any(Number),
      request_id: expect.any(String),
    })
    expect(all.body.logs[1]).toEqual({
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00$/),
      endpoint: "search",
      depth: "advanced",
      response_time: expect.any(Number),
      credits: 2,
      api_key: `****${one.slice(-4)}`,
      request_id: ids[0],
    })
    const list = async (body: object, key = TEST_KEY) =>
      (await own.call("/logs", key, body)).body.logs.map((call: { request_id: string }) => call.request_id)
    expect(await list({ endpoints: ["search"] })).toEqual(ids)
    expect(await list({ endpoints: "search", limit: 2 })).toEqual(ids.slice(0, 2))
    expect(await list({ project_id: "fast" })).toEqual([ids[1]])
    expect(await list({ filter_by_api_key: true })).toEqual([])
    // A key that may only search learns nothing about other keys.
    expect(await list({}, one)).toEqual([ids[0], ids[2]])
    const today = new Date().toISOString().slice(0, 10)
    expect(await list({ start_date: began, end_date: today })).toHaveLength(4)
    expect(await list({ end_date: "2020-01-01" })).toEqual([])
    expect(await list({ start_date: "2999-01-01" })).toEqual([])
    expect(JSON.stringify((await own.call("/logs", TEST_KEY, {})).body)).not.toContain("private")
  })

  test.each([
    [
      { endpoints: ["news"] },
      "Invalid endpoints: news. Valid endpoints are: search, extract, map, crawl, research",
    ],
    [{ limit: 10_001 }, "Invalid limit. Must be a whole number from 1 to 10000."],
    [{ start_date: "2026-02-30" }, "Invalid start_date. Must be a date of the form YYYY-MM-DD."],
    [{ start_date: "2026-02-02", end_date: "2026-02-01" }, "Invalid start_date. Must not be after end_date."],
  ])("refuse %j", async (body, error) => {
    expect(errorOf(await app.call("/logs", TEST_KEY, body))).toEqual([400, error])
  })

  test("require POST, with or without a body", async () => {
    expect((await app.call("/logs", TEST_KEY)).status).toBe(405)
    const bare = await fetch(`${app.url}/logs`, {
      method: "POST",
      headers: { Authorization: `Bearer ${TEST_KEY}` },
    })
    expect(bare.status).toBe(200)
  })

  test("forget calls and feedback after their days, at the start and then hourly", async () => {
    await using own = await serveAccounts()
    const key = await own.key()
    await own.call("/search", key, { query: "a" })
    await own.call("/feedback", key, { request_id: "r", comment: "good" })
    expect([
      await own.accounts.callLog.prune(Date.now() - 1000, 10),
      await own.accounts.feedback.prune(Date.now() - 1000, 10),
    ]).toEqual([0, 0])
    expect([
      await own.accounts.callLog.prune(Date.now() + 1, 10),
      await own.accounts.feedback.prune(Date.now() + 1, 10),
    ]).toEqual([1, 1])
    expect((await own.call("/logs", TEST_KEY, {})).body.count).toBe(0)
  })
})

describe("data about callers", () => {
  const headers = { "X-Project-ID": "pumps", "X-Session-Id": "session-1", "X-Human-Id": "ada@example.com" }

  test("is recorded by project and session, and for a person only as a keyed hash", async () => {
    await using own = await serveAccounts({ config: { humanIdSecret: "a secret of the operator" } })
    await using other = await serveAccounts({ config: { humanIdSecret: "another secret of his" } })
    const human = async (served: ServedAccounts, sent: object) => {
      await served.call("/search", TEST_KEY, { query: "a" }, { ...headers, ...sent })
      return (await served.accounts.callLog.list({ limit: 1 }))[0]!
    }
    const entry = await human(own, {})
    expect(entry).toMatchObject({
      project: "pumps",
      session: "session-1",
      human: expect.stringMatching(/^[\da-f]{32}$/),
    })
    expect((await human(own, {})).human).toBe(entry.human)
    expect((await human(own, { "X-Human-Id": "eve@example.com" })).human).not.toBe(entry.human)
    expect((await human(other, {})).human).not.toBe(entry.human)
    expect((await human(own, { "X-Human-Id": "" })).human).toBe("")
  })

  test("appears in no log and no error, whatever fails", async () => {
    const engine = new FakeEngine()
    engine.failure = new Error("broken")
    await using own = await serveAccounts({ engine })
    for (const path of [
      "/search",
      "/extract",
      "/crawl",
      "/nothing",
      "/usage",
      "/logs",
      "/feedback",
      "/docs/",
    ]) {
      const answer = await fetch(own.url + path, {
        method: "POST",
        headers: { ...headers, Authorization: `Bearer ${TEST_KEY}`, "Content-Type": "application/json" },
        body: JSON.stringify({ query: "a" }),
      })
      expect(await answer.text()).not.toContain("ada@")
    }
    expect(own.logLines.length).toBeGreaterThan(7)
    expect(own.logLines.join("")).not.toContain("ada@")
  })

  test("includes no question, unless the operator wants it", async () => {
    const asked = { query: "a private question" }
    for (const logQueries of [false, true]) {
      await using own = await serveAccounts({ config: { logQueries } })
      await own.call("/search", TEST_KEY, asked)
      expect((await own.accounts.callLog.list({ limit: 1 }))[0]!.query).toBe(logQueries ? asked.query : null)
      expect(own.logLines.join("").includes(asked.query)).toBe(logQueries)
    }
  })
})

describe("feedback", () => {
  const whole = {
    request_id: "r1",
    agent_score: 0.5,
    human_score: "good",
    extra_scores: [{ label: "tone", value: 3 }],
    comment: "as expected",
    response_delivered: "text",
    used_ids: ["r1-00"],
    used_urls: ["https://example.com/"],
    used_citations: ["[1]"],
    urls_scores: [
      { url: "https://example.com/", agent_score: 1, scores: [{ label: "fit", value: "yes" }], comment: "" },
    ],
    unknown: "ignored",
  }

  test("is stored as it came", async () => {
    const { status, body } = await app.call("/feedback", TEST_KEY, whole)
    expect([status, body]).toEqual([
      200,
      {
        success: true,
        feedback_id: expect.any(String),
        response_time: expect.any(Number),
        warnings: [expect.objectContaining({ code: "unknown-field", field: "unknown" })],
      },
    ])
    const { request_id, unknown, ...fields } = whole
    expect(await app.accounts.feedback.list({ limit: 1, offset: 0 })).toEqual([
      {
        id: body.feedback_id,
        at: expect.any(Number),
        keyId: "tester",
        requestId: request_id,
        sessionId: "",
        fields,
      },
    ])
    expect(unknown).toBe("ignored")
  })

  test("is accepted from the official client, session included", async () => {
    const client = tavily({ apiKey: TEST_KEY, apiBaseURL: app.url })
    const { requestId } = await client.search("pumps", {})
    const told = await client.feedback({ requestId, sessionId: "s1", humanScore: 1, comment: "good" })
    expect(told).toMatchObject({ success: true })
    expect((await app.accounts.feedback.list({ limit: 1, offset: 0 }))[0]).toMatchObject({
      requestId,
      sessionId: "s1",
    })
  })

  test.each([
    [{ comment: "of nothing" }, 400, "Either session_id or request_id is required."],
    [{ ...whole, agent_score: { of: 1 } }, 422, "Validation error in request body."],
    [{ ...whole, request_id: "x".repeat(201) }, 422, "Validation error in request body."],
    [
      { ...whole, used_ids: Array.from({ length: 101 }, () => "x") },
      422,
      "Validation error in request body.",
    ],
    [{ ...whole, urls_scores: [{ comment: "of no result" }] }, 422, "Validation error in request body."],
    [{ ...whole, extra_scores: [{ label: "tone" }] }, 422, "Validation error in request body."],
    [{ ...whole, comment: "x".repeat(262_144) }, 413, "Request body exceeds 262144 bytes."],
  ])("is rejected if wrong (%#)", async (body, status, error) => {
    expect(errorOf(await app.call("/feedback", TEST_KEY, body))).toEqual([status, error])
  })
})

describe("older and careless clients", () => {
  test.each(["/usage", "//usage", "/tv/usage/", "/key-info"])("can use GET %s", async (path) => {
    expect((await app.call(path, await app.key())).status).toBe(200)
  })

  test.each(["//logs", "/tv/feedback", "/generate-keys/"])(
    "can send POST %s with the key in the body",
    async (path) => {
      const body = { api_key: TEST_KEY, request_id: "r", permission_level: "user" }
      const headers = { "Content-Type": "application/json" }
      const sent = { method: "POST", headers, body: JSON.stringify(body) }
      expect((await fetch(app.url + path, sent)).status).toBe(200)
      expect((await fetch(app.url + path, { ...sent, body: "{}" })).status).toBe(401)
      expect(app.logLines.join("")).not.toContain(TEST_KEY)
    },
  )

  test("get a reason phrase with a 432, since some show nothing else", async () => {
    const key = await app.key({ creditLimit: { credits: 0, per: "total" } })
    const response = await fetch(`${app.url}/search`, {
      method: "POST",
      headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
      body: JSON.stringify({ query: "a" }),
    })
    expect([response.status, response.statusText]).toEqual([432, "Plan Limit Exceeded"])
    const client = tavily({ apiKey: key, apiBaseURL: app.url })
    await expect(client.search("a", {})).rejects.toThrow("exceeds your plan's set usage limit")
  })

  test("the official client's project and session match those in the headers", async () => {
    const client = tavily({ apiKey: TEST_KEY, apiBaseURL: app.url, projectId: "client-project" })
    await client.search("pumps", {})
    expect((await app.accounts.callLog.list({ limit: 1 }))[0]).toMatchObject({ project: "client-project" })
  })
})

test("generates keys only for existing sources", async () => {
  await using own = await serveAccounts()
  await new Sources(own.db, new Jobs(own.db)).put({ name: "docs", seeds: "https://docs.example.com/" })
  const wanted = { permission_level: "user", key_limit: 1, count: 1 }
  const refused = await own.call("/generate-keys", TEST_KEY, { ...wanted, sources: ["dcos"] })
  expect([refused.status, refused.body.detail.error]).toEqual([
    400,
    'Invalid sources. There is no source "dcos"; did you mean "docs"?',
  ])
  expect((await own.call("/generate-keys", TEST_KEY, { ...wanted, sources: ["docs"] })).status).toBe(200)
})
