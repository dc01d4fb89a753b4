import { createHash, randomBytes } from "node:crypto"

import { auth } from "@modelcontextprotocol/sdk/client/auth.js"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import type { OAuthTokens } from "@modelcontextprotocol/sdk/shared/auth.js"
import { afterAll, beforeAll, expect, test } from "vitest"

import { freePort } from "#base/testing/free-port.ts"
import { readSettings } from "#base/settings.ts"
import { EmbeddedEngine } from "#engine/adapters/embedded/embedded-engine.ts"
import { HashingEmbedder } from "#engine/testing/hashing-embedder.ts"
import { aPage } from "#engine/testing/pages.ts"
import { temporaryFolder } from "#crawler/testing/crawl-fixture.ts"

import { type Accounts, openAccounts } from "../accounts/accounts.ts"
import { readScope } from "../accounts/keys/key-scope.ts"
import { apiSettings } from "../../settings.ts"
import { memoryState, serveApp } from "../../testing/serve-app.ts"
import { CALLBACK, Program, searchWith } from "./testing/program.ts"
import { type ProgramSite, startProgramSite } from "./testing/program-site.ts"
import { oauthProblem, type OAuth, openOAuth } from "./oauth-endpoints.ts"

// The official client of the SDK against a real server: it registers, is admitted, makes calls, refreshes its tokens
// and is revoked.

const opened = new AsyncDisposableStack()
let url: string
let oauth: OAuth
let accounts: Accounts
let key: string
let site: ProgramSite

beforeAll(async () => {
  const folder = opened.use(temporaryFolder())
  const embedder = new HashingEmbedder()
  const engine = opened.use(
    await EmbeddedEngine.open({ dir: `${folder.path}/index`, mode: "write", embedder }),
  )
  const page = (name: string, source: string) =>
    aPage(`https://${source}.example.com/${name}`, {
      title: name,
      markdown: `${name} are pruned in winter. `.repeat(9),
      source,
    })
  await engine.index([page("Roses", "garden"), page("Vines", "vineyard")])
  await engine.settled()
  const db = memoryState()
  opened.defer(() => db.close())
  const port = await freePort()
  url = `http://127.0.0.1:${port}`
  const config = { ...readSettings(apiSettings, {}), publicUrl: url }
  accounts = await openAccounts(db, config, () => {})
  opened.use(accounts)
  await accounts.collections.set("wine", ["vineyard"])
  key = await accounts.keys.create({ role: "admin" })
  site = opened.use(await startProgramSite({ client_name: "Documented", redirect_uris: [CALLBACK] }))
  const { documents } = site
  oauth = openOAuth({
    db,
    keys: accounts.keys,
    collections: accounts.collections,
    documents,
    publicUrl: url,
  })
  opened.use(
    await serveApp({
      engine,
      embedder,
      accounts,
      oauth,
      config,
      port,
      sourceNames: async () => ["garden", "vineyard"],
    }),
  )
})
afterAll(() => opened.disposeAsync())

/** What the user does on the page. */
async function consent(
  page: URL,
  answers: Readonly<Record<string, string>>,
  withCookie = true,
): Promise<Response> {
  const shown = await fetch(page)
  const html = await shown.text()
  const ticket = /name="ticket" value="([^"]+)"/.exec(html)![1]!
  const action = /<form method="post" action="([^"]+)"/.exec(html)![1]!
  const cookie = shown.headers.get("set-cookie")!.split(";")[0]!
  return await fetch(new URL(action, page), {
    method: "POST",
    redirect: "manual",
    headers: { Origin: page.origin, ...(withCookie && { Cookie: cookie }) },
    body: new URLSearchParams({ ticket, answer: "allow", ...answers }),
  })
}

async function letIn(
  program: Program,
  answers: Readonly<Record<string, string>>,
  serverUrl = `${url}/mcp`,
): Promise<void> {
  expect(await auth(program, { serverUrl })).toBe("REDIRECT")
  const answer = await consent(program.sentTo!, answers)
  expect(answer.status).toBe(303)
  const back = new URL(answer.headers.get("location")!)
  expect(back.searchParams.get("state")).toBe("the state")
  const code = back.searchParams.get("code")!
  expect(await auth(program, { serverUrl, authorizationCode: code })).toBe("AUTHORIZED")
}

