import { tavily } from "@tavily/core"
import { request } from "undici"
import { describe, expect, test, vi } from "vitest"

import { serveAccounts, type ServedAccounts } from "../../testing/serve-accounts.ts"
import { statement } from "#base/store/testing/statement.ts"

const JSON_TYPE = { "Content-Type": "application/json" }

/** Signs in the way a page of the appliance does. */
async function signIn(app: ServedAccounts, key: string, headers: Record<string, string> = {}) {
  const response = await fetch(`${app.url}/session`, {
    method: "POST",
    headers: { ...JSON_TYPE, Origin: app.url, ...headers },
    body: JSON.stringify({ key }),
  })
  const cookie = response.headers.getSetCookie()[0] ?? ""
  return { response, cookie, sent: cookie.split(";")[0] ?? "" }
}

const ask = (
  app: ServedAccounts,
  headers: Record<string, string>,
  path = "/search",
  body: unknown = { query: "pumps" },
) =>
  fetch(app.url + path, { method: "POST", headers: { ...JSON_TYPE, ...headers }, body: JSON.stringify(body) })

describe("a session", () => {
  test("begins with a key and acts in its name until somebody signs out", async () => {
    await using app = await serveAccounts()
    const key = await app.key({ name: "a reader" })
    const { response, cookie, sent } = await signIn(app, key)
    expect(response.status).toBe(200)
    expect(await response.json()).toMatchObject({ signed_in: true, role: "search", key_hint: key.slice(-4) })
    expect(cookie).toMatch(/^fossick-session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=\d+$/)

    const own = { Cookie: sent, Origin: app.url }
    expect((await ask(app, own)).status).toBe(200)
    const usage = await fetch(`${app.url}/usage`, { headers: { Cookie: sent } })
    expect(await usage.json()).toMatchObject({ key: { usage: 1 } })

    const out = await fetch(`${app.url}/session`, { method: "DELETE", headers: own })
    expect(await out.json()).toMatchObject({ signed_in: false, role: null })
    expect(out.headers.getSetCookie()[0]).toContain("Max-Age=0")
    expect((await ask(app, own)).status).toBe(401)
  })

  test("does no more than its key, and ends with it", async () => {
    await using app = await serveAccounts()
    const { sent } = await signIn(
      app,
      await app.key({ scope: { endpoints: ["extract"], sources: null, collections: null, domains: null } }),
    )
    const own = { Cookie: sent, Origin: app.url }
    expect((await ask(app, own)).status).toBe(403)
    for (const { id } of await app.accounts.keys.list()) await app.accounts.keys.disable(id)
    expect((await ask(app, own)).status).toBe(401)
    const session = await fetch(`${app.url}/session`, { headers: { Cookie: sent } })
    expect(await session.json()).toMatchObject({ signed_in: false })
  })

  test("ends after its time", async () => {
    await using app = await serveAccounts()
    const { sent } = await signIn(app, await app.key())
    await app.db.script("update face_session set expires_at = 1")
    expect((await ask(app, { Cookie: sent, Origin: app.url })).status).toBe(401)
    // The next sign-in deletes expired sessions from the file.
    await signIn(app, await app.key())
    expect(await statement(app.db, "select count(*) as count from face_session").get()).toEqual({ count: 1 })
  })

  test("is stored only as a digest, and never logged", async () => {
    await using app = await serveAccounts()
    const key = await app.key()
    const { sent } = await signIn(app, key)
    const token = sent.split("=")[1] ?? ""
    await ask(app, { Cookie: sent, Origin: app.url })
    const rows = await statement(app.db, "select digest from face_session").all()
    const kept = rows.map(({ digest }) => Buffer.from(digest as Uint8Array))
    expect([token.length, kept.length]).toEqual([43, 1])
    for (const encoding of ["latin1", "base64url"] as const)
      expect(kept[0]!.toString(encoding)).not.toContain(token)
    expect(app.logLines.join("\n")).not.toContain(token)
    expect(app.logLines.join("\n")).not.toContain(key)
  })

  test("behind https has a cookie that only this host can set", async () => {
    await using app = await serveAccounts({ config: { trustedProxies: ["127.0.0.1"] } })
    const { cookie } = await signIn(app, await app.key(), {
      "X-Forwarded-Proto": "https",
      "Sec-Fetch-Site": "same-origin",
    })
    expect(cookie).toMatch(
      /^__Host-fossick=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=\d+; Secure$/,
    )
  })

  test("is one of at most a hundred per key; then the oldest ends", async () => {
    await using app = await serveAccounts()
    const key = await app.key()
    const first = await signIn(app, key)
    await app.db.script("update face_session set created_at = 1")
    for (let count = 0; count < 100; count++) await signIn(app, key)
    expect(await statement(app.db, "select count(*) as count from face_session").get()).toEqual({
      count: 100,
    })
    expect((await ask(app, { Cookie: first.sent, Origin: app.url })).status).toBe(401)
  })
})

