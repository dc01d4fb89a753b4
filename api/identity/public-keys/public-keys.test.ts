import { afterAll, beforeAll, describe, expect, test } from "vitest"

import { openStateStore } from "#base/store/state-store.ts"
import { openDataFolder } from "#crawler/testing/data-folder.ts"
import { aPage } from "#engine/testing/pages.ts"

import { operations } from "../../server/openapi/testing/documented.ts"
import type { PublicKeySpec } from "../accounts/public-keys/public-key.ts"
import { PublicKeyStore } from "../accounts/public-keys/public-key-store.ts"
import { type ServedAccounts, serveAccounts } from "../../testing/serve-accounts.ts"
import { type Answer, answerOf, expectDocumented, TEST_KEY } from "../../testing/serve-app.ts"
import { PUBLIC_CALLS } from "./door.ts"
import { HANDBOOK_KEY, handbookKey } from "./handbook-key.ts"

const SITE = "https://docs.example.com"
const PREVIEW = "http://localhost:3000"

let app: ServedAccounts
let opened: AsyncDisposableStack

beforeAll(async () => {
  opened = new AsyncDisposableStack()
  const { dir, engine } = await openDataFolder(opened)
  const page = (url: string, source: string, about: string) =>
    aPage(url, { source, title: about, markdown: `${about} of the pump, and how pumps are mended.` })
  await engine.index([
    page(`${SITE}/v1/pumps`, "docs", "Old manual"),
    page(`${SITE}/v2/pumps`, "docs", "New manual"),
    page("https://wiki.example.com/pumps", "wiki", "Secret notes"),
    page("http://localhost:8080/docs/pumps", "handbook", "Handbook"),
  ])
  await engine.settled()
  const db = await openStateStore(dir)
  opened.defer(() => db.close())
  app = opened.use(
    await serveAccounts({
      dir,
      engine,
      sourceNames: async () => ["docs", "wiki"],
      handbookKey: async (text) => (text === HANDBOOK_KEY ? ofHandbook : null),
    }),
  )
})
afterAll(() => opened.disposeAsync())

const spec = (more: Partial<PublicKeySpec> = {}): PublicKeySpec => ({
  name: "",
  source: "docs",
  collection: null,
  origins: [SITE, PREVIEW],
  answers: false,
  rateLimits: null,
  credits: null,
  ...more,
})
const ofHandbook = {
  ...spec({ source: "handbook", origins: [], answers: true }),
  id: "handbook",
  text: HANDBOOK_KEY,
  createdAt: new Date(0),
  disabledAt: null,
}
const publicKey = (more: Partial<PublicKeySpec> = {}) => app.accounts.publicKeys.create(spec(more))

