import { describe, expect, test } from "vitest"

import { emptyState } from "#base/store/testing/empty-state.ts"

import { PersonKeys } from "./person-keys.ts"
import { type Person, PersonStore, type Proof } from "./person-store.ts"
import { normalRules, rightsOf, type RoleRule } from "./roles.ts"

const MINUTE = 60_000

const anna: Proof = {
  provider: "company",
  subject: "s1",
  user: "anna@example.com",
  name: "Anna",
  email: "anna@example.com",
  groups: ["hr"],
  isRenewable: true,
}

const rule = (given: Partial<RoleRule>): RoleRule => ({
  groups: null,
  role: "reader",
  sources: null,
  collections: null,
  ...given,
})

const RULES = {
  roles: [rule({ groups: ["hr", "Staff"] }), rule({ groups: ["admins"], role: "admin" })],
  providers: ["company"],
  refreshMs: 15 * MINUTE,
  unrenewedMs: 480 * MINUTE,
}

describe("a person", () => {
  test("is identified by provider and subject, whatever else changes", async () => {
    using db = emptyState()
    const people = new PersonStore(db)
    const first = await people.proved(anna, true, 1000)
    expect(first).toEqual({
      ...anna,
      id: expect.stringMatching(/^person-[0-9a-f]{12}$/),
      firstSeen: new Date(1000),
      lastSeen: new Date(1000),
      provedAt: new Date(1000),
      disabledAt: null,
    })
    const married = await people.proved({ ...anna, user: "anna@b.example", groups: [] }, false, 2000)
    expect(married).toEqual({ ...first, user: "anna@b.example", groups: [], provedAt: new Date(2000) })
    const other = await people.proved({ ...anna, provider: "partner" }, true, 3000)
    expect(other.id).not.toBe(first.id)
    expect(await people.list({ limit: 10, offset: 0 })).toEqual([other, married])
    expect(await people.count()).toBe(2)
  })

  test("is found by a part of a name or address, and by a group", async () => {
    using db = emptyState()
    const people = new PersonStore(db)
    const { id } = await people.proved(anna, true)
    const ben = { ...anna, subject: "s2", user: "b_n@example.com", name: "Ben", email: "", groups: [] }
    const second = await people.proved(ben, true)
    const found = async (wanted: { search?: string; group?: string }) =>
      (await people.list({ ...wanted, limit: 9, offset: 0 })).map((one) => one.id).sort()
    expect(await found({ search: "ANNA@" })).toEqual([id])
    expect(await found({ search: "example.com" })).toEqual([id, second.id].sort())
    expect(await found({ search: "b_n" })).toEqual([second.id])
    expect(await found({ search: "a_n" })).toEqual([])
    expect(await found({ group: "hr" })).toEqual([id])
    expect(await people.count({ search: "anna", group: "h" })).toBe(0)
    expect(await people.ofUser("b_n@example.com")).toEqual([second])
    const [first, last] = [id, second.id].sort()
    expect((await people.after("", 1)).map((one) => one.id)).toEqual([first])
    expect((await people.after(first!, 9)).map((one) => one.id)).toEqual([last])
  })

  test("is stored in the form that readers of pages use, however the provider writes the name", async () => {
    using db = emptyState()
    const people = new PersonStore(db)
    const written = { ...anna, user: "Anna@Example.com", groups: ["HR", "e\u0301quipe", ""] }
    expect(await people.proved(written, true)).toMatchObject({
      user: "anna@example.com",
      groups: ["hr", "\u00e9quipe"],
    })
  })

  test("is forgotten after a year without a visit, unless disabled", async () => {
    using db = emptyState()
    const people = new PersonStore(db)
    const gone = await people.proved(anna, true, 1000)
    const disabled = await people.proved({ ...anna, subject: "s2" }, true, 1000)
    await people.disable(disabled.id)
    await people.proved({ ...anna, subject: "s3" }, true, 1000 + 401 * 1440 * MINUTE)
    expect(await people.get(gone.id)).toBeNull()
    expect(await people.get(disabled.id)).not.toBeNull()
  })

  test("stays disabled through further sign-ins, until enabled", async () => {
    using db = emptyState()
    const people = new PersonStore(db)
    const keys = new PersonKeys(people, RULES)
    const { id } = await people.proved(anna, true)
    expect(await keys.byId(id)).toMatchObject({ id, role: "search" })
    expect([await people.disable(id, 5), await people.disable(id, 6)]).toEqual([true, true])
    expect((await people.proved(anna, true)).disabledAt).toEqual(new Date(5))
    expect(await keys.byId(id)).toBeNull()
    expect(await people.enable(id)).toBe(true)
    expect(await keys.byId(id)).not.toBeNull()
    expect(await people.disable("person-none")).toBe(false)
  })
})

