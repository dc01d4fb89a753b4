import { afterAll, beforeAll, describe, expect, test } from "vitest"

import { TEST_KEY } from "../../testing/serve-app.ts"
import { type Company, openCompany } from "./testing/company.ts"
import { Visitor } from "./testing/visitor.ts"

// Sign-on with a real provider on a socket, and a headless browser.

let company: Company
let url: string
beforeAll(async () => {
  company = await openCompany()
  url = company.app.url
})
afterAll(() => company?.[Symbol.asyncDispose]())

const search = (who: Visitor) =>
  who.send(`${url}/search`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Origin: url },
    body: JSON.stringify({ query: "pumps" }),
  })

/** The entries of the audit log, newest first. */
const audited = async () => await company.app.accounts.audit.list({}, { limit: 10, offset: 0 })

/** A signed-in user. */
async function signedIn(login: string, provider = "company"): Promise<Visitor> {
  const visitor = new Visitor()
  const shown = await visitor.signIn(`${url}/sign-on/${provider}`, login)
  expect(shown).toMatchObject({ status: 200, text: expect.stringContaining("You are signed in") })
  return visitor
}

/** The person here who has this user name. */
const personOf = async (user: string) =>
  (await company.app.people.list({ limit: 100, offset: 0 })).find((one) => one.user === user)!

describe("someone who signs in at a provider", () => {
  test("comes back to the page where they began, searches under their own name, and signs out", async () => {
    const anna = new Visitor()
    expect((await anna.session(url))["ways"]).toEqual([
      { kind: "link", name: "Company account", url: "sign-on/company" },
      { kind: "link", name: "partner", url: "sign-on/partner" },
      { kind: "key" },
    ])
    const shown = await anna.signIn(`${url}/sign-on/company?return=/%3Fq%3Dpumps`, "anna")
    expect(shown.text).toContain('content="0;url=/?q=pumps"')
    expect(await anna.session(url)).toMatchObject({
      signed_in: true,
      role: "search",
      user: "anna@example.com",
      key_hint: "",
    })
    expect((await search(anna)).status).toBe(200)
    const { id } = await personOf("anna@example.com")
    expect(id).toMatch(/^person-/)
    expect(await company.app.accounts.keys.byId(id)).toMatchObject({
      role: "search",
      principals: ["user:anna@example.com", "group:staff", "group:hr", "signed-in"],
    })
    const calls = await company.app.accounts.callLog.list({ keyId: id, limit: 5 })
    expect(calls.map(({ endpoint }) => endpoint)).toEqual(["search"])
    expect(await audited()).toContainEqual(
      expect.objectContaining({
        who: { kind: "session", id, name: "anna@example.com" },
        action: "sign in",
        object: "sign-on/company",
      }),
    )

    const out = await anna.send(`${url}/session`, { method: "DELETE", headers: { Origin: url } })
    const { sign_out_url: further } = (await out.json()) as { readonly sign_out_url: string }
    expect(further).toContain(`${company.company.issuer}/session/end?`)
    expect(new URL(further).searchParams.get("post_logout_redirect_uri")).toBe(`${url}/`)
    expect((await search(anna)).status).toBe(401)
    // The provider accepts the address, and asks the person to confirm.
    expect(await anna.open(further)).toMatchObject({ status: 200, text: expect.stringContaining("<form") })
  })

  test("has the role of the groups they are in, and changes things under their own name", async () => {
    const adam = await signedIn("adam")
    expect(await adam.session(url)).toMatchObject({ role: "admin", user: "adam@example.com" })
    const made = await adam.send(`${url}/generate-keys`, {
      method: "POST",
      headers: { "Content-Type": "application/json", Origin: url },
      body: JSON.stringify({ permission_level: "user", key_limit: 1, ttl_hours: 1 }),
    })
    expect(made.status).toBe(200)
    const { id } = await personOf("adam@example.com")
    expect((await audited())[0]).toMatchObject({
      who: { kind: "session", id, name: "adam@example.com" },
      action: "POST /generate-keys",
    })
    expect((await company.app.accounts.keys.list()).map(({ madeBy }) => madeBy)).toEqual([id])
  })

  test("learns that no role fits their groups, and gets no session", async () => {
    const guest = new Visitor()
    const shown = await guest.signIn(`${url}/sign-on/company`, "guest")
    expect(shown.status).toBe(403)
    expect(shown.text).toContain("you have no role here")
    expect(await guest.session(url)).toMatchObject({ signed_in: false, user: null })
  })

  test("is signed out at once when the operator disables them, and can't return until enabled", async () => {
    const anna = await signedIn("anna")
    const { id } = await personOf("anna@example.com")
    await company.app.people.disable(id)
    expect((await search(anna)).status).toBe(401)
    const again = await new Visitor().signIn(`${url}/sign-on/company`, "anna")
    expect(again).toMatchObject({ status: 403, text: expect.stringContaining("has disabled your account") })
    await company.app.people.enable(id)
    expect((await search(anna)).status).toBe(200)
  })

  test("is a different person at another provider, whatever name it gives them", async () => {
    await signedIn("anna")
    const other = await signedIn("anna", "partner")
    // The partner may give its users neither Anna's name nor the admin role.
    expect(await other.session(url)).toMatchObject({ role: "search", user: "partner/anna" })
    const { id } = await personOf("partner/anna")
    expect(await company.app.accounts.keys.byId(id)).toMatchObject({
      principals: ["user:partner/anna", "group:partner:buyers", "group:partner:search-admins", "signed-in"],
      scope: { sources: [], collections: ["catalogue"] },
    })
    expect(id).not.toBe((await personOf("anna@example.com")).id)
  })
})

test("the operator's key still signs in when providers are set up", async () => {
  const operator = new Visitor()
  const answer = await operator.send(`${url}/session`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Origin: url },
    body: JSON.stringify({ key: TEST_KEY }),
  })
  expect(answer.status).toBe(200)
  expect(await operator.session(url)).toMatchObject({ signed_in: true, user: null })
})

test("data stored for a sign-in at the provider is sealed, and never logged", async () => {
  await signedIn("anna")
  const rows = await company.app.db.native("select held from face_session where held is not null").ask([])
  const [{ held }] = rows.rows as [{ readonly held: string }]
  expect(Buffer.from(held, "base64url").toString("latin1")).not.toMatch(/refresh|subject|anna/)
  expect(company.app.logLines.join("\n")).not.toMatch(/id_token|refresh_token|code=/)
})

test("a provider that isn't declared is unknown", async () => {
  expect((await new Visitor().open(`${url}/sign-on/other`)).status).toBe(404)
  expect((await new Visitor().open(`${url}/sign-on/other/callback?code=1&state=1`)).status).toBe(404)
})
