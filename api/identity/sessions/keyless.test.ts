import { connect } from "node:net"

import { afterAll, beforeAll, describe, expect, test, vi } from "vitest"

import { PostgresError } from "#base/store/postgres/postgres-error.ts"

import { type ServedAccounts, serveAccounts } from "../../testing/serve-accounts.ts"

const OPEN = { "Sec-Fetch-Site": "same-origin", "Content-Type": "application/json" }

describe("an address that made all its requests without a key", () => {
  let app: ServedAccounts
  let key: string
  /**
   * The statuses of the earlier requests: twenty with a key, which don't use up the budget, and ten without, including
   * searches with the open key.
   */
  const spent: number[] = []
  const call = (path: string, headers: Record<string, string> = {}) =>
    fetch(app.url + path, {
      headers,
      ...(path === "/search" && { method: "POST", body: JSON.stringify({ query: "pumps" }) }),
    })
  const statusOf = async (...given: Parameters<typeof call>) => (await call(...given)).status

  beforeAll(async () => {
    app = await serveAccounts({
      config: { keylessPerMinute: 10, openKey: "search-key-of-a-reader", metrics: "open" },
    })
    key = await app.key()
    for (let n = 0; n < 20; n++) spent.push(await statusOf("/usage", { Authorization: `Bearer ${key}` }))
    for (let n = 0; n < 5; n++) spent.push(await statusOf("/search", OPEN), await statusOf("/openapi.json"))
  })
  afterAll(() => app[Symbol.asyncDispose]())

  test("got answers up to the limit", () => {
    expect(spent).toEqual(Array(30).fill(200))
  })

  test("gets a refusal for the next, in the format of the path, with the time to wait", async () => {
    for (const [path, body] of [
      ["/openapi.json", { detail: { error: expect.stringContaining("without a valid API key") } }],
      ["/docs/", { detail: { error: expect.stringContaining("FOSSICK_KEYLESS_PER_MINUTE") } }],
      ["/searxng/search?q=x", { error: expect.stringContaining("Too many requests") }],
      ["/v2/team/credit-usage", { success: false, error: expect.stringContaining("Too many requests") }],
    ] as const) {
      const refused = await call(path)
      expect([path, refused.status, refused.headers.get("retry-after")]).toEqual([path, 429, "6"])
      expect(refused.headers.get("connection")).toBe("close")
      expect(await refused.json()).toMatchObject(body)
    }
    expect(await statusOf("/search", OPEN)).toBe(429)
    expect(await statusOf("/openapi.json", { Authorization: "Bearer made-up" })).toBe(429)
    expect(await statusOf("/usage", { Cookie: "fossick-session=made-up" })).toBe(429)
  })

  test("still gets answers with a key or a session, and for health checks", async () => {
    const withKey = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" }
    expect(await statusOf("/search", withKey)).toBe(200)
    expect(await statusOf("/openapi.json", withKey)).toBe(200)
    expect(await statusOf("/healthz")).toBe(200)
    expect(await statusOf("/readyz")).toBe(200)
    const signIn = await fetch(`${app.url}/session`, {
      method: "POST",
      headers: { ...withKey, Origin: app.url },
      body: JSON.stringify({ key }),
    })
    const Cookie = signIn.headers.getSetCookie()[0]!.split(";")[0]!
    expect(await statusOf("/usage", { Cookie })).toBe(200)
    const metrics = await (await call("/metrics", { Authorization: "Bearer test-key-of-the-admin" })).text()
    expect(metrics).toMatch(/fossick_bound_refused_total\{bound="keyless-requests"\} [1-9]/)
  })

  test("gets a 503 if its key cannot be looked up because the state is away", async () => {
    const away = new PostgresError({ code: "ECONNREFUSED", message: "" })
    const verify = vi.spyOn(app.accounts.keys, "verify").mockRejectedValueOnce(away)
    const refused = await call("/usage", { Authorization: `Bearer ${key}` })
    verify.mockRestore()
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "5"])
    expect(await refused.json()).toEqual({ detail: { error: expect.stringContaining("keeps the state") } })
  })

  test("loses its pipelined requests with the first refusal", async () => {
    const socket = connect(Number(new URL(app.url).port), "127.0.0.1")
    socket.write("GET /openapi.json HTTP/1.1\r\nHost: a\r\n\r\n".repeat(40))
    let said = ""
    for await (const chunk of socket) said += String(chunk)
    expect(said.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 429"])
  })
})
