import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { importJWK, type JWTPayload, SignJWT } from "jose"
import { afterAll, beforeAll, describe, expect, test } from "vitest"

import { keepSourceReaders } from "#crawler/sources/readers/source-readers.ts"
import { temporaryFolder } from "#crawler/testing/crawl-fixture.ts"
import { EmbeddedEngine } from "#engine/adapters/embedded/embedded-engine.ts"
import { readersOf } from "#engine/index/page/readers.ts"
import { HashingEmbedder } from "#engine/testing/hashing-embedder.ts"
import { aPage } from "#engine/testing/pages.ts"

import { signingSecretOf } from "../accounts/keys/acting-key.ts"
import type { ActsBy } from "../accounts/keys/keys.ts"
import { readScope } from "../accounts/keys/key-scope.ts"
import { type Company, openCompany } from "../sign-on/testing/company.ts"
import { Visitor } from "../sign-on/testing/visitor.ts"

// Front ends that ask on behalf of a company's people, through every door; the provider is a real one on a socket.

const opened = new AsyncDisposableStack()
let company: Company
let url: string

beforeAll(async () => {
  const folder = opened.use(temporaryFolder())
  const embedder = new HashingEmbedder()
  const engine = opened.use(
    await EmbeddedEngine.open({ dir: `${folder.path}/index`, mode: "write", embedder }),
  )
  const page = (name: string, source: string) =>
    aPage(`https://${source}.example.com/${name}`, {
      title: name,
      markdown: `${name} are looked after in winter. `.repeat(9),
      source,
    })
  await engine.index([page("Roses", "garden"), page("Salaries", "hr"), page("Plans", "board")])
  await engine.settled()
  const sourceNames = async () => ["garden", "hr", "board"]
  company = opened.use(await openCompany({ engine, embedder, sourceNames }))
  url = company.app.url
  await keepSourceReaders(company.app.db, "hr", readersOf({ allow: ["group:hr"] }))
  await keepSourceReaders(company.app.db, "board", readersOf({ allow: ["group:board"] }))
  for (const login of ["anna", "adam"]) await new Visitor().signIn(`${url}/sign-on/company`, login)
})
afterAll(() => opened.disposeAsync())

/** A front end, with its key and its secret. */
async function service(by: ActsBy = "tokens", spec: Parameters<Company["app"]["key"]>[0] = {}) {
  const key = await company.app.key({ actsForPeople: by, ...spec })
  const made = (await company.app.accounts.keys.lookUp(key))!
  const secret = new TextEncoder().encode(await signingSecretOf(company.app.db, made))
  return { key, secret, id: made.id }
}

const now = () => Math.floor(Date.now() / 1000)
const signed = (secret: Uint8Array, claims: JWTPayload, alg = "HS256") =>
  new SignJWT({ iat: now(), exp: now() + 300, ...claims }).setProtectedHeader({ alg }).sign(secret)

/** A provider's token, like the one that LibreChat gets when a user signs in there. */
async function ofProvider(claims: JWTPayload): Promise<string> {
  const [jwk] = company.company.keys()
  return await new SignJWT({
    iss: company.company.issuer,
    aud: "librechat",
    iat: now(),
    exp: now() + 3600,
    ...claims,
  })
    .setProtectedHeader({ alg: "RS256", kid: jwk!.kid! })
    .sign(await importJWK(jwk!))
}

type Headers = Readonly<Record<string, string>>
const ask = (key: string, headers: Headers) =>
  company.app.call("/search", key, { query: "looked after in winter" }, headers)

/** The titles the caller finds, or the error. */
async function found(key: string, headers: Headers): Promise<unknown> {
  const { status, body } = await ask(key, headers)
  return status === 200
    ? body.results.map(({ title }: { readonly title: string }) => title).sort()
    : [status, body.detail.error]
}
const foundFor = async ({ key, secret }: Awaited<ReturnType<typeof service>>, user: string) =>
  await found(key, { "X-Fossick-Acting-For": await signed(secret, { sub: user }) })