const search = (program: Program) => searchWith(program, url)

test("a program registers, is let in, calls a tool, refreshes, and is revoked", async () => {
  const program = new Program()
  const fresh = await fetch(`${url}/mcp`, { method: "POST", body: "{}" })
  expect(fresh.status).toBe(401)
  expect(fresh.headers.get("www-authenticate")).toContain(`${url}/.well-known/oauth-protected-resource/mcp`)
  const described = await fetch(`${url}/.well-known/oauth-protected-resource/mcp`)
  expect(await described.json()).toMatchObject({ resource: `${url}/mcp`, authorization_servers: [`${url}/`] })
  await letIn(program, { key })
  expect(program.information).not.toHaveProperty("client_secret")
  const answer = await search(program)
  expect(answer).toContain("garden.example.com/Roses")
  expect(answer).toContain("vineyard.example.com/Vines")

  const before = program.kept!
  expect(await auth(program, { serverUrl: `${url}/mcp` })).toBe("AUTHORIZED")
  expect(program.kept!.access_token).not.toBe(before.access_token)
  expect(program.kept!.refresh_token).not.toBe(before.refresh_token)
  expect(await search(program)).toContain("Roses")
  expect(await oauth.verify(before.access_token)).toBeNull()

  const [grant] = await oauth.store.grants(10)
  expect(grant).toMatchObject({ clientName: "Test <program>", collections: null, revokedAt: null })
  const revoked = await fetch(`${url}/revoke`, {
    method: "POST",
    body: new URLSearchParams({
      token: program.kept!.refresh_token!,
      client_id: program.information!.client_id,
    }),
  })
  expect(revoked.status).toBe(200)
  expect((await oauth.store.grant(grant!.id))!.revokedAt).not.toBeNull()
  expect(await oauth.verify(program.kept!.access_token)).toBeNull()
})

test("a program with a client document needs no registration, and its host is shown", async () => {
  const described = await fetch(`${url}/.well-known/oauth-authorization-server`)
  expect(await described.json()).toMatchObject({ client_id_metadata_document_supported: true })
  const program = Object.assign(new Program(), { clientMetadataUrl: site.id })
  await letIn(program, { key })
  expect(program.information).toMatchObject({ client_id: site.id })
  const page = await (await fetch(program.sentTo!)).text()
  expect(page).toContain(`“Documented (${new URL(site.id).host})”`)
  expect(await search(program)).toContain("Roses")
  expect(await auth(program, { serverUrl: `${url}/mcp` })).toBe("AUTHORIZED")
  const elsewhere = new URL(program.sentTo!)
  elsewhere.searchParams.set("redirect_uri", "https://thief.example/callback")
  expect((await fetch(elsewhere)).status).toBe(400)
  elsewhere.searchParams.set("client_id", site.url("/none.json"))
  expect((await fetch(elsewhere)).status).toBe(400)
})

test("a program that was let in for a collection sees nothing else, and administers nothing", async () => {
  const program = new Program()
  await letIn(program, { key, collections: "wine" })
  const answer = await search(program)
  expect(answer).toContain("Vines")
  expect(answer).not.toContain("Roses")
  expect((await oauth.verify(program.kept!.access_token))!.key.role).toBe("search")
  // The program's tokens are only for /mcp (RFC 8707).
  const headers = {
    Authorization: `Bearer ${program.kept!.access_token}`,
    "Content-Type": "application/json",
  }
  const direct = await fetch(`${url}/search`, { method: "POST", headers, body: '{"query":"pruned"}' })
  expect(direct.status).toBe(401)
})

test("what a key may not see it cannot grant, and a grant ends with its key", async () => {
  const limited = await accounts.keys.create({ role: "search", scope: readScope({ sources: ["garden"] }) })
  const program = new Program()
  await auth(program, { serverUrl: `${url}/mcp` })
  const refused = await consent(program.sentTo!, { key: limited, collections: "wine" })
  expect([refused.status, await refused.text()]).toEqual([
    403,
    expect.stringContaining("has no access to a collection"),
  ])
  await letIn(program, { key: limited })
  expect(await search(program)).not.toContain("Vines")
  const { key: id } = (await oauth.store.grants(1))[0]!
  await accounts.keys.disable(id)
  expect(await oauth.verify(program.kept!.access_token)).toBeNull()
})

