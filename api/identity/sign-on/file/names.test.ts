import { array, assert, constantFrom, pre, property, record } from "fast-check"
import { expect, test } from "vitest"

import { namesOf, namesProblems } from "./names.ts"
import type { ProviderSpec } from "../provider.ts"

const provider = (name: string, more: Partial<ProviderSpec> = {}): ProviderSpec => ({
  name,
  kind: "oidc",
  title: name,
  userPrefix: "",
  userDomains: null,
  groupPrefix: "",
  own: {},
  ...more,
})

const company = provider("company")
const partner = provider("partner", { userDomains: ["partner.example"], groupPrefix: "partner:" })
const guests = provider("guests", { userPrefix: "guest:", groupPrefix: "guest:" })
const ALL = [company, partner, guests]

const userOf = (of: ProviderSpec, user: string | null, subject = "s1") =>
  namesOf(of, { user, subject, groups: [] }, ALL).user
const groupsOf = (of: ProviderSpec, ...groups: string[]) =>
  namesOf(of, { user: null, subject: "s1", groups }, ALL).groups

test("the first provider vouches for plain names", () => {
  expect(userOf(company, "Anna@Example.com")).toBe("anna@example.com")
  expect(groupsOf(company, "HR", "hr", "all staff")).toEqual(["hr", "all staff"])
})

test("nobody gets a name that another provider may vouch for", () => {
  expect(userOf(company, "eve@partner.example")).toBe("company/s1")
  expect(userOf(company, "guest:gustav")).toBe("company/s1")
  expect(userOf(company, "partner/s1")).toBe("company/s1")
  expect(userOf(company, "company/s2")).toBe("company/s1")
  expect(userOf(partner, "anna@example.com")).toBe("partner/s1")
  expect(userOf(partner, "eve@partner.example")).toBe("eve@partner.example")
  expect(userOf(guests, "anna@example.com")).toBe("guest:anna@example.com")
  expect(groupsOf(company, "partner:hr", "guest:x", "hr")).toEqual(["hr"])
  expect(groupsOf(partner, "hr")).toEqual(["partner:hr"])
})

test("people without a name are called by their subjects, which are case-sensitive", () => {
  const subjects = ["abc", "Abc", "~abc", "a".repeat(300), "a".repeat(301)]
  const users = subjects.map((subject) => userOf(company, null, subject))
  expect(users[0]).toBe("company/abc")
  expect(new Set(users).size).toBe(subjects.length)
  expect(userOf(company, " anna@example.com")).toBe("company/s1")
})

test("more groups than can be stored are rejected, since one of them may be denied", () => {
  const groups = Array.from({ length: 2001 }, (_, at) => `g${at}`)
  expect(() => groupsOf(company, ...groups)).toThrow("more groups")
})

test("two providers never give someone the same name, however names are chosen", () => {
  const part = constantFrom("a", "b", "ab", "a/", "b/", "x@a.example", "x@b.example", "@", "~", "1")
  const text = array(part, { minLength: 1, maxLength: 3 }).map((parts) => parts.join(""))
  const declared = record({
    userPrefix: constantFrom("", "a", "ab", "a/", "b/"),
    userDomains: constantFrom(null, ["a.example"], ["b.example"]),
  })
  assert(
    property(declared, declared, text, text, text, text, (one, other, user1, user2, subject1, subject2) => {
      const all = [provider("a", one), provider("b", other)]
      // In a file, a missing field is not the same as null.
      const written = all.map(({ userDomains, ...rest }) =>
        userDomains === null ? rest : { ...rest, userDomains },
      )
      pre(namesProblems(written).length === 0)
      const [a, b] = all.map(
        (of, at) =>
          namesOf(
            of,
            { user: at === 0 ? user1 : user2, subject: at === 0 ? subject1 : subject2, groups: [] },
            all,
          ).user,
      )
      expect(a).not.toBe(b)
    }),
    { numRuns: 3000 },
  )
})
