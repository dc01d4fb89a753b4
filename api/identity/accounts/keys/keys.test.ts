import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest"

import { openStateStore, type StateStore } from "#base/store/state-store.ts"

import { readScope, UNLIMITED } from "./key-scope.ts"
import { keyOnWire } from "./key-wire.ts"
import { openKeyStore } from "./keys.ts"

describe("keys", () => {
  let dir: string
  let db: StateStore

  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), "fossick-keys-"))
    db = openStateStore(dir)
  })
  afterEach(async () => {
    db.close()
    await rm(dir, { recursive: true })
  })

  test("are known by their text, with the role they were made for", () => {
    const keys = openKeyStore(db, "")
    expect(keys.any()).toBe(false)
    const [admin, search] = [keys.create({ role: "admin" }), keys.create({ role: "search" })]
    expect(keys.verify(admin)).toMatchObject({ id: expect.any(String), role: "admin" })
    expect(keys.verify(search)).toMatchObject({ id: expect.any(String), role: "search" })
    expect(keys.verify(`${admin}x`)).toBeNull()
    expect(keys.any()).toBe(true)
  })

  test("are listed without their text, and refused once disabled", () => {
    const keys = openKeyStore(db, "")
    const text = keys.create({ role: "search", name: "chat" })
    const [key] = keys.list()
    expect(key).toMatchObject({ role: "search", name: "chat", disabledAt: null })
    expect(JSON.stringify(key)).not.toContain(text.slice(4, -4))
    expect(keys.disable("nobody")).toBe(false)
    expect(keys.disable(key!.id)).toBe(true)
    expect(keys.verify(text)).toBeNull()
    expect(keys.any()).toBe(false)
    expect(keys.list()[0]!.disabledAt).toBeInstanceOf(Date)
  })

  test("the operator's own is admin, and nothing of it is stored", () => {
    const keys = openKeyStore(db, "chosen")
    expect(keys.verify("chosen")).toMatchObject({ id: "operator", role: "admin" })
    expect(keys.any()).toBe(true)
    expect(openKeyStore(db, "").verify("chosen")).toBeNull()
  })

  test("hold to what they were made for", () => {
    const keys = openKeyStore(db, "")
    const expiresAt = new Date(Date.now() + 3_600_000)
    const text = keys.create({
      role: "search",
      name: "team",
      keyType: "development",
      scope: readScope({ endpoints: ["search"], sources: ["docs"], domains: ["docs.example"] }),
      projects: ["seals", "pumps"],
      creditLimit: { credits: 5, per: "total" },
      rateLimits: { search: { calls: 3, seconds: 60 } },
      mayMakeKeys: true,
      expiresAt,
      madeBy: "abc",
    })
    expect(text).toMatch(/^fsk-dev-[\w-]{43}$/)
    const { id, createdAt, ...made } = keys.lookUp(text)!
    expect(id).toMatch(/^[0-9a-f]{12}$/)
    expect(Math.abs(createdAt.getTime() - Date.now())).toBeLessThan(3_600_000)
    expect(made).toEqual({
      role: "search",
      hint: text.slice(-4),
      scope: { endpoints: ["search"], sources: ["docs"], collections: null, domains: ["docs.example"] },
      projects: ["seals", "pumps"],
      creditLimit: { credits: 5, per: "total" },
      rateLimits: { search: { calls: 3, seconds: 60 } },
      mayMakeKeys: true,
      mayEndItself: true,
      expiresAt,
      name: "team",
      keyType: "development",
      disabledAt: null,
      madeBy: "abc",
    })
    expect(keyOnWire(keys.lookUp(text)!)).toMatchObject({
      ends_with: text.slice(-4),
      credit_limit: 5,
      limit_per: "total",
      rate_limits: "search=3/60s",
    })
  })

  test("of which nothing was said are without limit, make none, and cannot end themselves", () => {
    const keys = openKeyStore(db, "")
    const [search, admin] = [keys.create({ role: "search" }), keys.create({ role: "admin" })]
    expect(search).toMatch(/^fsk-[\w-]{43}$/)
    const key = keys.lookUp(search)!
    expect(key).toMatchObject({
      scope: UNLIMITED,
      projects: [],
      creditLimit: null,
      rateLimits: null,
      mayMakeKeys: false,
      // Others may hold it as well.
      mayEndItself: false,
      expiresAt: null,
      name: "",
      keyType: "production",
      madeBy: null,
    })
    expect(keys.lookUp(admin)).toMatchObject({ mayMakeKeys: true, mayEndItself: true })
    expect(keyOnWire(key)).toMatchObject({ credit_limit: null, limit_per: null, rate_limits: null })
    const made = keys.create({ role: "search", madeBy: key.id })
    expect(keys.lookUp(made)).toMatchObject({ mayMakeKeys: false, mayEndItself: true })
    const limited = keys.create({ role: "admin", mayMakeKeys: false })
    expect(keys.lookUp(limited)).toMatchObject({ mayMakeKeys: false, mayEndItself: false })
  })

  test("that are over or disabled are refused, by their text and by their id, and still known", () => {
    const keys = openKeyStore(db, "")
    const over = keys.create({ role: "search", expiresAt: new Date(Date.now() - 1) })
    expect([keys.verify(over), keys.byId(keys.lookUp(over)!.id), keys.any()]).toEqual([null, null, false])
    vi.useFakeTimers({ toFake: ["Date"] })
    onTestFinished(() => void vi.useRealTimers())
    const now = keys.create({ role: "search", expiresAt: new Date() })
    expect(keys.verify(now)).toBeNull()
    const text = keys.create({ role: "search", expiresAt: new Date(Date.now() + 3_600_000) })
    const { id } = keys.lookUp(text)!
    expect([keys.verify(text)?.id, keys.byId(id)?.id, keys.any()]).toEqual([id, id, true])
    keys.disable(id)
    const since = keys.lookUp(text)!.disabledAt
    expect([keys.verify(text), keys.byId(id), since]).toEqual([null, null, expect.any(Date)])
    // Once more changes nothing of it.
    keys.disable(id)
    expect(keys.lookUp(text)!.disabledAt).toEqual(since)
    expect([keys.enable(id), keys.enable("nobody")]).toEqual([true, false])
    expect(keys.verify(text)?.id).toBe(id)
    expect([keys.byId("nobody"), keys.byId("operator"), keys.lookUp("other")]).toEqual([null, null, null])
    expect(openKeyStore(db, "chosen").byId("operator")).toMatchObject({ role: "admin" })
    expect(openKeyStore(db, "chosen").any()).toBe(true)
  })

  test("end at the time that comes first", () => {
    const keys = openKeyStore(db, "")
    const text = keys.create({ role: "search" })
    const { id } = keys.lookUp(text)!
    const [soon, later] = [new Date(Date.now() + 3_600_000), new Date(Date.now() + 7_200_000)]
    expect(keys.endBy("nobody", soon)).toBe(false)
    expect(keys.endBy(id, later)).toBe(true)
    expect(keys.endBy(id, soon)).toBe(true)
    expect(keys.endBy(id, later)).toBe(true)
    expect(keys.lookUp(text)!.expiresAt).toEqual(soon)
  })

  test("that were made together end together, and each maker ends those of its own", () => {
    const keys = openKeyStore(db, "")
    const make = (madeBy: string, generation: string) => keys.create({ role: "search", madeBy, generation })
    const [one, two, other, elsewhere] = [make("a", "g"), make("a", "g"), make("b", "g"), make("a", "h")]
    expect(keys.disableGeneration("none", null)).toBeNull()
    expect(keys.disableGeneration("h", "b")).toBeNull()
    keys.disable(keys.lookUp(one)!.id)
    expect(keys.disableGeneration("g", "a")).toBe(1)
    expect([one, two, other, elsewhere].map((text) => keys.verify(text) !== null)).toEqual([
      false,
      false,
      true,
      true,
    ])
    expect(keys.disableGeneration("g", null)).toBe(1)
    expect(keys.verify(other)).toBeNull()
    expect(keys.disableGeneration("g", null)).toBe(0)
  })

  test("count for their maker what they were handed out, also when they are gone", () => {
    const keys = openKeyStore(db, "")
    const maker = keys.lookUp(keys.create({ role: "search", mayMakeKeys: true }))!
    const make = (credits: number | null) =>
      keys.lookUp(
        keys.create({
          role: "search",
          madeBy: maker.id,
          creditLimit: credits === null ? null : { credits, per: "month" },
        }),
      )!
    const [five] = [make(5), make(7), make(null)]
    const handed = (per: "month" | "total" | null) =>
      keys.handedOut({ id: maker.id, creditLimit: per === null ? null : { credits: 100, per } })
    expect([handed("month"), handed("total"), handed(null)]).toEqual([12, 12, 12])
    expect(keys.delete(five.id)).toBe(true)
    expect(keys.delete(five.id)).toBe(false)
    expect([handed("month"), handed("total"), handed(null)]).toEqual([7, 12, 12])
    // Those of earlier months count for a limit in all, and no longer for one by the month.
    db.prepare("update api_keys set created_at = '2020-01-01T00:00:00.000Z' where credit_limit = 7").run()
    expect([handed("month"), handed("total")]).toEqual([0, 12])
    expect(keys.handedOut({ id: "nobody", creditLimit: null })).toBe(0)
  })

  test("that a key made and that are over are pruned, not those of this month, nor those of the operator", () => {
    const keys = openKeyStore(db, "")
    const maker = keys.lookUp(keys.create({ role: "search", mayMakeKeys: true }))!.id
    const day = 86_400_000
    const make = (name: string, madeBy: string | undefined, createdAt: string, more: object = {}) => {
      const { id } = keys.lookUp(
        keys.create({
          role: "search",
          name,
          ...(madeBy && { madeBy }),
          creditLimit: { credits: 1, per: "total" },
          ...more,
        }),
      )!
      db.prepare("update api_keys set created_at = ? where id = ?").run(createdAt, id)
      return id
    }
    const old = "2020-01-01T00:00:00.000Z"
    const expiresAt = new Date(Date.now() - 2 * day)
    make("over", maker, old, { expiresAt })
    db.prepare("update api_keys set disabled_at = ? where id = ?").run(old, make("disabled", maker, old))
    make("of this month", maker, new Date().toISOString(), { expiresAt })
    make("lately over", maker, old, { expiresAt: new Date(Date.now() - day / 2) })
    make("valid", maker, old)
    make("the operator's", undefined, old, { expiresAt })
    expect(keys.prune(Date.now() - day, 1)).toBe(1)
    expect(keys.prune(Date.now() - day, 10)).toBe(1)
    expect(keys.prune(Date.now() - day, 10)).toBe(0)
    expect(
      keys
        .list()
        .map(({ name }) => name)
        .filter((name) => name !== "")
        .sort(),
    ).toEqual(["lately over", "of this month", "the operator's", "valid"])
    expect(keys.handedOut({ id: maker, creditLimit: null })).toBe(5)
  })

  test("are as many as a maker may have, and no more bytes", () => {
    const keys = openKeyStore(db, "", 2)
    expect([keys.hasRoom("a", 2, 0), keys.hasRoom("a", 3, 0)]).toEqual([true, false])
    keys.create({ role: "search", madeBy: "a" })
    expect([keys.hasRoom("a", 1, 0), keys.hasRoom("a", 2, 0), keys.hasRoom("b", 2, 0)]).toEqual([
      true,
      false,
      true,
    ])
    const { bytes } = keys.stored.ofKey("a")
    expect(bytes).toBeGreaterThan(0)
    const many = openKeyStore(db, "")
    expect(many.hasRoom("a", 2, (16_000_000 - bytes) / 2)).toBe(true)
    expect(many.hasRoom("a", 2, (16_000_000 - bytes) / 2 + 1)).toBe(false)
  })
})
