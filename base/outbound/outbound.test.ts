import { DatabaseSync } from "node:sqlite"

import { expect, test } from "vitest"

import { hasTalked, keepOutbound, noteOutbound, writeOutbound } from "./outbound.ts"
import { OutboundLedger } from "./outbound-ledger.ts"

const ALL = { limit: 100_000, offset: 0 }

function emptyState(): DatabaseSync {
  const db = new DatabaseSync(":memory:")
  db.exec("create table schema_version (part text primary key, version integer not null) strict")
  return db
}

test("hosts are kept with what for, since when, when last and how often, over several processes' writes", () => {
  using db = emptyState()
  const keeping = keepOutbound(db)
  noteOutbound("crawl", "docs.example", 10)
  noteOutbound("crawl", "docs.example", 20)
  noteOutbound("webhook", "docs.example", 15)
  writeOutbound(db)
  expect(hasTalked()).toBe(false)
  noteOutbound("crawl", "docs.example", 30)
  keeping[Symbol.dispose]()
  const ledger = new OutboundLedger(db)
  expect(ledger.list(ALL)).toEqual([
    { purpose: "crawl", host: "docs.example", first: 10, last: 30, count: 3 },
    { purpose: "webhook", host: "docs.example", first: 15, last: 15, count: 1 },
  ])
  expect(ledger.list(ALL, "webhook")).toHaveLength(1)
  expect(ledger.count("mail")).toBe(0)
})

test("10,000 are kept, those that were talked to last", () => {
  using db = emptyState()
  const ledger = new OutboundLedger(db)
  const hosts = Array.from({ length: 10_050 }, (_, at) => ({
    purpose: "crawl" as const,
    host: `host-${at}.example`,
    first: at,
    last: at,
    count: 1,
  }))
  ledger.add(hosts)
  expect(ledger.count()).toBe(10_000)
  expect(ledger.list({ limit: 1, offset: 9999 })).toMatchObject([{ host: "host-50.example" }])
})

test("what cannot be written now is written later, and what waits is bounded", () => {
  using db = emptyState()
  const ledger = new OutboundLedger(db)
  for (let at = 0; at < 6000; at += 1) noteOutbound("live", `host-${at}.example`, at)
  db.exec("begin")
  writeOutbound(db)
  expect(hasTalked()).toBe(true)
  db.exec("rollback")
  writeOutbound(db)
  expect(ledger.count()).toBe(5000)
  expect(hasTalked()).toBe(false)
})