describe("another site", () => {
  test("cannot make a call with a session", async () => {
    await using app = await serveAccounts()
    const { sent } = await signIn(app, await app.key())
    const refused: Record<string, string>[] = [
      {},
      { Origin: "https://evil.example" },
      { "Sec-Fetch-Site": "cross-site", Origin: app.url },
      { "Sec-Fetch-Site": "same-site" },
      { Origin: "null" },
    ]
    for (const headers of refused) {
      expect([headers, (await ask(app, { Cookie: sent, ...headers })).status]).toEqual([headers, 403])
      const out = await fetch(`${app.url}/session`, {
        method: "DELETE",
        headers: { Cookie: sent, ...headers },
      })
      expect(out.status).toBe(403)
    }
    const asForm = { Cookie: sent, Origin: app.url, "Content-Type": "text/plain" }
    expect((await ask(app, asForm)).status).toBe(415)
  })

  test("cannot sign anyone in", async () => {
    await using app = await serveAccounts()
    const { response, cookie } = await signIn(app, await app.key(), { "Sec-Fetch-Site": "cross-site" })
    expect([response.status, cookie]).toEqual([403, ""])
  })
})

test("a wrong key signs nobody in", async () => {
  await using app = await serveAccounts()
  const { response, cookie } = await signIn(app, "fsk-wrong")
  expect([response.status, cookie]).toEqual([401, ""])
  expect((await signIn(app, "")).response.status).toBe(400)
})

test("guessing keys on the sign-in page is slowed down, and a valid key is still accepted", async () => {
  await using app = await serveAccounts()
  const tries = Array.from({ length: 25 }, (_, at) => signIn(app, `fsk-guess-${at}`))
  const answers = (await Promise.all(tries)).map(({ response }) => response)
  const withStatus = (wanted: number) => answers.filter(({ status }) => status === wanted).length
  expect([withStatus(401), withStatus(429)]).toEqual([20, 5])
  expect(answers.find(({ status }) => status === 429)?.headers.get("retry-after")).toBe("900")
  expect((await signIn(app, await app.key())).response.status).toBe(200)
})

test("a key in the header takes precedence over the cookie", async () => {
  await using app = await serveAccounts()
  const { sent } = await signIn(app, await app.key())
  expect((await ask(app, { Cookie: sent, Origin: app.url, Authorization: "Bearer wrong" })).status).toBe(401)
})

