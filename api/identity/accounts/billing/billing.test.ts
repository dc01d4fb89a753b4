import { afterEach, beforeEach, expect, test, vi } from "vitest"

import { type StateStore, transaction } from "#base/store/state-store.ts"
import { emptyState } from "#base/store/testing/empty-state.ts"

import { CallLog } from "../call-log.ts"
import { apiKey } from "../keys/keys.ts"
import { NO_OUTAGE } from "../../../server/outage/state-outage.ts"
import { Billing } from "./billing.ts"
import { Ledger } from "./credit-ledger.ts"
import type { WriteQueue } from "./write-queue.ts"

// Tests writes that wait for room on the disk, and when they are retried. full-disk.test.ts tests SQLite's errors on a
// full disk.

const key = apiKey({ id: "abc", role: "search" })
const limited = apiKey({ id: "def", role: "search", creditLimit: { credits: 2, per: "month" } })
const NO_ROOM = Object.assign(new Error("no room"), { code: "ENOSPC" })
let db: StateStore
/** The error that every write fails with; null if writes succeed. */
let refusing: Error | null
let log: CallLog
let billing: Billing
/** The reported counts of waiting calls. */
let told: (readonly [calls: number, areLost: boolean])[]
/** The size of each batch in which calls were counted. */
let counted: number[]
/** How often a write was attempted. */
let writes: number

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] })
  db = emptyState()
  refusing = null
  writes = 0
  log = new CallLog(db)
  told = []
  counted = []
  const runNow = async <T>(work: () => Promise<T>): Promise<T> => {
    writes += 1
    if (refusing !== null) throw refusing
    const before = (await log.stored.all()).entries
    const done = await transaction(db, work)
    counted.push((await log.stored.all()).entries - before)
    return done
  }
  billing = new Billing({
    ledger: new Ledger(db, { name: "Ours", credits: null, paygo: 0 }, async () => 0),
    log,
    writes: {
      run: (work: () => Promise<unknown>) => runNow(work),
      runNow,
    } as unknown as WriteQueue,
    keepsQueries: true,
    outage: NO_OUTAGE,
    late: null,
    mostWaiting: 10_000,
    onWaiting: (...waiting) => told.push(waiting),
  })
})
afterEach(async () => {
  await billing[Symbol.asyncDispose]()
  vi.useRealTimers()
  db.close()
})

let calls = 0
const callOf = (requestId: string, of = key) => ({
  requestId,
  key: of,
  project: "",
  endpoint: "search" as const,
  session: "",
  human: "",
})
const SERVED = { depth: "basic", seconds: 0.1 }
const settle = (query?: string) => {
  calls += 1
  return billing.settle(callOf(`r${calls}`), { credits: 1 }, { ...SERVED, query })
}
const reserve = (requestId: string, of = limited) => billing.reserve({ requestId, key: of }, { credits: 1 })
const PASSED = expect.objectContaining({ status: 432 })

test("calls wait for disk space, which is reported once, and are counted within two seconds of it being available", async () => {
  expect([await settle(), billing.waiting, vi.getTimerCount()]).toEqual([1, 0, 0])
  refusing = NO_ROOM
  for (let more = 0; more < 3; more++) expect(await settle("q".repeat(2000))).toBe(1)
  expect([billing.waiting, told, vi.getTimerCount()]).toEqual([3, [[1, false]], 1])
  await vi.advanceTimersByTimeAsync(10_000)
  expect([billing.waiting, told.length]).toEqual([3, 1])
  refusing = null
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
  // Only the beginning of a question is kept while its call is waiting in memory.
  expect((await log.list({ limit: 9 })).map(({ query }) => query?.length ?? 0)).toEqual([1000, 1000, 1000, 0])
  // When calls have to wait again, they are reported again.
  refusing = NO_ROOM
  await settle()
  expect([told.at(-1), vi.getTimerCount()]).toEqual([[1, false], 1])
})

