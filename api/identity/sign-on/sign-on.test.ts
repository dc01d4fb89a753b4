import { afterAll, beforeAll, describe, expect, test } from "vitest"

import { type Company, openCompany } from "./testing/company.ts"
import { Visitor } from "./testing/visitor.ts"

let company: Company
let url: string
beforeAll(async () => {
  company = await openCompany()
  url = company.app.url
})
afterAll(() => company?.[Symbol.asyncDispose]())

describe("somebody who signs in at the provider", () => {
  test("comes back with a session of their own, and signs out", async () => {
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
  })
})
