import { DatabaseSync } from "node:sqlite"

import { afterEach, beforeEach, expect, test, vi } from "vitest"

import { PostgresStore } from "#base/store/postgres/postgres-store.ts"
import { hasTable } from "#base/store/rows/tables.ts"
import { SqliteStore } from "#base/store/sqlite/sqlite-store.ts"
import { migrate, SCHEMA_VERSION } from "#base/store/state-store.ts"

import { hasTalked, keepOutbound, noteOutbound, writeOutbound } from "./outbound.ts"
import { OutboundLedger } from "./outbound-ledger.ts"

const ALL = { limit: 100_000, offset: 0 }

function emptyState(): SqliteStore {
  const file = new DatabaseSync(":memory:")
  file.exec(SCHEMA_VERSION)
  return new SqliteStore(file)
}

// Discards the hosts that this process contacted earlier.
beforeEach(async () => {
  using db = emptyState()
  await writeOutbound(db)
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

test("hosts are stored with their purpose, first and last contact and count, across several processes' writes", async () => {
  using db = emptyState()
  const keeping = keepOutbound(db)
  noteOutbound("crawl", "docs.example", 10)
  noteOutbound("crawl", "docs.example", 20)
  noteOutbound("webhook", "docs.example", 15)
  await writeOutbound(db)
  expect(hasTalked()).toBe(false)
  noteOutbound("crawl", "docs.example", 30)
  await keeping[Symbol.asyncDispose]()
  const ledger = new OutboundLedger(db)
  expect(await ledger.list(ALL)).toEqual([
    { purpose: "crawl", host: "docs.example", first: 10, last: 30, count: 3 },
    { purpose: "webhook", host: "docs.example", first: 15, last: 15, count: 1 },
  ])
  expect(await ledger.list(ALL, "webhook")).toHaveLength(1)
  expect(await ledger.count("mail")).toBe(0)
})

test("10,000 hosts are kept, those contacted last", async () => {
  using db = emptyState()
  const ledger = new OutboundLedger(db)
  const hosts = Array.from({ length: 10_050 }, (_, at) => ({
    purpose: "crawl" as const,
    host: `host-${at}.example`,
    first: at,
    last: at,
    count: 1,
  }))
  await ledger.add(hosts)
  expect(await ledger.count()).toBe(10_000)
  expect(await ledger.list({ limit: 1, offset: 9999 })).toMatchObject([{ host: "host-50.example" }])
})

test("a host name is stored with its port, up to the maximum length", async () => {
  using db = emptyState()
  const host = `${"long.".repeat(60)}example:8443`
  noteOutbound("crawl", host)
  await writeOutbound(db)
  expect(await new OutboundLedger(db).list(ALL)).toMatchObject([{ host: host.slice(0, 260) }])
})

test("hosts are written every five seconds, without keeping the process alive, and no more after the end", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] })
  const timers = vi.spyOn(globalThis, "setInterval")
  using db = emptyState()
  const keeping = keepOutbound(db)
  expect(timers.mock.results.map(({ value }) => value.hasRef())).toEqual([false])
  vi.advanceTimersByTime(5000)
  // A process without connections writes nothing.
  expect(await hasTable(db, "outbound_host")).toBe(false)
  noteOutbound("crawl", "docs.example")
  vi.advanceTimersByTime(4999)
  expect(hasTalked()).toBe(true)
  await vi.advanceTimersByTimeAsync(1)
  expect([hasTalked(), await new OutboundLedger(db).count()]).toEqual([false, 1])
  await keeping[Symbol.asyncDispose]()
  expect(vi.getTimerCount()).toBe(0)
})

test("the server that holds the state is recorded too", async () => {
  // The store only pretends to be on a server.
  const store = Object.assign(Object.create(PostgresStore.prototype) as object, { host: "db.example:5433" })
  await keepOutbound(store as PostgresStore)[Symbol.asyncDispose]()
  using db = emptyState()
  await writeOutbound(db)
  expect(await new OutboundLedger(db).list(ALL)).toMatchObject([
    { purpose: "state", host: "db.example:5433", count: 1 },
  ])
})

test("a ledger that a newer version wrote is left alone, and named", async () => {
  using db = emptyState()
  migrate(db, "outbound", [() => "select 1", () => "select 2"])
  await expect(new OutboundLedger(db).count()).rejects.toThrow(
    /newer Fossick \(outbound 2, this one knows 1\)/,
  )
})

test("a failed write is retried later, and what waits is limited", async () => {
  using db = emptyState()
  const ledger = new OutboundLedger(db)
  for (let at = 0; at < 6000; at += 1) noteOutbound("live", `host-${at}.example`, at)
  await db.script("pragma query_only = on")
  await writeOutbound(db)
  expect(hasTalked()).toBe(true)
  await db.script("pragma query_only = off")
  await writeOutbound(db)
  expect(await ledger.count()).toBe(5000)
  expect(hasTalked()).toBe(false)
})
