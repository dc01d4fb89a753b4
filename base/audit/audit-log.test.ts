import { expect, test } from "vitest"

import { emptyState } from "#base/store/testing/empty-state.ts"
import { statement } from "../store/testing/statement.ts"

import { AuditLog, type Change } from "./audit-log.ts"

const ALL = { limit: 1000, offset: 0 }

const change = (more: Partial<Change> = {}): Change => ({
  who: { kind: "key", id: "k1", name: "ops" },
  action: "PUT /admin/sources/{name}",
  object: "sources/docs",
  status: 200,
  changes: [{ field: "paused", before: null, after: "true" }],
  address: "192.0.2.7",
  ...more,
})

test("entries are returned unchanged, newest first, or in export order", async () => {
  using db = emptyState()
  const log = new AuditLog(db, 90)
  const command = change({ who: { kind: "command", id: "root", name: "" }, status: null, address: "" })
  await log.note(change(), 1000)
  await log.note(command, 2000)
  expect(await log.list({}, ALL)).toEqual([
    { ...command, id: 2, at: new Date(2000) },
    { ...change(), id: 1, at: new Date(1000) },
  ])
  expect(await log.after(0, {}, 1)).toEqual([{ ...change(), id: 1, at: new Date(1000) }])
  expect((await log.after(1, {}, 10)).map(({ id }) => id)).toEqual([2])
  expect((await log.list({}, { limit: 1, offset: 1 })).map(({ id }) => id)).toEqual([1])
  expect(log.days).toBe(90)
  expect(await statement(db, "select part from schema_version order by part limit 1").all()).toEqual([
    { part: "audit" },
  ])
})

test("entries are found by time, by actor, by what was changed and how", async () => {
  using db = emptyState()
  const log = new AuditLog(db, 90)
  await log.note(change(), 1000)
  await log.note(
    change({
      who: { kind: "session", id: "k2", name: "Ada" },
      action: "DELETE /keys/{id}",
      object: "keys/k9",
    }),
    2000,
  )
  await log.note(change({ object: "sources/docs-old" }), 3000)
  const found = async (filter: Parameters<AuditLog["list"]>[0]) => {
    const ids = (await log.list(filter, ALL)).map(({ id }) => id)
    expect(await log.count(filter)).toBe(ids.length)
    expect((await log.after(0, filter, 1000)).map(({ id }) => id)).toEqual(ids.toReversed())
    return ids
  }
  expect(await found({})).toEqual([3, 2, 1])
  expect(await found({ from: 2000 })).toEqual([3, 2])
  expect(await found({ before: 2000 })).toEqual([1])
  expect(await found({ from: 1001, before: 3000 })).toEqual([2])
  expect(await found({ who: "k2" })).toEqual([2])
  expect(await found({ who: "Ada" })).toEqual([2])
  expect(await found({ who: "ada" })).toEqual([])
  expect(await found({ object: "sources/docs" })).toEqual([3, 1])
  expect(await found({ object: "docs" })).toEqual([])
  expect(await found({ action: "delete" })).toEqual([2])
  expect(await found({ action: "/KEYS" })).toEqual([2])
  expect(await found({ who: "ops", action: "put", object: "sources/docs-", from: 0, before: 9000 })).toEqual([
    3,
  ])
})

test("long names are cut to their limits", async () => {
  using db = emptyState()
  const log = new AuditLog(db, 90)
  const long = "x".repeat(1000)
  await log.note(
    change({ who: { kind: "key", id: long, name: long }, action: long, object: long, address: long }),
  )
  const [entry] = await log.list({}, ALL)
  expect(
    [entry!.who.id, entry!.who.name, entry!.action, entry!.object, entry!.address].map(
      ({ length }) => length,
    ),
  ).toEqual([100, 100, 200, 300, 100])
  expect(Math.abs(entry!.at.getTime() - Date.now())).toBeLessThan(3_600_000)
})

test("an actor displaces only their own entries, and each of many keeps a share", async () => {
  using db = emptyState()
  const fill = async (who: string, count: number) => {
    await statement(
      db,
      `insert into audit_entry (at, who_kind, who_id, who_name, action, object, status, changes, address)
       with recursive n(i) as (select 1 union all select i + 1 from n where i < ?)
       select i, 'key', ?, '', 'PUT', '', 200, '[]', '' from n`,
    ).run(count, who)
  }
  const kept = () => Promise.all(["quiet", "loud", "a", "b", "c", "d", "e"].map((who) => log.count({ who })))
  const log = new AuditLog(db, 90)
  await fill("quiet", 40)
  await fill("loud", 99_970)
  // A process trims the log with its first entry, and with every 500th entry after that.
  await log.note(change({ who: { kind: "key", id: "loud", name: "" } }))
  expect(await kept()).toEqual([40, 20_000, 0, 0, 0, 0, 0])
  expect((await log.after(0, { who: "loud" }, 1))[0]!.at).toEqual(new Date(79_972))
  for (const who of ["a", "b", "c", "d", "e"]) await fill(who, 20_000)
  for (let i = 0; i < 500; i++) await log.note(change({ who: { kind: "key", id: "quiet", name: "" } }))
  expect(await kept()).toEqual([540, ...Array.from({ length: 6 }, () => 16_576)])
})

test("a key is found by name if a call changed several", async () => {
  using db = emptyState()
  const log = new AuditLog(db, 90)
  const made = (id: string) => ({ field: `keys/${id}`, before: null, after: '"chat"' })
  await log.note(change({ object: "keys", changes: [made("k1"), made("k22")] }))
  await log.note(change({ object: "keys/k3", changes: [{ field: "keys", before: null, after: "keys/k1" }] }))
  const found = async (object: string) => (await log.list({ object }, ALL)).map(({ id }) => id)
  expect(await found("keys/k2")).toEqual([1])
  expect(await found("keys/k1")).toEqual([1])
  expect(await found("keys/k3")).toEqual([2])
  expect(await found("keys")).toEqual([2, 1])
})

test("expired entries are deleted, oldest first, up to the given number", async () => {
  using db = emptyState()
  const log = new AuditLog(db, 90)
  for (const at of [1000, 2000, 3000]) await log.note(change(), at)
  expect(await log.prune(3000, 1)).toBe(1)
  expect((await log.list({}, ALL)).map(({ id }) => id)).toEqual([3, 2])
  expect([await log.prune(3000, 10), await log.prune(3000, 10)]).toEqual([1, 0])
  expect(await log.count({})).toBe(1)
})