describe("an open appliance", () => {
  const ownPage = { "Sec-Fetch-Site": "same-origin" }

  test("can be searched from its page without a sign-in, within the scope of its key", async () => {
    await using app = await serveAccounts({ config: { openKey: "search-key-of-a-reader" } })
    const session = await fetch(`${app.url}/session`)
    expect(await session.json()).toMatchObject({ signed_in: false, is_open: true })
    expect((await ask(app, ownPage)).status).toBe(200)
    // Programs send a key, and other sites get no access.
    expect((await ask(app, {})).status).toBe(401)
    expect((await ask(app, { "Sec-Fetch-Site": "cross-site" })).status).toBe(401)
  })

  test("sends suggestions to a browser's address bar, which sends no key and no cookie", async () => {
    await using app = await serveAccounts({ config: { openKey: "search-key-of-a-reader" } })
    const suggest = (headers: Record<string, string>) =>
      fetch(`${app.url}/suggest/opensearch?q=pum`, { headers })
    const typed = await suggest({ "Sec-Fetch-Site": "none" })
    expect(typed.headers.get("Content-Type")).toContain("application/x-suggestions+json")
    expect(await typed.json()).toEqual(["pum", expect.any(Array)])
    expect((await suggest({ "Sec-Fetch-Site": "cross-site" })).status).toBe(401)
    const description = await (await fetch(`${app.url}/opensearch.xml`)).text()
    expect(description).toContain("/suggest/opensearch?q={searchTerms}")
    // A call that changes something never comes from the address bar.
    expect((await ask(app, { "Sec-Fetch-Site": "none" })).status).toBe(401)
  })

  test("allows nothing else without a sign-in", async () => {
    await using app = await serveAccounts({ config: { openKey: "search-key-of-a-reader" } })
    for (const path of ["/extract", "/logs", "/deactivate-keys", "/generate-keys", "/research"]) {
      expect([path, (await ask(app, ownPage, path, {})).status]).toEqual([path, 401])
    }
    expect((await fetch(`${app.url}/usage`, { headers: ownPage })).status).toBe(401)
  })

  test("can be searched by a Tavily client without a key, which gets instructions for everything else", async () => {
    vi.stubEnv("TAVILY_API_KEY", "")
    await using _ = { [Symbol.asyncDispose]: async () => void vi.unstubAllEnvs() }
    await using open = await serveAccounts({ config: { openKey: "search-key-of-a-reader" } })
    await using closed = await serveAccounts()
    const clientOf = ({ url }: { readonly url: string }) => tavily({ apiBaseURL: url })
    expect((await clientOf(open).search("pumps")).requestId).toEqual(expect.any(String))
    const refusal = (app: { readonly url: string }) => ({
      name: "TavilyKeylessLimitError",
      message: "Unauthorized: missing or invalid API key.",
      capType: "api_key_required",
      continuationPaths: [{ type: "signup", url: `${app.url}/docs/api-keys` }],
    })
    await expect(clientOf(open).extract(["https://example.com/"])).rejects.toMatchObject(refusal(open))
    await expect(clientOf(closed).search("pumps")).rejects.toMatchObject(refusal(closed))
    const keyless = { "X-Tavily-Access-Mode": "keyless" }
    const crawl = await ask(closed, keyless, "/crawl", { url: "https://example.com/" })
    expect(await crawl.json()).toMatchObject({
      detail: { error: "Unauthorized: missing or invalid API key." },
      error: { code: "unsupported_endpoint" },
    })
    // A page of another site isn't mistaken for a program without a key.
    expect((await ask(open, { ...keyless, "Sec-Fetch-Site": "cross-site" })).status).toBe(401)
  })

  test("cannot be read by a page that points its own hostname here", async () => {
    const open = {
      openKey: "search-key-of-a-reader",
      searxngKey: "search-key-of-a-reader",
      metrics: "open",
    } as const
    await using app = await serveAccounts({ config: { ...open, openHosts: ["search.example.com"] } })
    // `fetch` isn't used because it can't send a host name other than the one in the address.
    const call = async (Host: string, [method, path]: readonly [string, string], more = {}) => {
      const headers = { ...JSON_TYPE, ...ownPage, Host, Origin: `http://${Host}`, ...more }
      const body = method === "POST" ? JSON.stringify({ query: "pumps" }) : null
      const answer = await request(app.url + path, { method, headers, body })
      return { status: answer.statusCode, text: await answer.body.text() }
    }
    const calls = [
      ["POST", "/search"],
      ["GET", "/sources"],
      ["GET", "/searxng/search?q=pumps&format=json"],
      ["GET", "/metrics"],
    ] as const
    for (const one of calls) {
      const refused = await call("rebound.example", one)
      expect([one, refused.status]).toEqual([one, 403])
      expect(refused.text).toMatch(/rebound\.example .*FOSSICK_OPEN_HOSTS/)
      expect((await call("search.example.com", one)).status).toBe(200)
    }
    // Over plain HTTP browsers send no such header, and a page can claim to be a client of Tavily.
    const asTavily = { "Sec-Fetch-Site": "", "X-Tavily-Access-Mode": "keyless" }
    expect((await call("rebound.example", ["POST", "/search"], asTavily)).status).toBe(403)
    const withKey = { Authorization: "Bearer test-key-of-the-admin" }
    expect((await call("rebound.example", ["POST", "/search"], withKey)).status).toBe(200)
  })

  test("cannot be opened with an admin key", async () => {
    await using app = await serveAccounts({ config: { openKey: "test-key-of-the-admin" } })
    expect(await (await fetch(`${app.url}/session`)).json()).toMatchObject({ is_open: false })
    expect((await ask(app, ownPage)).status).toBe(401)
    // The problem is written to the operator's log, without the key.
    expect(app.logLines.join("")).toContain("FOSSICK_OPEN_KEY is not a valid key with the role search")
    expect(app.logLines.join("")).not.toContain("test-key-of-the-admin")
  })
})