describe("a person used as a key", () => {
  test("has the principals of the user, the groups, and everybody who has signed in", async () => {
    using db = emptyState()
    const people = new PersonStore(db)
    const keys = new PersonKeys(people, RULES)
    const { id } = await people.proved(anna, true)
    expect(await keys.byId(id)).toEqual({
      id,
      role: "search",
      hint: "",
      scope: { endpoints: null, sources: null, collections: null, domains: null },
      principals: ["user:anna@example.com", "group:hr", "signed-in"],
      projects: [],
      creditLimit: null,
      rateLimits: null,
      mayMakeKeys: false,
      mayEndItself: false,
      actsForPeople: null,
      onBehalf: null,
      expiresAt: null,
    })
    expect(await keys.nameOf(id)).toBe("anna@example.com")
    await people.proved({ ...anna, groups: ["admins"] }, true)
    expect(await keys.byId(id)).toMatchObject({ role: "admin", principals: null })
    // Operators read pages with their own rights.
    const roles = [...RULES.roles, rule({ groups: ["ops"], role: "operator" })]
    await people.proved({ ...anna, groups: ["hr", "ops"] }, true)
    expect(await new PersonKeys(people, { ...RULES, roles }).byId(id)).toMatchObject({
      role: "operator",
      mayMakeKeys: false,
      principals: ["user:anna@example.com", "group:hr", "group:ops", "signed-in"],
    })
    await people.proved({ ...anna, groups: ["others"] }, true)
    expect(await keys.byId(id)).toBeNull()
  })

  test("is invalid if the provider is no longer declared", async () => {
    using db = emptyState()
    const people = new PersonStore(db)
    const { id } = await people.proved(anna, true)
    expect(await new PersonKeys(people, { ...RULES, providers: ["partner"] }).byId(id)).toBeNull()
  })

  test("is checked again when the proof is due, and is invalid once it expires", async () => {
    using db = emptyState()
    const people = new PersonStore(db)
    const keys = new PersonKeys(people, RULES)
    const asked: string[] = []
    keys.renew = async (person: Person) => {
      asked.push(person.user)
      return "away"
    }
    const { id } = await people.proved(anna, true, Date.now() - 14 * MINUTE)
    expect(await keys.byId(id)).not.toBeNull()
    expect(asked).toEqual([])
    await people.proved(anna, true, Date.now() - 29 * MINUTE)
    expect(await keys.byId(id)).not.toBeNull()
    expect(asked).toHaveLength(1)
    await people.proved(anna, true, Date.now() - 31 * MINUTE)
    expect(await keys.byId(id)).toBeNull()
    keys.renew = async () => {
      await people.proved({ ...anna, groups: ["admins"] }, false)
      return "vouched"
    }
    expect(await keys.byId(id)).toMatchObject({ role: "admin" })
    keys.renew = async () => "gone"
    await people.proved(anna, true, Date.now() - 16 * MINUTE)
    expect(await keys.byId(id)).toBeNull()
    // A proof dated by a clock that was years ahead.
    keys.renew = async () => "away"
    await people.proved(anna, true, Date.now() + 1e9)
    expect(await keys.byId(id)).toBeNull()
  })

  test("stays valid for the configured hours if the provider can't be asked again", async () => {
    using db = emptyState()
    const people = new PersonStore(db)
    const keys = new PersonKeys(people, RULES)
    const { id } = await people.proved({ ...anna, isRenewable: false }, true, Date.now() - 479 * MINUTE)
    expect(await keys.byId(id)).not.toBeNull()
    await people.proved({ ...anna, isRenewable: false }, true, Date.now() - 481 * MINUTE)
    expect(await keys.byId(id)).toBeNull()
  })
})

describe("roles", () => {
  const all = { endpoints: null, sources: null, collections: null, domains: null }

  test("match by group, ignoring case, or everybody; people without a match have no rights", () => {
    expect(rightsOf(normalRules([rule({ groups: ["HR", "Staff"] })]), ["staff"])).toEqual({
      role: "search",
      scope: all,
    })
    expect(rightsOf(RULES.roles, ["visitors"])).toBeNull()
    expect(rightsOf([rule({})], [])).toEqual({ role: "search", scope: all })
  })

  test("combine what readers may see, and the admin role takes precedence", () => {
    const roles = [
      rule({ collections: ["intranet"] }),
      rule({ groups: ["hr"], sources: ["personnel"], collections: ["intranet", "forms"] }),
      rule({ groups: ["auditors"] }),
      rule({ groups: ["admins"], role: "admin" }),
    ]
    expect(rightsOf(roles, [])?.scope).toEqual({ ...all, sources: [], collections: ["intranet"] })
    expect(rightsOf(roles, ["hr"])?.scope).toEqual({
      ...all,
      sources: ["personnel"],
      collections: ["intranet", "forms"],
    })
    expect(rightsOf(roles, ["hr", "auditors"])).toEqual({ role: "search", scope: all })
    expect(rightsOf(roles, ["hr", "admins"])).toEqual({ role: "admin", scope: all })
  })
})