/** Makes a call as a page's script would; undici lets a test set the origin. */
async function call(
  method: string,
  path: string,
  { key, body, headers = {} }: { key?: string; body?: unknown; headers?: Record<string, string> },
): Promise<Answer> {
  const answer = await answerOf(
    await fetch(app.url + path, {
      method,
      headers: {
        ...(key !== undefined && { Authorization: `Bearer ${key}` }),
        ...(body !== undefined && { "Content-Type": "application/json" }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    }),
  )
  if (answer.status !== 204) expectDocumented(method, path, answer)
  return answer
}
const search = (key: string, body: object = {}, headers: Record<string, string> = { Origin: SITE }) =>
  call("POST", "/search", { key, body: { query: "pumps", ...body }, headers })
const urls = ({ body }: Answer) => (body.results as { url: string }[]).map(({ url }) => url).sort()

describe("a public key", () => {
  test("searches and suggests from its one source on pages of its origins, which may read the answer", async () => {
    const { text } = await publicKey()
    for (const origin of [SITE, PREVIEW]) {
      const found = await search(text, {}, { Origin: origin })
      expect(urls(found)).toEqual([`${SITE}/v1/pumps`, `${SITE}/v2/pumps`])
      expect(found.headers.get("Access-Control-Allow-Origin")).toBe(origin)
      expect(found.headers.get("Cross-Origin-Resource-Policy")).toBe("cross-origin")
      expect(found.headers.get("Vary")).toContain("Origin")
    }
    const typed = await call("GET", `/suggest?q=man&key=${text}`, { headers: { Origin: SITE } })
    expect(typed.body.suggestions).toHaveLength(2)
    expect(typed.headers.get("Access-Control-Allow-Origin")).toBe(SITE)
    const secret = await call("GET", "/suggest?q=secret", { key: text, headers: { Origin: SITE } })
    expect(secret.body.suggestions).toEqual([])
    expect((await search(text, { sources: ["wiki"] })).status).toBe(400)
  })

  test("for a collection finds the pages of its sources", async () => {
    await app.accounts.collections.set("open", ["docs"])
    const { text } = await publicKey({ source: null, collection: "open" })
    expect(urls(await search(text))).toEqual([`${SITE}/v1/pumps`, `${SITE}/v2/pumps`])
    await app.accounts.collections.delete("open")
    expect(urls(await search(text))).toEqual([])
  })

  test.each([
    ["no origin", {}, "Origin"],
    ["another site", { Origin: "https://evil.example" }, "https://evil.example"],
    ["a subdomain", { Origin: "https://a.docs.example.com" }, "not for pages"],
    ["another scheme", { Origin: "http://docs.example.com" }, "not for pages"],
    ["another port", { Origin: `${SITE}:8443` }, "not for pages"],
    ["a sandboxed page", { Origin: "null" }, "not for pages on null"],
    ["a page of the appliance", { "Sec-Fetch-Site": "same-origin" }, "not for pages"],
  ])("is refused from %s, and no page may read why", async (_, headers, because) => {
    const { text } = await publicKey()
    const refused = await search(text, {}, headers)
    expect(refused.status).toBe(403)
    expect(refused.body.detail.error).toContain(because)
    expect(refused.headers.get("Access-Control-Allow-Origin")).toBeNull()
  })

  test("that does not exist is refused with 401, and only a page that may use another key can read why", async () => {
    const { text } = await publicKey()
    const wrong = `${text.slice(0, -4)}0000`
    const refused = await search(wrong)
    expect([refused.status, refused.headers.get("Access-Control-Allow-Origin")]).toEqual([401, SITE])
    const elsewhere = await search(wrong, {}, { Origin: "https://evil.example" })
    expect([elsewhere.status, elsewhere.headers.get("Access-Control-Allow-Origin")]).toEqual([401, null])
  })

  test("can be used on pages of the appliance's own origin if that is listed", async () => {
    const { text } = await publicKey({ origins: [app.url] })
    const typed = await call("GET", `/suggest?q=man&key=${text}`, {
      headers: { "Sec-Fetch-Site": "same-origin" },
    })
    expect(typed.body.suggestions).toHaveLength(2)
  })

  test("tells a browser what it may send from its origins, and no others", async () => {
    await publicKey()
    const ask = (path: string, origin: string) =>
      fetch(app.url + path, {
        method: "OPTIONS",
        headers: { Origin: origin, "Access-Control-Request-Method": "POST" },
      })
    const told = await ask("/search", SITE)
    expect([told.status, told.headers.get("Access-Control-Allow-Origin")]).toEqual([204, SITE])
    expect(told.headers.get("Access-Control-Allow-Headers")).toContain("Authorization")
    for (const [path, origin] of [
      ["/search", "https://evil.example"],
      ["/extract", SITE],
      ["/admin/sources", SITE],
    ] as const) {
      expect((await ask(path, origin)).headers.get("Access-Control-Allow-Origin")).toBeNull()
    }
  })

  test.each(
    operations
      .filter(({ access }) => access !== "none")
      .filter(({ method, path }) => !(`${method.toUpperCase()} ${path}` in PUBLIC_CALLS))
      .map(({ method, path }) => [method.toUpperCase(), path] as const),
  )("is refused by %s %s", async (method, path) => {
    const { text } = await publicKey({ answers: true })
    const filled = path.replaceAll(/\{\w+\}/g, "x")
    const body = method === "GET" || method === "DELETE" ? {} : { body: {} }
    const refused = await call(method, filled, { key: text, headers: { Origin: SITE }, ...body })
    // /metrics is served before this check, and doesn't know such keys.
    const [status, because] =
      path === "/metrics"
        ? [401, "missing or invalid API key"]
        : [403, "POST /search and GET /suggest, and nothing else"]
    expect(refused.status).toBe(status)
    expect(refused.body.detail.error).toContain(because)
  })

  test.each([
    ["POST", "/mcp"],
    ["GET", "/metrics"],
    ["POST", "/v1/search"],
    ["POST", "/v2/scrape"],
    ["POST", "/v1/embeddings"],
    ["GET", "/searxng/search?q=pumps"],
    ["POST", "/openwebui/search"],
    ["GET", "/suggest/opensearch?q=man"],
  ])("does not work as a key for %s %s", async (method, path) => {
    const { text } = await publicKey({ answers: true })
    const response = await fetch(app.url + path, {
      method,
      headers: { Authorization: `Bearer ${text}`, Origin: SITE, "Content-Type": "application/json" },
      ...(method === "POST" && { body: "{}" }),
    })
    expect([401, 403]).toContain(response.status)
    await response.text()
  })

  test("signs nobody in, and does not work in a body", async () => {
    const { text } = await publicKey()
    const signedIn = await call("POST", "/session", { body: { key: text }, headers: { Origin: app.url } })
    expect(signedIn.status).toBe(401)
    expect((await call("POST", "/search", { body: { query: "pumps", api_key: text } })).status).toBe(401)
  })

  test.each([
    [{ explain: true }],
    [{ include_raw_content: true }],
    [{ include_images: true }],
    [{ include_domains: ["example.com"] }],
    [{ auto_parameters: true }],
    [{ search_depth: "advanced" }],
    [{ include_answer: true }],
    [{ include_answer: "advanced" }],
    [{ a_field_of_tomorrow: 1 }],
  ])("cannot be used with %o", async (body) => {
    expect((await search((await publicKey()).text, body)).status).toBe(403)
  })

  test.each([[{ max_results: 21 }], [{ max_results: "auto" }], [{ query: "a".repeat(401) }]])(
    "allows only small requests: %o is rejected",
    async (body) => {
      expect((await search((await publicKey()).text, body)).status).toBe(400)
    },
  )

  test("returns answers if they are switched on", async () => {
    const { text } = await publicKey({ answers: true })
    expect((await search(text, { include_answer: true })).body.answer).toEqual(expect.any(String))
    expect((await search(text, { include_answer: "advanced" })).status).toBe(403)
  })

  test("limits the calls of each address, and lets the page read how long to wait", async () => {
    const { text } = await publicKey({ rateLimits: { search: { calls: 2, seconds: 60 } } })
    for (const status of [200, 200, 429]) expect((await search(text)).status).toBe(status)
    const refused = await search(text)
    expect(Number(refused.headers.get("Retry-After"))).toBeGreaterThan(0)
    expect(refused.headers.get("Access-Control-Expose-Headers")).toContain("Retry-After")
    const typed = await call("GET", `/suggest?q=man&key=${text}`, { headers: { Origin: SITE } })
    expect(typed.status).toBe(200)
  })

  test("uses its own credits, and ignores projects", async () => {
    const { text, id } = await publicKey({ credits: 1 })
    expect((await search(text, {}, { Origin: SITE, "X-Project-ID": "theirs" })).status).toBe(200)
    expect((await search(text)).status).toBe(432)
    expect(await app.accounts.callLog.list({ limit: 1, keyId: id })).toMatchObject([
      { project: "", keyId: id },
    ])
  })

  test("is refused while disabled, and accepted again once enabled", async () => {
    const key = await publicKey()
    await app.accounts.publicKeys.disable(key.id)
    expect((await search(key.text)).status).toBe(401)
    await app.accounts.publicKeys.change(key.id, spec(), false)
    expect((await search(key.text)).status).toBe(200)
    await app.accounts.publicKeys.delete(key.id)
    expect((await search(key.text)).status).toBe(401)
  })
})

describe("the key of the handbook", () => {
  test("finds the handbook from pages of the appliance, and nothing from elsewhere", async () => {
    const here = { "Sec-Fetch-Site": "same-origin" }
    expect(urls(await search(HANDBOOK_KEY, { include_answer: true }, here))).toEqual([
      "http://localhost:8080/docs/pumps",
    ])
    for (const headers of [{}, { Origin: SITE }, { "Sec-Fetch-Site": "cross-site", Origin: app.url }]) {
      expect((await search(HANDBOOK_KEY, {}, headers as Record<string, string>)).status).toBe(403)
    }
  })

  test("does not work for an operator's own source with the handbook's name", async () => {
    await app.db.script(
      `create table if not exists known_address (source text, url text, hash text);
       insert into known_address (source, url, hash) values ('handbook', 'http://localhost:8080/docs/', 'x')`,
    )
    expect((await handbookKey(app.db)(HANDBOOK_KEY))?.source).toBe("handbook")
    expect(await handbookKey(app.db)("fsk-pub-other")).toBeNull()
    await app.db.script(
      "create table if not exists source (name text); insert into source (name) values ('handbook')",
    )
    expect(await handbookKey(app.db)(HANDBOOK_KEY)).toBeNull()
  })
})

test("the store of public keys is limited in size", async () => {
  const store = new PublicKeyStore(app.db)
  expect(await store.hasRoom()).toBe(true)
  expect(await store.admits(SITE)).toBe(true)
  expect(await store.admits("https://evil.example")).toBe(false)
  expect(await app.accounts.keys.verify((await store.create(spec())).text)).toBeNull()
})

test("an admin key is unaffected by these checks", async () => {
  expect((await call("GET", "/usage", { key: TEST_KEY })).status).toBe(200)
})

test("an unsupported method for suggestions returns 405 with any key", async () => {
  const refused = await call("PUT", "/suggest?q=man&key=none", { key: TEST_KEY })
  expect(refused.status).toBe(405)
})