describe("a service with the secret of its key", () => {
  test("finds what the person may read, through its own header and Open WebUI's", async () => {
    const chat = await service()
    expect(await foundFor(chat, "anna@example.com")).toEqual(["Roses", "Salaries"])
    // The claims as created by open-webui 0.12.4 with FORWARD_USER_INFO_HEADER_JWT_SECRET.
    const claims = {
      sub: "671fa9fb",
      email: "Anna@example.com",
      name: "Anna",
      role: "user",
      iss: "open-webui",
    }
    expect(await found(chat.key, { "X-OpenWebUI-User-Jwt": await signed(chat.secret, claims) })).toEqual([
      "Roses",
      "Salaries",
    ])
  })

  test("grants no groups: administrators read as themselves, and groups in a token are ignored", async () => {
    const chat = await service()
    expect(await foundFor(chat, "adam@example.com")).toEqual(["Roses"])
    const token = await signed(chat.secret, { sub: "anna@example.com", groups: ["board"] })
    expect(await found(chat.key, { "X-Fossick-Acting-For": token })).toEqual(["Roses", "Salaries"])
    const adam = { "X-Fossick-Acting-For": await signed(chat.secret, { sub: "adam@example.com" }) }
    const wanted = { permission_level: "user", key_limit: 1, ttl_hours: 1 }
    expect((await company.app.call("/generate-keys", chat.key, wanted, adam)).status).toBe(403)
    expect(
      (await company.app.call("/search", chat.key, { query: "winter", explain: true }, adam)).status,
    ).toBe(403)
  })

  test("is limited by its key's scope and by the person's", async () => {
    const scope = readScope({ sources: ["hr", "board"] })
    expect(await foundFor(await service("tokens", { scope }), "anna@example.com")).toEqual(["Salaries"])
    const maps = await service("tokens", { scope: readScope({ endpoints: ["map"] }) })
    expect(await foundFor(maps, "anna@example.com")).toEqual([
      403,
      "Access denied. This key may not use /search.",
    ])
  })

  test("gets a 401 that names the header for every invalid identity, never public results", async () => {
    const [chat, other] = [await service(), await service()]
    const refusal = async (token: string) => {
      const answer = await ask(chat.key, token === "" ? {} : { "X-Fossick-Acting-For": token })
      expect(answer.headers.get("www-authenticate")).toBe("Bearer")
      return [answer.status, answer.body.detail.error.includes("X-Fossick-Acting-For")]
    }
    const sub = "anna@example.com"
    const wrong = [
      "",
      sub,
      "{{LIBRECHAT_USER_EMAIL}}",
      await signed(other.secret, { sub }),
      await signed(chat.secret, { sub }, "HS512"),
      await signed(chat.secret, { sub, iat: now() - 700, exp: now() - 400 }),
      await signed(chat.secret, { sub, exp: now() + 3600 }),
      await signed(chat.secret, { sub, iat: now() + 3600, exp: now() + 3700 }),
      await new SignJWT({ sub }).setProtectedHeader({ alg: "HS256" }).sign(chat.secret),
      await signed(chat.secret, {}),
      `${Buffer.from('{"alg":"none"}').toString("base64url")}.${Buffer.from(JSON.stringify({ sub, exp: now() + 60 })).toString("base64url")}.`,
    ]
    for (const token of wrong) expect([token, ...(await refusal(token))]).toEqual([token, 401, true])
    expect(await found(chat.key, { "X-OpenWebUI-User-Email": sub })).toEqual([401, expect.any(String)])
  })

  test("gets a 403 with the reason for people who are unknown, disabled, without a role, or whose proof is too old", async () => {
    const chat = await service()
    expect(await foundFor(chat, "nobody@example.com")).toEqual([
      403,
      "Access denied. nobody@example.com has not signed in here yet.",
    ])
    const { people } = company.app
    const proof = { provider: "company", name: "", email: "", isRenewable: false }
    await people.proved({ ...proof, subject: "v", user: "v@example.com", groups: ["visitors"] }, true)
    expect(await foundFor(chat, "v@example.com")).toEqual([
      403,
      "Access denied. v@example.com has no role here.",
    ])
    const old = await people.proved(
      { ...proof, subject: "o", user: "o@example.com", groups: ["staff"] },
      true,
    )
    expect(await foundFor(chat, "o@example.com")).toEqual(["Roses"])
    await people.disable(old.id)
    expect(await foundFor(chat, "o@example.com")).toEqual([
      403,
      "Access denied. o@example.com is disabled here.",
    ])
    await people.enable(old.id)
    const long = { ...proof, subject: "o", user: "o@example.com", groups: ["staff"] }
    await people.proved(long, false, Date.now() - 9 * 3_600_000)
    expect(await foundFor(chat, "o@example.com")).toEqual([
      403,
      expect.stringContaining("o@example.com has to sign in here again"),
    ])
  })

  test("is charged to its key, and the log names the person", async () => {
    const chat = await service("tokens", { creditLimit: { credits: 2, per: "total" }, mayMakeKeys: false })
    const anna = (await company.app.people.ofUser("anna@example.com"))[0]!
    expect(await foundFor(chat, "anna@example.com")).toHaveLength(2)
    expect(await foundFor(chat, "adam@example.com")).toHaveLength(1)
    expect(await foundFor(chat, "anna@example.com")).toEqual([432, expect.any(String)])
    const entries = await company.app.accounts.callLog.list({ limit: 2, keyId: chat.id })
    expect(entries.map(({ person }) => person === anna.id)).toEqual([false, true])
    const line = company.app.logLines.map((one) => JSON.parse(one) as Record<string, unknown>)
    expect(line).toContainEqual(expect.objectContaining({ key: chat.id, person: anna.id, status: 200 }))
  })
})

