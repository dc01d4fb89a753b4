import { describe, expect, test } from "vitest"

import { type Claims, personOf } from "./claims.ts"

const person = (claims: Claims, userClaim: string | null = null, groupsClaim = ["groups"]) =>
  personOf(claims, { userClaim, groupsClaim })

describe("the claims of a user", () => {
  const address = { email: "anna@example.com", preferred_username: "anna" }
  test.each<[string, Claims, string | null, string | null]>([
    ["is named by a verified address", { ...address, email_verified: true }, null, "anna@example.com"],
    [
      "is named so by providers that write true as text",
      { ...address, email_verified: "true" },
      null,
      "anna@example.com",
    ],
    ["has no name by an address that nobody verified", { ...address, email_verified: false }, null, null],
    ["has no name by one of which nothing is said", address, null, null],
    ["is named by the claim that the operator chose", address, "preferred_username", "anna"],
    [
      "is named by an address of which nothing is said where the operator says so",
      address,
      "email",
      "anna@example.com",
    ],
    [
      "is not named by one that is not verified, whatever the operator says",
      { ...address, email_verified: false },
      "email",
      null,
    ],
    ["is named by a claim within another", { ext: { upn: "anna@corp" } }, "ext.upn", "anna@corp"],
    ["has no name by a claim that is no text", { upn: ["anna"] }, "upn", null],
    ["has no name by what every object has", {}, "constructor.name", null],
  ])("%s", (_, claims, claim, expected) => {
    expect(person(claims, claim).user).toBe(expected)
  })
})

describe("groups", () => {
  test.each<[string, Claims, string[], readonly string[]]>([
    ["are a list", { groups: ["hr", "staff"] }, ["groups"], ["hr", "staff"]],
    ["may be one", { groups: "hr" }, ["groups"], ["hr"]],
    [
      "may be roles within another claim",
      { realm_access: { roles: ["hr"] } },
      ["realm_access", "roles"],
      ["hr"],
    ],
    [
      "may be in a claim with dots in its name",
      { "https://x.example/groups": ["hr"] },
      ["https://x", "example/groups"],
      ["hr"],
    ],
    ["may be missing", {}, ["groups"], []],
    ["are texts alone", { groups: ["hr", 7, null, { name: "x" }] }, ["groups"], ["hr"]],
  ])("%s", (_, claims, path, expected) => {
    expect(person(claims, null, path).groups).toEqual(expected)
  })

  test("sign nobody in if the provider left groups out because there are too many, since one may be denied", () => {
    const claims = { _claim_names: { groups: "src1" }, _claim_sources: { src1: { endpoint: "https://x" } } }
    expect(() => person(claims)).toThrow("more groups than your account lists")
  })
})