test("a refresh token that comes a second time ends the grant", async () => {
  const program = new Program()
  await letIn(program, { key })
  const { refresh_token: first = "" } = program.kept!
  const refresh = () =>
    fetch(`${url}/token`, {
      method: "POST",
      body: new URLSearchParams({
        grant_type: "refresh_token",
        refresh_token: first,
        client_id: program.information!.client_id,
      }),
    })
  const second = (await (await refresh()).json()) as OAuthTokens
  expect(await oauth.verify(second.access_token)).not.toBeNull()
  expect((await refresh()).status).toBe(400)
  expect(await oauth.verify(second.access_token)).toBeNull()
})

test("the page has no script, works in one browser only, and accepts only a valid key", async () => {
  const program = new Program()
  await auth(program, { serverUrl: `${url}/mcp` })
  const shown = await fetch(program.sentTo!)
  const policy = shown.headers.get("content-security-policy")!
  expect(policy).toContain("default-src 'none'")
  expect(policy).toContain("frame-ancestors 'none'")
  expect(policy).toContain("form-action 'self' http://127.0.0.1:1")
  const html = await shown.text()
  expect(html).not.toContain("<script")
  expect(html).toContain("Test &lt;program&gt;")
  expect((await consent(program.sentTo!, { key: "no-such-key" })).status).toBe(403)
  expect((await consent(program.sentTo!, { key }, false)).status).toBe(400)
  const denied = await consent(program.sentTo!, { answer: "deny" })
  expect(denied.headers.get("location")).toContain("error=access_denied")
})

test("codes require their verifier, and redirects go only to registered addresses of limited length", async () => {
  const program = new Program()
  await auth(program, { serverUrl: `${url}/mcp` })
  const answer = await consent(program.sentTo!, { key })
  const code = new URL(answer.headers.get("location")!).searchParams.get("code")!
  const wrong = await fetch(`${url}/token`, {
    method: "POST",
    body: new URLSearchParams({
      grant_type: "authorization_code",
      code,
      code_verifier: randomBytes(32).toString("base64url"),
      client_id: program.information!.client_id,
      redirect_uri: CALLBACK,
    }),
  })
  expect(wrong.status).toBe(400)
  const elsewhere = new URL(program.sentTo!)
  elsewhere.searchParams.set("redirect_uri", "https://evil.example/")
  expect((await fetch(elsewhere, { redirect: "manual" })).status).toBe(400)
  const plain = new URL(program.sentTo!)
  plain.searchParams.set("code_challenge_method", "plain")
  plain.searchParams.set("code_challenge", createHash("sha256").update("x").digest("base64url"))
  expect((await fetch(plain, { redirect: "manual" })).headers.get("location")).toContain(
    "error=invalid_request",
  )
  const target = new URL(program.sentTo!)
  target.searchParams.set("resource", "https://elsewhere.example/mcp")
  expect((await fetch(target, { redirect: "manual" })).headers.get("location")).toContain(
    "error=invalid_target",
  )
  const register = async (redirectUri: string) => {
    const { status } = await fetch(`${url}/register`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ redirect_uris: [CALLBACK, redirectUri] }),
    })
    return status
  }
  const refused = ["http://evil.example/", `https://program.example/${"x".repeat(4000)}`]
  expect(await Promise.all(refused.map(register))).toEqual([400, 400])
  for (const own of ["com.example.app:/done", "cursor://anysphere.cursor-mcp/done"])
    expect(await register(own)).toBe(201)
})

test("returns 404 with an explanation for documents that no program asks for", async () => {
  const response = await fetch(`${url}/.well-known/oauth-protected-resource`)
  expect(response.status).toBe(404)
  expect(await response.json()).toEqual({ detail: { error: expect.stringContaining("Nothing is served") } })
})

