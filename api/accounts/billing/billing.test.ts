import { afterEach, beforeEach, expect, test, vi } from "vitest"

import { type StateStore, transaction } from "#base/store/state-store.ts"
import { emptyState } from "#base/store/testing/empty-state.ts"

import { CallLog } from "../call-log.ts"
import { apiKey } from "../keys/keys.ts"
import { Billing } from "./billing.ts"
import { Ledger } from "./credit-ledger.ts"
import type { WriteQueue } from "./write-queue.ts"

// What waits for room on the disk, and when it is tried again. What SQLite says on a full disk is in full-disk.test.ts.

const key = apiKey({ id: "abc", role: "search" })
let db: StateStore
let isFull: boolean
let log: CallLog
let billing: Billing
/** What was told of calls that wait. */
let told: (readonly [calls: number, areLost: boolean])[]
/** How many calls were counted at a time. */
let counted: number[]

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] })
  db = emptyState()
  isFull = false
  log = new CallLog(db)
  told = []
  counted = []
  const runNow = <T>(work: () => T): T => {
    if (isFull) throw Object.assign(new Error("no room"), { code: "ENOSPC" })
    const before = log.stored.all().entries
    const done = transaction(db, work)
    counted.push(log.stored.all().entries - before)
    return done
  }
  billing = new Billing({
    ledger: new Ledger(db, { name: "Ours", credits: null, paygo: 0 }, () => 0),
    log,
    writes: { run: async (work: () => unknown) => runNow(work), runNow } as unknown as WriteQueue,
    keepsQueries: true,
    mostWaiting: 10_000,
    onWaiting: (...waiting) => told.push(waiting),
  })
})
afterEach(() => {
  billing[Symbol.dispose]()
  vi.useRealTimers()
  db.close()
})

let calls = 0
const settle = (query?: string) => {
  calls += 1
  const call = {
    requestId: `r${calls}`,
    key,
    project: "",
    endpoint: "search" as const,
    session: "",
    human: "",
  }
  return billing.settle(call, { credits: 1 }, { depth: "basic", seconds: 0.1, query })
}

test("calls wait for room, which is told when the first does, and are counted within two seconds of there being some", async () => {
  expect([await settle(), billing.waiting, vi.getTimerCount()]).toEqual([1, 0, 0])
  isFull = true
  for (let more = 0; more < 3; more++) expect(await settle("q".repeat(2000))).toBe(1)
  expect([billing.waiting, told, vi.getTimerCount()]).toEqual([3, [[1, false]], 1])
  await vi.advanceTimersByTimeAsync(10_000)
  expect([billing.waiting, told.length]).toEqual([3, 1])
  isFull = false
  await vi.advanceTimersByTimeAsync(1999)
  expect(billing.waiting).toBe(3)
  await vi.advanceTimersByTimeAsync(1)
  expect([billing.waiting, told, vi.getTimerCount()]).toEqual([
    0,
    [
      [1, false],
      [0, false],
    ],
    0,
  ])
  // Of a question that waits in memory its beginning is kept.
  expect(log.list({ limit: 9 }).map(({ query }) => query?.length ?? 0)).toEqual([1000, 1000, 1000, 0])
  // And the next time anew.
  isFull = true
  await settle()
  expect([told.at(-1), vi.getTimerCount()]).toEqual([[1, false], 1])
})

test("many that wait are counted two hundred at a time", async () => {
  isFull = true
  for (let more = 0; more < 401; more++) await settle()
  isFull = false
  await vi.advanceTimersByTimeAsync(2000)
  expect([counted, billing.waiting]).toEqual([[200, 200, 1], 0])
})

test("waiting keeps no process from its end", async () => {
  vi.useRealTimers()
  isFull = true
  const set = vi.spyOn(globalThis, "setInterval")
  await settle()
  expect(set.mock.results[0]?.value.hasRef()).toBe(false)
  set.mockRestore()
})

test("at the end what waits is counted, or told to be lost", async () => {
  isFull = true
  await settle()
  await settle()
  billing[Symbol.dispose]()
  expect([told.at(-1), vi.getTimerCount()]).toEqual([[2, true], 0])
  isFull = false
  billing[Symbol.dispose]()
  expect([told.at(-1), log.list({ limit: 9 }).length]).toEqual([[0, false], 2])
})