test("waiting calls are counted two hundred at a time", async () => {
  refusing = NO_ROOM
  for (let more = 0; more < 401; more++) await settle()
  refusing = null
  await vi.advanceTimersByTimeAsync(2000)
  expect([counted, billing.waiting]).toEqual([[200, 200, 1], 0])
})

test("waiting calls do not keep a process from exiting", async () => {
  vi.useRealTimers()
  refusing = NO_ROOM
  const set = vi.spyOn(globalThis, "setInterval")
  await settle()
  expect(set.mock.results[0]?.value.hasRef()).toBe(false)
  set.mockRestore()
})

test("waiting calls are counted at the end, or reported as lost", async () => {
  refusing = NO_ROOM
  await settle()
  await settle()
  await billing[Symbol.asyncDispose]()
  expect([told.at(-1), vi.getTimerCount()]).toEqual([[2, true], 0])
  refusing = null
  await billing[Symbol.asyncDispose]()
  expect([told.at(-1), (await log.list({ limit: 9 })).length, billing.waiting]).toEqual([[0, false], 2, 0])
})

test("calls being counted at the end are counted once", async () => {
  refusing = NO_ROOM
  await settle()
  refusing = null
  vi.advanceTimersByTime(2000)
  await billing[Symbol.asyncDispose]()
  expect([(await log.list({ limit: 9 })).length, billing.waiting]).toEqual([1, 0])
})

test("without disk space, a limit counts reservations in memory until they are released or settled", async () => {
  refusing = NO_ROOM
  await reserve("a")
  await reserve("b")
  await expect(reserve("c")).rejects.toEqual(PASSED)
  // Credits reserved in the file are not released now; those in memory are.
  await expect(billing.release({ requestId: "b", key: limited })).rejects.toBe(NO_ROOM)
  await reserve("c")
  await expect(reserve("d")).rejects.toEqual(PASSED)

  refusing = null
  await billing.settle(callOf("a", limited), { credits: 1 }, SERVED)
  await billing.settle(callOf("c", limited), { credits: 0 }, SERVED)
  refusing = NO_ROOM
  // One of the two credits has been used, and none is reserved any more.
  await reserve("e")
  await expect(reserve("f")).rejects.toEqual(PASSED)
})

test("with a full disk, simultaneous calls can't exceed the limit together", async () => {
  refusing = NO_ROOM
  const ends = await Promise.allSettled(["a", "b", "c"].map((id) => reserve(id)))
  expect(ends.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "rejected"])
})

test("when there is space again, waiting calls are counted before a limit is checked", async () => {
  refusing = NO_ROOM
  for (const id of ["a", "b"]) {
    await reserve(id)
    await billing.settle(callOf(id, limited), { credits: 1 }, SERVED)
  }
  refusing = null
  await expect(reserve("c")).rejects.toEqual(PASSED)
  expect([billing.waiting, vi.getTimerCount()]).toEqual([0, 0])
})

test("a repeated reservation for one call, as after a restart, counts once", async () => {
  for (const id of ["a", "a", "b"]) await reserve(id)
  await expect(reserve("c")).rejects.toEqual(PASSED)
})

test("a key without a limit reserves and releases nothing, so nothing is written", async () => {
  await reserve("a", key)
  await billing.release({ requestId: "a", key })
  expect(writes).toBe(0)
})

test("when no more calls can wait, the next is refused before it starts", async () => {
  refusing = NO_ROOM
  expect(billing.mostWaiting).toBe(10_000)
  for (let more = 0; more < 1000; more++) await settle()
  await expect(reserve("a", key)).rejects.toEqual(expect.objectContaining({ status: 503 }))
  await reserve("b")
})

test("other errors, and data that must be stored with the call, do not count as lack of space", async () => {
  refusing = new Error("the store is broken")
  await expect(reserve("a")).rejects.toBe(refusing)
  await expect(settle()).rejects.toBe(refusing)
  refusing = NO_ROOM
  await expect(billing.settle(callOf("b"), { credits: 1 }, SERVED, async () => {})).rejects.toBe(NO_ROOM)
  expect([billing.waiting, told]).toEqual([0, []])
})
