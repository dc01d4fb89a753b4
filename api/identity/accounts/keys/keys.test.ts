import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest"

import { openStateStore, type StateStore } from "#base/store/state-store.ts"
import { statement } from "#base/store/testing/statement.ts"

import { readScope, UNLIMITED } from "./key-scope.ts"
import { signingSecretOf } from "./acting-key.ts"
import { keyOnWire } from "./key-wire.ts"
import { openKeyStore } from "./keys.ts"

describe("keys", () => {
  let dir: string
  let db: StateStore

  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), "fossick-keys-"))
    db = await openStateStore(dir)
  })
  afterEach(async () => {
    db.close()
    await rm(dir, { recursive: true })
  })

  test("are recognised by their text, with the role they were made for", async () => {
    const keys = openKeyStore(db, "")
    expect(await keys.any()).toBe(false)
    const [admin, search] = [await keys.create({ role: "admin" }), await keys.create({ role: "search" })]
    expect(await keys.verify(admin)).toMatchObject({ id: expect.any(String), role: "admin" })
    expect(await keys.verify(search)).toMatchObject({ id: expect.any(String), role: "search" })
    expect(await keys.verify(`${admin}x`)).toBeNull()
    expect(await keys.any()).toBe(true)
  })

  test("are listed without their text, and refused once disabled", async () => {
    const keys = openKeyStore(db, "")
    const text = await keys.create({ role: "search", name: "chat" })
    const [key] = await keys.list()
    expect(key).toMatchObject({ role: "search", name: "chat", disabledAt: null })
    expect(JSON.stringify(key)).not.toContain(text.slice(4, -4))
    expect(await keys.disable("nobody")).toBe(false)
    expect(await keys.disable(key!.id)).toBe(true)
    expect(await keys.verify(text)).toBeNull()
    expect(await keys.any()).toBe(false)
    expect((await keys.list())[0]!.disabledAt).toBeInstanceOf(Date)
  })

  test("include the operator's own as an admin key, of which nothing is stored", async () => {
    const keys = openKeyStore(db, "chosen")
    expect(await keys.verify("chosen")).toMatchObject({ id: "operator", role: "admin" })
    expect(await keys.any()).toBe(true)
    expect(await openKeyStore(db, "").verify("chosen")).toBeNull()
  })

  test("keep the limits they were made with", async () => {
    const keys = openKeyStore(db, "")
    const expiresAt = new Date(Date.now() + 3_600_000)
    const text = await keys.create({
      role: "search",
      name: "team",
      keyType: "development",
      scope: readScope({ endpoints: ["search"], sources: ["docs"], domains: ["docs.example"] }),
      principals: ["group:hr"],
      projects: ["seals", "pumps"],
      creditLimit: { credits: 5, per: "total" },
      rateLimits: { search: { calls: 3, seconds: 60 } },
      mayMakeKeys: true,
      expiresAt,
      madeBy: "abc",
    })
    expect(text).toMatch(/^fsk-dev-[\w-]{43}$/)
    const { id, createdAt, ...made } = (await keys.lookUp(text))!
    expect(id).toMatch(/^[0-9a-f]{12}$/)
    expect(Math.abs(createdAt.getTime() - Date.now())).toBeLessThan(3_600_000)
    expect(made).toEqual({
      role: "search",
      hint: text.slice(-4),
      scope: { endpoints: ["search"], sources: ["docs"], collections: null, domains: ["docs.example"] },
      principals: ["group:hr"],
      projects: ["seals", "pumps"],
      creditLimit: { credits: 5, per: "total" },
      rateLimits: { search: { calls: 3, seconds: 60 } },
      mayMakeKeys: true,
      mayEndItself: true,
      expiresAt,
      actsForPeople: null,
      onBehalf: null,
      name: "team",
      keyType: "development",
      disabledAt: null,
      madeBy: "abc",
    })
    expect(keyOnWire((await keys.lookUp(text))!)).toMatchObject({
      ends_with: text.slice(-4),
      credit_limit: 5,
      limit_per: "total",
      rate_limits: "search=3/60s",
    })
  })

  test("of operators search, write nothing, and read what everybody may", async () => {
    const keys = openKeyStore(db, "")
    const text = await keys.create({ role: "operator" })
    expect(await keys.verify(text)).toMatchObject({ role: "operator", principals: [], mayMakeKeys: false })
    expect(await keys.verifyWriter(text)).toBeNull()
    expect(await keys.list()).toMatchObject([{ role: "operator" }])
  })

  test("that act for people are invalid without a person", async () => {
    const keys = openKeyStore(db, "")
    const text = await keys.create({ role: "search", actsForPeople: "tokens" })
    const { id } = (await keys.lookUp(text))!
    expect(await keys.verifyService(text)).toMatchObject({ id, actsForPeople: "tokens" })
    expect([await keys.verify(text), await keys.verifyWriter(text)]).toEqual([null, null])
    await expect(keys.actFor(text, () => "anna@example.com")).rejects.toMatchObject({ status: 403 })
    const other = await keys.create({ role: "search" })
    expect([await keys.verifyService(other), await keys.actFor(other, () => "anna")]).toEqual([null, null])
    await keys.disable(id)
    expect([await keys.verifyService(text), await keys.actFor(text, () => "")]).toEqual([null, null])
    const secrets = await Promise.all([id, id, "other"].map((one) => signingSecretOf(db, { id: one })))
    expect(secrets).toEqual([
      expect.stringMatching(/^[\w-]{43}$/),
      secrets[0],
      expect.not.stringContaining(secrets[0]!),
    ])
  })

  test("have no limits by default, cannot make keys, and cannot end themselves", async () => {
    const keys = openKeyStore(db, "")
    const [search, admin] = [await keys.create({ role: "search" }), await keys.create({ role: "admin" })]
    expect(search).toMatch(/^fsk-[\w-]{43}$/)
    const key = (await keys.lookUp(search))!
    expect(key).toMatchObject({
      scope: UNLIMITED,
      principals: [],
      projects: [],
      creditLimit: null,
      rateLimits: null,
      mayMakeKeys: false,
      // Other people might have the key as well.
      mayEndItself: false,
      expiresAt: null,
      name: "",
      keyType: "production",
      madeBy: null,
    })
    expect(await keys.lookUp(admin)).toMatchObject({
      principals: null,
      mayMakeKeys: true,
      mayEndItself: true,
    })
    expect(keyOnWire(key)).toMatchObject({ credit_limit: null, limit_per: null, rate_limits: null })
    const made = await keys.create({ role: "search", madeBy: key.id })
    expect(await keys.lookUp(made)).toMatchObject({ mayMakeKeys: false, mayEndItself: true })
    const limited = await keys.create({ role: "admin", mayMakeKeys: false })
    expect(await keys.lookUp(limited)).toMatchObject({ mayMakeKeys: false, mayEndItself: false })
  })

  test("that are expired or disabled are rejected, by text and by id, but still known", async () => {
    const keys = openKeyStore(db, "")
    const over = await keys.create({ role: "search", expiresAt: new Date(Date.now() - 1) })
    expect([
      await keys.verify(over),
      await keys.byId((await keys.lookUp(over))!.id),
      await keys.any(),
    ]).toEqual([null, null, false])
    vi.useFakeTimers({ toFake: ["Date"] })
    onTestFinished(() => void vi.useRealTimers())
    const now = await keys.create({ role: "search", expiresAt: new Date() })
    expect(await keys.verify(now)).toBeNull()
    const text = await keys.create({ role: "search", expiresAt: new Date(Date.now() + 3_600_000) })
    const { id } = (await keys.lookUp(text))!
    expect([(await keys.verify(text))?.id, (await keys.byId(id))?.id, await keys.any()]).toEqual([
      id,
      id,
      true,
    ])
    await keys.disable(id)
    const since = (await keys.lookUp(text))!.disabledAt
    expect([await keys.verify(text), await keys.byId(id), since]).toEqual([null, null, expect.any(Date)])
    // Disabling a key a second time changes nothing.
    await keys.disable(id)
    expect((await keys.lookUp(text))!.disabledAt).toEqual(since)
    expect([await keys.enable(id), await keys.enable("nobody")]).toEqual([true, false])
    expect((await keys.verify(text))?.id).toBe(id)
    expect([await keys.byId("nobody"), await keys.byId("operator"), await keys.lookUp("other")]).toEqual([
      null,
      null,
      null,
    ])
    expect(await openKeyStore(db, "chosen").byId("operator")).toMatchObject({ role: "admin" })
    expect(await openKeyStore(db, "chosen").any()).toBe(true)
  })

  test("expire at the earliest of their times", async () => {
    const keys = openKeyStore(db, "")
    const text = await keys.create({ role: "search" })
    const { id } = (await keys.lookUp(text))!
    const [soon, later] = [new Date(Date.now() + 3_600_000), new Date(Date.now() + 7_200_000)]
    expect(await keys.endBy("nobody", soon)).toBe(false)
    expect(await keys.endBy(id, later)).toBe(true)
    expect(await keys.endBy(id, soon)).toBe(true)
    expect(await keys.endBy(id, later)).toBe(true)
    expect((await keys.lookUp(text))!.expiresAt).toEqual(soon)
  })

  test("made together end together, and each maker can end only its own", async () => {
    const keys = openKeyStore(db, "")
    const make = (madeBy: string, generation: string) => keys.create({ role: "search", madeBy, generation })
    const [one, two, other, elsewhere] = [
      await make("a", "g"),
      await make("a", "g"),
      await make("b", "g"),
      await make("a", "h"),
    ]
    expect(await keys.disableGeneration("none", null)).toBeNull()
    expect(await keys.disableGeneration("h", "b")).toBeNull()
    await keys.disable((await keys.lookUp(one))!.id)
    expect(await keys.disableGeneration("g", "a")).toBe(1)
    expect(
      await Promise.all([one, two, other, elsewhere].map(async (text) => (await keys.verify(text)) !== null)),
    ).toEqual([false, false, true, true])
    expect(await keys.disableGeneration("g", null)).toBe(1)
    expect(await keys.verify(other)).toBeNull()
    expect(await keys.disableGeneration("g", null)).toBe(0)
  })

  test("count their credits for their maker, even after they are gone", async () => {
    const keys = openKeyStore(db, "")
    const maker = (await keys.lookUp(await keys.create({ role: "search", mayMakeKeys: true })))!
    const make = async (credits: number | null) =>
      (await keys.lookUp(
        await keys.create({
          role: "search",
          madeBy: maker.id,
          creditLimit: credits === null ? null : { credits, per: "month" },
        }),
      ))!
    const [five] = [await make(5), await make(7), await make(null)]
    const handed = (per: "month" | "total" | null) =>
      keys.handedOut({ id: maker.id, creditLimit: per === null ? null : { credits: 100, per } })
    expect([await handed("month"), await handed("total"), await handed(null)]).toEqual([12, 12, 12])
    expect(await keys.delete(five.id)).toBe(true)
    expect(await keys.delete(five.id)).toBe(false)
    expect([await handed("month"), await handed("total"), await handed(null)]).toEqual([7, 12, 12])
    // Credits from earlier months count towards a total limit, but no longer towards a monthly one.
    await statement(
      db,
      "update api_keys set created_at = '2020-01-01T00:00:00.000Z' where credit_limit = 7",
    ).run()
    expect([await handed("month"), await handed("total")]).toEqual([0, 12])
    expect(await keys.handedOut({ id: "nobody", creditLimit: null })).toBe(0)
  })

  test("made by a key are pruned after they expire, except those of this month and the operator's", async () => {
    const keys = openKeyStore(db, "")
    const maker = (await keys.lookUp(await keys.create({ role: "search", mayMakeKeys: true })))!.id
    const day = 86_400_000
    const make = async (name: string, madeBy: string | undefined, createdAt: string, more: object = {}) => {
      const { id } = (await keys.lookUp(
        await keys.create({
          role: "search",
          name,
          ...(madeBy && { madeBy }),
          creditLimit: { credits: 1, per: "total" },
          ...more,
        }),
      ))!
      await statement(db, "update api_keys set created_at = ? where id = ?").run(createdAt, id)
      return id
    }
    const old = "2020-01-01T00:00:00.000Z"
    const expiresAt = new Date(Date.now() - 2 * day)
    await make("over", maker, old, { expiresAt })
    await statement(db, "update api_keys set disabled_at = ? where id = ?").run(
      old,
      await make("disabled", maker, old),
    )
    await make("of this month", maker, new Date().toISOString(), { expiresAt })
    await make("lately over", maker, old, { expiresAt: new Date(Date.now() - day / 2) })
    await make("valid", maker, old)
    await make("the operator's", undefined, old, { expiresAt })
    expect(await keys.prune(Date.now() - day, 1)).toBe(1)
    expect(await keys.prune(Date.now() - day, 10)).toBe(1)
    expect(await keys.prune(Date.now() - day, 10)).toBe(0)
    expect(
      (await keys.list())
        .map(({ name }) => name)
        .filter((name) => name !== "")
        .sort(),
    ).toEqual(["lately over", "of this month", "the operator's", "valid"])
    expect(await keys.handedOut({ id: maker, creditLimit: null })).toBe(5)
  })

  test("are limited per maker, in number and in bytes", async () => {
    const keys = openKeyStore(db, "", 2)
    expect([await keys.hasRoom("a", 2, 0), await keys.hasRoom("a", 3, 0)]).toEqual([true, false])
    await keys.create({ role: "search", madeBy: "a" })
    expect([
      await keys.hasRoom("a", 1, 0),
      await keys.hasRoom("a", 2, 0),
      await keys.hasRoom("b", 2, 0),
    ]).toEqual([true, false, true])
    const { bytes } = await keys.stored.ofKey("a")
    expect(bytes).toBeGreaterThan(0)
    const many = openKeyStore(db, "")
    expect(await many.hasRoom("a", 2, (16_000_000 - bytes) / 2)).toBe(true)
    expect(await many.hasRoom("a", 2, (16_000_000 - bytes) / 2 + 1)).toBe(false)
  })
})
