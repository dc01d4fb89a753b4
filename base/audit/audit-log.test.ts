import { expect, test } from "vitest"

import { emptyState } from "#base/store/testing/empty-state.ts"

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

test("what was noted is told as it was, newest first, and in the order of an export", () => {
  using db = emptyState()
  const log = new AuditLog(db, 90)
  const command = change({ who: { kind: "command", id: "root", name: "" }, status: null, address: "" })
  log.note(change(), 1000)
  log.note(command, 2000)
  expect(log.list({}, ALL)).toEqual([
    { ...command, id: 2, at: new Date(2000) },
    { ...change(), id: 1, at: new Date(1000) },
  ])
  expect(log.after(0, {}, 1)).toEqual([{ ...change(), id: 1, at: new Date(1000) }])
  expect(log.after(1, {}, 10).map(({ id }) => id)).toEqual([2])
  expect(log.list({}, { limit: 1, offset: 1 }).map(({ id }) => id)).toEqual([1])
  expect(log.days).toBe(90)
  expect(db.prepare("select part from schema_version order by part limit 1").all()).toEqual([
    { part: "audit" },
  ])
})

test("entries are found by their time, by who it was, by what was changed and how", () => {
  using db = emptyState()
  const log = new AuditLog(db, 90)
  log.note(change(), 1000)
  log.note(
    change({
      who: { kind: "session", id: "k2", name: "Ada" },
      action: "DELETE /keys/{id}",
      object: "keys/k9",
    }),
    2000,
  )
  log.note(change({ object: "sources/docs-old" }), 3000)
  const found = (filter: Parameters<AuditLog["list"]>[0]) => {
    const ids = log.list(filter, ALL).map(({ id }) => id)
    expect(log.count(filter)).toBe(ids.length)
    expect(log.after(0, filter, 1000).map(({ id }) => id)).toEqual(ids.toReversed())
    return ids
  }
  expect(found({})).toEqual([3, 2, 1])
  expect(found({ from: 2000 })).toEqual([3, 2])
  expect(found({ before: 2000 })).toEqual([1])
  expect(found({ from: 1001, before: 3000 })).toEqual([2])
  expect(found({ who: "k2" })).toEqual([2])
  expect(found({ who: "Ada" })).toEqual([2])
  expect(found({ who: "ada" })).toEqual([])
  expect(found({ object: "sources/docs" })).toEqual([3, 1])
  expect(found({ object: "docs" })).toEqual([])
  expect(found({ action: "delete" })).toEqual([2])
  expect(found({ action: "/KEYS" })).toEqual([2])
  expect(found({ who: "ops", action: "put", object: "sources/docs-", from: 0, before: 9000 })).toEqual([3])
})

test("long names are cut, each at its bound", () => {
  using db = emptyState()
  const log = new AuditLog(db, 90)
  const long = "x".repeat(1000)
  log.note(change({ who: { kind: "key", id: long, name: long }, action: long, object: long, address: long }))
  const [entry] = log.list({}, ALL)
  expect(
    [entry!.who.id, entry!.who.name, entry!.action, entry!.object, entry!.address].map(
      ({ length }) => length,
    ),
  ).toEqual([100, 100, 200, 300, 100])
  expect(Math.abs(entry!.at.getTime() - Date.now())).toBeLessThan(3_600_000)
})

// A server does not count on from ids that are set by hand.
test.skipIf(process.env["FOSSICK_STATE"])(
  "100,000 stay: a process sees to it with its first entry, and with each 500th after that",
  () => {
    using db = emptyState()
    const ids = () => log.after(0, {}, 1000).map(({ id }) => id)
    const log = new AuditLog(db, 90)
    log.note(change())
    for (let i = 0; i < 498; i++) log.note(change())
    // As if others had written that many in between.
    db.exec("update audit_entry set id = 199999 where id = 499")
    log.note(change())
    expect(log.count({})).toBe(500)
    db.exec("delete from audit_entry where id = 199999")
    log.note(change())
    expect(ids()).toEqual([200_000, 200_001])
    db.exec("update audit_entry set id = 100002 where id = 200000")
    db.exec(
      "insert into audit_entry select 100003, at, who_kind, who_id, who_name, action, object, status, changes, address from audit_entry limit 1",
    )
    new AuditLog(db, 90).note(change())
    expect(ids()).toEqual([100_003, 200_001, 200_002])
  },
)

test("what is too old is forgotten, the oldest first, as many as are asked for", () => {
  using db = emptyState()
  const log = new AuditLog(db, 90)
  for (const at of [1000, 2000, 3000]) log.note(change(), at)
  expect(log.prune(3000, 1)).toBe(1)
  expect(log.list({}, ALL).map(({ id }) => id)).toEqual([3, 2])
  expect([log.prune(3000, 10), log.prune(3000, 10)]).toEqual([1, 0])
  expect(log.count({})).toBe(1)
})
