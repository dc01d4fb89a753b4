import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"

import { SessionStore } from "../../sessions/session-store.ts"
import { type Company, openCompany } from "../testing/company.ts"
import { Visitor } from "../testing/visitor.ts"

let company: Company
let url: string
beforeAll(async () => {
  company = await openCompany()
  url = company.app.url
})
afterAll(() => company?.[Symbol.asyncDispose]())
beforeEach(async () => {
  await company.app.db.script("delete from face_session; delete from person")
  company.company.accounts.set("anna", {
    email: "anna@example.com",
    email_verified: true,
    groups: ["staff", "hr"],
  })
})

async function anna(): Promise<{ readonly visitor: Visitor; readonly id: string }> {
  const visitor = new Visitor()
  await visitor.signIn(`${url}/sign-on/company`, "anna")
  const [person] = await company.app.people.list({ limit: 1, offset: 0 })
  return { visitor, id: person!.id }
}

const isSignedIn = async (visitor: Visitor) => (await visitor.session(url))["signed_in"]
const byId = (id: string) => company.app.accounts.keys.byId(id)

describe("a session signed in at a provider", () => {
  test("takes its groups from the provider every quarter of an hour, with one request", async () => {
    const { visitor, id } = await anna()
    company.company.accounts.set("anna", {
      email: "anna@example.com",
      email_verified: true,
      groups: ["search-admins"],
    })
    await company.age(14)
    expect(await visitor.session(url)).toMatchObject({ role: "search" })
    const before = company.company.tokenCalls()
    await company.age(2)
    const asked = await Promise.all(Array.from({ length: 12 }, () => visitor.session(url)))
    expect(asked.map(({ role }) => role)).toEqual(asked.map(() => "admin"))
    expect(company.company.tokenCalls()).toBe(before + 1)
    expect(await byId(id)).toMatchObject({ role: "admin" })
    // Renewal works repeatedly: each refresh returns the token for the next one.
    for (let round = 0; round < 3; round++) {
      await company.age(40)
      expect(await isSignedIn(visitor)).toBe(true)
    }
  })

  test("is renewed by one of several processes, and the others wait for it", async () => {
    const { visitor, id } = await anna()
    await company.age(40)
    await using other = await company.otherProcess()
    const [session] = await new SessionStore(company.app.db).renewableOf(id, Date.now(), 1)
    const before = company.company.tokenCalls()
    const asked = await Promise.all([
      ...Array.from({ length: 5 }, () => other.sessions.mayContinue(session!)),
      ...Array.from({ length: 5 }, () => isSignedIn(visitor)),
    ])
    expect(asked).toEqual(asked.map(() => true))
    expect(company.company.tokenCalls()).toBe(before + 1)
  })

  test("is renewed even if the process that began the request was killed", async () => {
    const { visitor } = await anna()
    await company.age(40)
    await company.app.db.script(`update face_session set asking_until = ${Date.now() - 1}`)
    expect(await isSignedIn(visitor)).toBe(true)
  })

  test("ends with the role of its person, and with the account", async () => {
    const { visitor, id } = await anna()
    company.company.accounts.set("anna", {
      email: "anna@example.com",
      email_verified: true,
      groups: ["visitors"],
    })
    await company.age(16)
    expect(await isSignedIn(visitor)).toBe(false)
    company.company.accounts.delete("anna")
    await company.age(16)
    expect(await isSignedIn(visitor)).toBe(false)
    company.company.accounts.set("anna", { groups: ["staff"] })
    // The session has ended permanently.
    expect(await isSignedIn(visitor)).toBe(false)
    await company.age(16)
    expect(await byId(id)).toBeNull()
  })

  test("continues for twice the time while its provider is down, and resumes when it is back", async () => {
    const { visitor, id } = await anna()
    company.company.away(true)
    await company.age(16)
    expect(await isSignedIn(visitor)).toBe(true)
    expect(await byId(id)).not.toBeNull()
    await company.age(15)
    expect(await isSignedIn(visitor)).toBe(false)
    expect(await byId(id)).toBeNull()
    expect(company.app.logLines.join("\n")).toContain("{provider} can't be reached")
    company.company.away(false)
    // After a failure, the provider isn't asked for a while, unless it has vouched for a user in the meantime.
    await new Visitor().signIn(`${url}/sign-on/company`, "adam")
    expect(await isSignedIn(visitor)).toBe(true)
    expect(await byId(id)).not.toBeNull()
  })

  test("is renewed after the provider changed its keys", async () => {
    const { visitor } = await anna()
    await company.company.rotateKeys()
    await company.age(16)
    expect(await isSignedIn(visitor)).toBe(true)
    // When a token is signed with an unknown key, the appliance looks for new keys, but at most every other second.
    const again = new Visitor()
    await expect
      .poll(async () => (await again.signIn(`${url}/sign-on/company`, "adam")).text)
      .toContain("You are signed in")
  })
})

describe("work that a person leaves running", () => {
  test("has the rights that the provider reports at the time, while a session of theirs lasts", async () => {
    const { visitor, id } = await anna()
    company.company.accounts.set("anna", {
      email: "anna@example.com",
      email_verified: true,
      groups: ["staff"],
    })
    await company.age(60)
    expect((await byId(id))?.principals).toEqual(["user:anna@example.com", "group:staff", "signed-in"])
    await visitor.send(`${url}/session`, { method: "DELETE", headers: { Origin: url } })
    await company.age(14)
    expect(await byId(id)).not.toBeNull()
    await company.age(2)
    expect(await byId(id)).toBeNull()
  })
})
