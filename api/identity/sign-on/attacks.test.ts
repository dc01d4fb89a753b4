import { afterAll, beforeAll, describe, expect, test } from "vitest"

import { freePort } from "#base/testing/free-port.ts"

import { serveAccounts, type ServedAccounts } from "../../testing/serve-accounts.ts"
import { ownPath } from "./journeys.ts"
import { parseSignOn } from "./file/sign-on-file.ts"
import { type Company, openCompany } from "./testing/company.ts"
import { type Lie, type LyingProvider, startLyingProvider } from "./testing/lying-provider.ts"
import { Visitor } from "./testing/visitor.ts"

const isSignedIn = async (visitor: Visitor, url: string) => (await visitor.session(url))["signed_in"]

describe("a redirect back from the provider", () => {
  let company: Company
  let url: string
  beforeAll(async () => {
    company = await openCompany()
    url = company.app.url
  })
  afterAll(() => company?.[Symbol.asyncDispose]())

  /** A user who is on the way back: the address that would sign them in has not been opened yet. */
  async function onTheWayBack(login: string, provider = "company") {
    const visitor = new Visitor()
    const form = await visitor.open(`${url}/sign-on/${provider}`)
    const action = new URL(/action="([^"]*)"/.exec(form.text)![1]!, form.url).href
    let response = await visitor.send(action, { method: "POST", body: new URLSearchParams({ login }) })
    let to = new URL(response.headers.get("location")!, action).href
    while (!to.startsWith(url)) {
      response = await visitor.send(to)
      to = new URL(response.headers.get("location")!, to).href
    }
    return { visitor, back: to }
  }

  test("works once", async () => {
    const { visitor, back } = await onTheWayBack("anna")
    const host = new URL(url).host
    const cookies = new Map(visitor.jar.get(host))
    expect((await visitor.open(back)).status).toBe(200)
    const again = new Visitor()
    again.jar.set(host, new Map(visitor.jar.get(host)))
    expect((await again.open(back)).text).toContain("was not started in this browser")
    // Once the cookie is restored, the provider refuses the code.
    again.jar.set(host, cookies)
    expect((await again.open(back)).text).toContain("This sign-in has ended")
    expect(await isSignedIn(again, url)).toBe(false)
  })

  test("works only in the browser that began, so a link signs nobody in as someone else", async () => {
    const eve = await onTheWayBack("adam")
    const anna = new Visitor()
    expect(await anna.open(eve.back)).toMatchObject({ status: 403 })
    const own = await onTheWayBack("anna")
    expect((await own.visitor.open(eve.back)).status).toBe(403)
    expect([await isSignedIn(anna, url), await isSignedIn(own.visitor, url)]).toEqual([false, false])
  })

  test("with a different state signs nobody in", async () => {
    const { visitor, back } = await onTheWayBack("anna")
    const wrong = new URL(back)
    wrong.searchParams.set("state", "another")
    expect((await visitor.open(wrong.href)).status).toBe(403)
    expect(await isSignedIn(visitor, url)).toBe(false)
  })

  test("from one provider does not work for another", async () => {
    const { visitor, back } = await onTheWayBack("anna")
    await visitor.open(`${url}/sign-on/partner`)
    const mixed = back.replace("/sign-on/company/", "/sign-on/partner/")
    expect((await visitor.open(mixed)).status).toBe(403)
    // A cookie for one provider doesn't work for another either.
    const { host } = new URL(url)
    const cookies = visitor.jar.get(host)!
    cookies.set("fossick-sign-on-partner", cookies.get("fossick-sign-on-company")!)
    expect((await visitor.open(mixed)).text).toContain("was not started in this browser")
    expect(await isSignedIn(visitor, url)).toBe(false)
  })

  test("says so when it was cancelled", async () => {
    const { visitor, back } = await onTheWayBack("anna")
    const cancelled = new URL(back)
    cancelled.searchParams.delete("code")
    cancelled.searchParams.set("error", "access_denied")
    expect((await visitor.open(cancelled.href)).text).toContain("The sign-in was cancelled.")
  })

  test("has a cookie that scripts can't read, for a quarter of an hour", async () => {
    const response = await fetch(`${url}/sign-on/company`, { redirect: "manual" })
    expect(response.headers.getSetCookie()).toEqual([
      expect.stringMatching(
        /^fossick-sign-on-company=[\w-]{100,3000}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=900$/,
      ),
    ])
    const asked = new URL(response.headers.get("location")!).searchParams
    expect(Object.fromEntries(asked)).toMatchObject({
      response_type: "code",
      code_challenge_method: "S256",
      state: expect.stringMatching(/.{40}/),
      nonce: expect.stringMatching(/.{40}/),
      redirect_uri: `${url}/sign-on/company/callback`,
    })
  })
})