test("an unreadable body is rejected with an OAuth error", async () => {
  const send = async (path: string, type: string, body: string, more = {}) => {
    const headers = { "Content-Type": type, ...more }
    const response = await fetch(url + path, { method: "POST", headers, body })
    return [response.status, ((await response.json()) as { error: string }).error]
  }
  const form = "application/x-www-form-urlencoded"
  expect(
    await Promise.all([
      send("/register", "application/json", '{"redirect_uris": '),
      send("/register", "application/json", "2"),
      send("/register", "application/json", JSON.stringify({ long: "x".repeat(200_000) })),
      send("/token", `${form}; charset=none`, "grant_type=x"),
      send("/revoke", form, "not packed", { "Content-Encoding": "gzip" }),
    ]),
  ).toEqual([400, 400, 413, 415, 400].map((status) => [status, "invalid_request"]))
})

test("a public address with a path works, whether a proxy keeps the path or not", async () => {
  const db = memoryState()
  const port = await freePort()
  const base = `http://127.0.0.1:${port}/tools/find`
  const config = { ...readSettings(apiSettings, {}), publicUrl: `${base}/` }
  const own = await openAccounts(db, config, () => {})
  const below = openOAuth({
    db,
    keys: own.keys,
    collections: own.collections,
    documents: site.documents,
    publicUrl: config.publicUrl,
  })
  await using app = await serveApp({ accounts: own, oauth: below, config, port })
  const program = new Program()
  await letIn(program, { key: await own.keys.create({ role: "search" }) }, `${base}/mcp`)
  expect(program.sentTo!.pathname).toBe("/tools/find/authorize")
  const client = new Client({ name: "test", version: "1" })
  await client.connect(new StreamableHTTPClientTransport(new URL(`${base}/mcp`), { authProvider: program }))
  expect((await client.listTools()).tools.length).toBeGreaterThan(0)
  await client.close()
  expect(await auth(program, { serverUrl: `${base}/mcp` })).toBe("AUTHORIZED")
  const refused = await fetch(`${base}/mcp`, { method: "POST", body: "{}" })
  const [, named = ""] = /resource_metadata="([^"]+)"/.exec(refused.headers.get("www-authenticate")!)!
  const described = { resource: `${base}/mcp`, authorization_servers: [base] }
  for (const at of [named, `${app.url}/.well-known/oauth-protected-resource/mcp`])
    expect(await (await fetch(at)).json()).toMatchObject(described)
  await own[Symbol.asyncDispose]()
  db.close()
})

test("one network registers twenty programs an hour, whichever of its addresses they come from", async () => {
  const config = { ...readSettings(apiSettings, {}), publicUrl: url, trustedProxies: ["127.0.0.1"] }
  const { documents } = site
  const db = memoryState()
  const { keys, collections } = accounts
  const own = openOAuth({ db, keys, collections, documents, publicUrl: url })
  await using app = await serveApp({ accounts, oauth: own, config })
  const register = async (from: string) => {
    const response = await fetch(`${app.url}/register`, {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-Forwarded-For": from },
      body: JSON.stringify({ redirect_uris: [CALLBACK] }),
    })
    return { status: response.status, body: await response.json() }
  }
  const statuses = await Promise.all(
    Array.from({ length: 20 }, async (_, at) => (await register(`2001:db8:0:1::${at + 1}`)).status),
  )
  expect(new Set(statuses)).toEqual(new Set([201]))
  expect(await register("2001:db8:0:1:ffff::1")).toMatchObject({
    status: 429,
    body: { error: "too_many_requests" },
  })
  expect((await register("2001:db8:0:2::1")).status).toBe(201)
  expect((await register("192.0.2.1")).status).toBe(201)
  db.close()
})

test("a wrongly encoded scope is used as written", async () => {
  const program = new Program()
  await auth(program, { serverUrl: `${url}/mcp` })
  program.sentTo!.searchParams.set("scope", "collection:%zz")
  const shown = await fetch(program.sentTo!)
  expect([shown.status, (await shown.text()).includes('value="%zz"')]).toEqual([200, true])
})

test("OAuth is offered only at an address that programs can trust", () => {
  expect(oauthProblem("")).toContain("not set")
  expect(oauthProblem("http://search.example.com")).toContain("not an https")
  expect(oauthProblem("https://example.com/search")).toBeNull()
  expect(oauthProblem("https://search.example.com")).toBeNull()
})