describe("a provider's ID token passed on by a service", () => {
  const forToken = async (claims: JWTPayload) =>
    await found((await service()).key, { "X-Fossick-Acting-For": await ofProvider(claims) })

  test("names the person and their groups, even if they have not signed in here yet", async () => {
    const bea = { sub: "bea", email: "bea@example.com", email_verified: true }
    expect(await forToken({ ...bea, groups: ["staff", "board"] })).toEqual(["Plans", "Roses"])
    // An older token doesn't restore a group, even though there are no newer facts about her.
    expect(await forToken({ ...bea, groups: ["staff", "hr"], iat: now() - 600 })).toEqual(["Plans", "Roses"])
    expect(await forToken({ ...bea, groups: ["visitors"], iat: now() + 25 })).toEqual(["Plans", "Roses"])
    const vic = { sub: "vic", email: "vic@example.com", email_verified: true, groups: ["visitors"] }
    expect(await forToken(vic)).toEqual([403, "Access denied. vic@example.com has no role here."])
    expect(await company.app.people.ofUser("vic@example.com")).toEqual([])
  })

  test("without groups is accepted only for people who have signed in here", async () => {
    expect(await forToken({ sub: "anna" })).toEqual(["Roses", "Salaries"])
    expect(await forToken({ sub: "carl", email: "carl@example.com", email_verified: true })).toEqual([
      403,
      "Access denied. The person in this token has not signed in here yet.",
    ])
  })

  test("is accepted only for the audiences in the file, if the provider signed it and it has not expired", async () => {
    const refused = [401, expect.stringContaining("X-Fossick-Acting-For")]
    expect(await forToken({ sub: "anna", aud: "another-app" })).toEqual(refused)
    expect(await forToken({ sub: "anna", iss: "https://elsewhere.example" })).toEqual(refused)
    expect(await forToken({ sub: "anna", iat: now() - 7200, exp: now() - 3600 })).toEqual(refused)
    expect(await forToken({ sub: "anna", events: {} })).toEqual(refused)
    const stranger = await signed(new Uint8Array(32), {
      sub: "anna",
      iss: company.company.issuer,
      aud: "librechat",
    })
    expect(await found((await service()).key, { "X-Fossick-Acting-For": stranger })).toEqual(refused)
  })
})

describe("a key that trusts headers", () => {
  test("takes names without a signature, as LibreChat and Open WebUI send them", async () => {
    const { key } = await service("headers")
    const both = ["Roses", "Salaries"]
    expect(await found(key, { "X-Fossick-Acting-For": "anna@example.com" })).toEqual(both)
    expect(await found(key, { "X-OpenWebUI-User-Email": "Anna@example.com" })).toEqual(both)
    expect(await found(key, { "X-Fossick-Acting-For": "{{LIBRECHAT_USER_EMAIL}}" })).toEqual([
      403,
      expect.stringContaining("has not signed in here yet"),
    ])
    expect(await found(key, {})).toEqual([401, expect.stringContaining("X-Fossick-Acting-For")])
  })
})