test.each([
  ["/", "/"],
  ["/console/sources?x=1#top", "/console/sources?x=1#top"],
  ["/a/../b", "/b"],
  ["https://evil.example/", "/home/"],
  ["//evil.example/", "/home/"],
  ["/\\evil.example/", "/home/"],
  ["/a\\..\\..//evil.example", "/home/"],
  ["/..//evil.example/", "/home/"],
  ["/.//evil.example/", "/home/"],
  ["/\t/evil.example/", "/home/"],
  ["/%0d%0aSet-Cookie:x", "/%0d%0aSet-Cookie:x"],
  ["javascript:alert(1)", "/home/"],
  ["", "/home/"],
  [`/${"a".repeat(1000)}`, "/home/"],
])("a sign-in that began at %j ends at %j", (given, expected) => {
  expect(ownPath(given, "/home/")).toBe(expected)
})

describe("an ID token received for a code", () => {
  let lying: LyingProvider
  let app: ServedAccounts
  const secret = "a secret of at least 32 characters"
  beforeAll(async () => {
    lying = await startLyingProvider("fossick", secret)
    const port = await freePort()
    const text = `providers:
  - { name: liar, kind: oidc, issuer: "${lying.issuer}", clientId: fossick, clientSecret: "\${SECRET}", networks: [localhost] }
roles: [{ signedIn: true, role: reader }]`
    const signOnSpec = parseSignOn(text, "sign-on.yaml", { SECRET: secret })
    app = await serveAccounts({ port, config: { publicUrl: `http://127.0.0.1:${port}` }, signOnSpec })
  })
  afterAll(async () => {
    await app?.[Symbol.asyncDispose]()
    await lying?.[Symbol.asyncDispose]()
  })

  async function come(lie: Lie, withNonce = true) {
    const visitor = new Visitor()
    const { headers } = await visitor.send(`${app.url}/sign-on/liar`)
    const { searchParams } = new URL(headers.get("location")!)
    const nonce = withNonce ? { nonce: searchParams.get("nonce") } : {}
    lying.say({ ...lie, claims: { ...nonce, ...lie.claims } })
    return await visitor.open(`${app.url}/sign-on/liar/callback?code=1&state=${searchParams.get("state")}`)
  }

  test("signs in if it is valid", async () => {
    expect((await come({})).text).toContain("You are signed in")
  })

  /** The log lines saying why the last sign-in was refused. */
  const reason = () => app.logLines.filter((line) => line.includes('"reason"')).at(-1)

  const ago = (seconds: number) => Math.floor(Date.now() / 1000) - seconds
  test.each<[string, Lie, string]>([
    ["for another client", { claims: { aud: "another" } }, "aud"],
    ["of another issuer", { claims: { iss: "https://id.example.com" } }, "iss"],
    ["of another sign-in", { claims: { nonce: "another" } }, "nonce"],
    ["that is over", { claims: { iat: ago(900), exp: ago(600) } }, "exp"],
    ["signed with another key", { signed: "other" }, "signature verification failed"],
    ["signed with the secret of the client", { signed: "secret" }, "Alg"],
    ["that nobody signed", { signed: "none" }, "Alg"],
    [
      "for several clients, of whom another asked",
      { claims: { aud: ["fossick", "another"], azp: "another" } },
      "azp",
    ],
    ["without a subject", { claims: { sub: undefined } }, "sub"],
  ])("%s does not sign in", async (_, lie, because) => {
    const shown = await come(lie)
    expect(shown.status).toBe(403)
    expect(shown.text).not.toContain("You are signed in")
    expect(reason()).toContain(because)
  })

  test("without the nonce does not sign in", async () => {
    expect((await come({}, false)).status).toBe(403)
  })
})

test("a provider at a private address is not called unless the operator opened it", async () => {
  await using lying = await startLyingProvider("fossick", "secret")
  const port = await freePort()
  const text = `providers:
  - { name: inner, kind: oidc, issuer: "${lying.issuer}", clientId: fossick }
roles: [{ signedIn: true, role: reader }]`
  const signOnSpec = parseSignOn(text, "sign-on.yaml", {})
  await using app = await serveAccounts({
    port,
    config: { publicUrl: `http://127.0.0.1:${port}` },
    signOnSpec,
  })
  const shown = await new Visitor().open(`${app.url}/sign-on/inner`)
  expect(shown).toMatchObject({ status: 503, text: expect.stringContaining("can&#39;t be reached") })
  expect(shown.text).not.toContain("localhost")
  expect(app.logLines.join("")).toContain("networks of the provider inner")
})
