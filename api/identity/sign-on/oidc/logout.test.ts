import { importJWK, SignJWT } from "jose"
import { afterAll, beforeAll, expect, test } from "vitest"

import { type Company, openCompany } from "../testing/company.ts"
import { Visitor } from "../testing/visitor.ts"

// Tests that a provider can end sessions, and that no one else can.

let company: Company
let url: string
beforeAll(async () => {
  company = await openCompany()
  url = company.app.url
})
afterAll(() => company?.[Symbol.asyncDispose]())

const EVENTS = { "http://schemas.openid.net/event/backchannel-logout": {} }
const now = () => Math.floor(Date.now() / 1000)

async function tokenOf(claims: Readonly<Record<string, unknown>>, signer = company.company): Promise<string> {
  const [key] = signer.keys()
  const all = {
    iss: company.company.issuer,
    aud: "fossick",
    iat: now(),
    jti: crypto.randomUUID(),
    events: EVENTS,
    ...claims,
  }
  return await new SignJWT(all)
    .setProtectedHeader({ alg: "RS256", kid: key!.kid!, typ: "logout+jwt" })
    .sign(await importJWK(key!, "RS256"))
}

const send = (token: string, provider = "company") =>
  fetch(`${url}/sign-on/${provider}/logout`, {
    method: "POST",
    body: new URLSearchParams({ logout_token: token }),
  })

async function signedIn(login = "anna", visitor = new Visitor()): Promise<Visitor> {
  await visitor.signIn(`${url}/sign-on/company`, login)
  return visitor
}
const isSignedIn = async (visitor: Visitor) => (await visitor.session(url))["signed_in"]

test("signing out at the provider signs the person out here, in that browser only", async () => {
  const anna = await signedIn()
  const elsewhere = await signedIn()
  const out = await anna.open(`${company.company.issuer}/session/end`)
  // The browser's own session here remains: only the provider's message ends it.
  await anna.submit(out, { logout: "yes" })
  await expect.poll(() => isSignedIn(anna)).toBe(false)
  expect(await isSignedIn(elsewhere)).toBe(true)
})

test("all sessions of a person end when the provider names only the person", async () => {
  const [anna, elsewhere, adam] = [await signedIn(), await signedIn(), await signedIn("adam")]
  const answer = await send(await tokenOf({ sub: "anna" }))
  expect([answer.status, answer.headers.get("cache-control")]).toEqual([200, "no-store"])
  expect([await isSignedIn(anna), await isSignedIn(elsewhere), await isSignedIn(adam)]).toEqual([
    false,
    false,
    true,
  ])
})

test("a logout token is accepted once", async () => {
  const token = await tokenOf({ sub: "anna" })
  expect((await send(token)).status).toBe(200)
  const anna = await signedIn()
  expect((await send(token)).status).toBe(400)
  expect(await isSignedIn(anna)).toBe(true)
})

test.each<[string, () => Promise<string>]>([
  ["for another client", () => tokenOf({ sub: "anna", aud: "another" })],
  ["of another issuer", () => tokenOf({ sub: "anna", iss: "https://id.example.com" })],
  ["with a nonce", () => tokenOf({ sub: "anna", nonce: "n" })],
  ["of no event", () => tokenOf({ sub: "anna", events: undefined })],
  ["of another event", () => tokenOf({ sub: "anna", events: { "urn:another": {} } })],
  ["that is over", () => tokenOf({ sub: "anna", iat: now() - 300, exp: now() - 200 })],
  ["of long ago", () => tokenOf({ sub: "anna", iat: now() - 3600 })],
  ["without a time", () => tokenOf({ sub: "anna", iat: undefined })],
  ["without an id", () => tokenOf({ sub: "anna", jti: undefined })],
  ["that names nobody", () => tokenOf({})],
  ["signed by another provider", () => tokenOf({ sub: "anna" }, company.partner)],
  ["that is none", async () => "none"],
])("a token %s ends nothing", async (_, make) => {
  const anna = await signedIn()
  const answer = await send(await make())
  expect(answer.status).toBe(400)
  expect(await answer.json()).toMatchObject({ error: "invalid_request" })
  expect(await isSignedIn(anna)).toBe(true)
})