describe("every API", () => {
  const DOORS: readonly { readonly path: string; readonly body?: object }[] = [
    { path: "/search", body: { query: "winter" } },
    { path: "/extract", body: { urls: ["https://garden.example.com/Roses"] } },
    { path: "/map", body: { url: "https://garden.example.com/" } },
    { path: "/research", body: { input: "Who looks after roses?" } },
    { path: "/suggest?q=ro" },
    { path: "/sources" },
    { path: "/pages?url=https://garden.example.com/Roses" },
    { path: "/usage" },
    { path: "/openwebui/search", body: { query: "winter", count: 3 } },
    { path: "/searxng/search?q=winter&format=json" },
    { path: "/v1/models" },
    { path: "/v2/search", body: { query: "winter" } },
  ]

  test.each(DOORS)("$path requires a person, and then answers", async ({ path, body }) => {
    const { key } = await service("headers")
    const status = async (headers: Headers) => {
      const response = await fetch(url + path, {
        method: body === undefined ? "GET" : "POST",
        headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json", ...headers },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      await response.arrayBuffer()
      return response.status
    }
    expect(await status({})).toBe(401)
    expect(await status({ "X-Fossick-Acting-For": "nobody@example.com" })).toBe(403)
    const answered = await status({ "X-Fossick-Acting-For": "anna@example.com" })
    expect([200, 201, 202]).toContain(answered)
  })

  test("a key in the body requires a person too", async () => {
    const { key } = await service("headers")
    const ask = async (headers: Headers) =>
      (
        await fetch(`${url}/search`, {
          method: "POST",
          headers: { "Content-Type": "application/json", ...headers },
          body: JSON.stringify({ query: "winter", api_key: key }),
        })
      ).status
    expect(await ask({})).toBe(401)
    expect(await ask({ "X-Fossick-Acting-For": "anna@example.com" })).toBe(200)
  })

  test("MCP finds what the person may read", async () => {
    const { key, secret } = await service()
    const tool = async (headers: Headers) => {
      const client = new Client({ name: "test", version: "1" })
      const requestInit = { headers: { Authorization: `Bearer ${key}`, ...headers } }
      await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit }))
      const asked = { name: "tavily_search", arguments: { query: "looked after in winter" } }
      const answer = JSON.stringify(await client.callTool(asked))
      await client.close()
      return ["Roses", "Salaries", "Plans"].filter((title) => answer.includes(title))
    }
    const token = await signed(secret, { sub: "anna@example.com" })
    expect(await tool({ "X-Fossick-Acting-For": token })).toEqual(["Roses", "Salaries"])
    await expect(tool({})).rejects.toThrow(/X-Fossick-Acting-For/)
  })

  test("what one person leaves is hidden from others of the same service, and continues with their rights at the time", async () => {
    const { key, id } = await service("headers")
    const as = (user: string) => ({ "X-Fossick-Acting-For": user })
    const { body } = await company.app.call(
      "/research",
      key,
      { input: "Who looks after roses?" },
      as("anna@example.com"),
    )
    const report = (user: string) =>
      company.app.call(`/research/${body.request_id}`, key, undefined, as(user))
    expect((await report("anna@example.com")).status).not.toBe(404)
    expect((await report("adam@example.com")).status).toBe(404)
    const anna = (await company.app.people.ofUser("anna@example.com"))[0]!
    const { keys } = company.app.accounts
    const kept = `${id}.${anna.id}`
    expect(await keys.byId(kept)).toMatchObject({
      id: kept,
      role: "search",
      principals: ["user:anna@example.com", "group:staff", "group:hr", "signed-in"],
      onBehalf: { keyId: id, personId: anna.id },
    })
    expect(await keys.nameOf(kept)).toBe("anna@example.com")
    await company.app.people.disable(anna.id)
    expect(await keys.byId(kept)).toBeNull()
    await company.app.people.enable(anna.id)
    await keys.disable(id)
    expect(await keys.byId(kept)).toBeNull()
  })
})
