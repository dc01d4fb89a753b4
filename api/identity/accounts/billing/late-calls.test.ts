import { afterEach, beforeEach, expect, test } from "vitest"

import { PostgresError } from "#base/store/postgres/postgres-error.ts"
import { statement } from "#base/store/testing/statement.ts"
import { type StateStore, transaction } from "#base/store/state-store.ts"
import { temporaryFolder } from "#crawler/testing/crawl-fixture.ts"

import { asContinuing } from "../../../server/outage/continuing.ts"
import { Journal } from "../../../server/outage/journal.ts"
import { memoryState } from "../../../testing/serve-app.ts"
import { CallLog } from "../call-log.ts"
import { apiKey } from "../keys/keys.ts"
import { type AnsweredCall, Billing } from "./billing.ts"
import { Ledger } from "./credit-ledger.ts"
import { type LateCall, LateCalls } from "./late-calls.ts"
import { WriteQueue } from "./write-queue.ts"

const AWAY = new PostgresError({ code: "ECONNREFUSED", message: "" })

let folder: ReturnType<typeof temporaryFolder>
let db: StateStore
let log: CallLog
let ledger: Ledger
/** Whether the state server is away; with `after`, it becomes unreachable once it has done its work. */
let away: "no" | "yes" | "after"
beforeEach(() => {
  folder = temporaryFolder()
  db = memoryState()
  log = new CallLog(db)
  ledger = new Ledger(db, { name: "Ours", credits: null, paygo: 0 }, async () => 0)
  away = "no"
})
afterEach(() => {
  db.close()
  folder[Symbol.dispose]()
})

const outage = {
  get isAway() {
    return away !== "no"
  },
  async ask<T>(load: () => Promise<T>): Promise<T> {
    if (away === "yes") throw AWAY
    const done = await load()
    if (away === "after") throw AWAY
    return done
  },
}
/** The billing of a process that starts with this folder. */
const begun = async (mostWaiting = 10_000) => {
  const late = new LateCalls<AnsweredCall>(db, Journal.open(folder.path))
  const billing = new Billing({
    ledger,
    log,
    writes: new WriteQueue(db),
    keepsQueries: true,
    mostWaiting,
    onWaiting: () => {},
    outage,
    late,
  })
  await billing.recover()
  return billing
}
const callOf = (requestId: string, limit: number | null = 10) => ({
  requestId,
  key: apiKey({
    id: "a key",
    role: "search",
    hint: "wxyz",
    creditLimit: limit === null ? null : { credits: limit, per: "total" },
  }),
  project: "seals",
  endpoint: "search" as const,
  session: "",
  human: "",
})
const answer = async (billing: Billing, requestId: string) =>
  await asContinuing(true, async () => {
    const call = callOf(requestId)
    await billing.reserve(call, { credits: 1 })
    return await billing.settle(
      call,
      { credits: 1 },
      { depth: "basic", seconds: 1, query: `what is ${requestId}?` },
    )
  })
const logged = async () =>
  (await log.list({ limit: 100 }))
    .map(({ requestId, query, credits }) => `${requestId} ${query} ${credits}`)
    .toReversed()
const used = async () => (await ledger.ofKey(callOf("").key, null)).all

test("calls made during an outage are counted after it, in order and once each", async () => {
  const billing = await begun()
  expect(await answer(billing, "before")).toBe(1)
  away = "yes"
  expect(await answer(billing, "first")).toBe(1)
  expect(await answer(billing, "second")).toBe(1)
  expect([billing.waiting, await used()]).toEqual([2, 1])
  away = "no"
  // Waiting calls count against the limit, too.
  for (let calls = 0; calls < 7; calls++) await answer(billing, `after ${calls}`)
  await expect(answer(billing, "one too many")).rejects.toMatchObject({ status: 432 })
  await billing[Symbol.asyncDispose]()
  expect(await used()).toBe(10)
  expect((await logged()).filter((line) => !line.startsWith("after"))).toEqual([
    "before what is before? 1",
    "first what is first? 1",
    "second what is second? 1",
  ])
  expect(await statement(db, "select * from late_calls").all()).toEqual([])
})

test("credits set aside for a call during an outage stay set aside after it", async () => {
  const billing = await begun()
  await answer(billing, "known")
  away = "yes"
  const [under, over] = [callOf("under way"), callOf("over")]
  await asContinuing(true, async () => await billing.reserve(under, { credits: 8 }))
  away = "no"
  await billing.reserve(over, { credits: 1 })
  await expect(billing.reserve(callOf("one too many"), { credits: 1 })).rejects.toMatchObject({ status: 432 })
  await billing.release(under)
  await billing.reserve(callOf("one too many"), { credits: 8 })
  await billing[Symbol.asyncDispose]()
})

test("limits hold during an outage, based on the figures from before it", async () => {
  const billing = await begun()
  away = "yes"
  // This process has no figures for a key that it has not admitted.
  await expect(answer(billing, "unknown")).rejects.toMatchObject({ status: 503 })
  away = "no"
  await answer(billing, "known")
  away = "yes"
  for (let calls = 0; calls < 9; calls++) await answer(billing, `during ${calls}`)
  await expect(answer(billing, "one too many")).rejects.toMatchObject({ status: 432 })
  away = "no"
  await billing[Symbol.asyncDispose]()
  expect(await used()).toBe(10)
})

test("a count that landed just before the server went away is not counted again", async () => {
  const billing = await begun()
  await answer(billing, "known")
  const call = callOf("landed")
  await asContinuing(true, async () => {
    await billing.reserve(call, { credits: 1 })
    away = "after"
    await billing.settle(call, { credits: 1 }, { depth: "basic", seconds: 1 })
  })
  expect([billing.waiting, await used()]).toEqual([1, 2])
  away = "no"
  await billing[Symbol.asyncDispose]()
  expect(await used()).toBe(2)
  expect(await logged()).toHaveLength(2)
})

test("the next process counts the calls that a killed one left, and none twice", async () => {
  const killed = await begun()
  await answer(killed, "known")
  away = "yes"
  await answer(killed, "first")
  await answer(killed, "second")
  // The process has counted the first call when it is killed, and its journal is unchanged.
  const journals = Journal.open(folder.path)
  expect(journals.map(({ left }) => left)).toEqual([[]])
  for (const one of journals) await one[Symbol.asyncDispose]()
  await killed[Symbol.asyncDispose]()
  away = "no"
  const journal = new LateCalls<AnsweredCall>(db, Journal.open(folder.path))
  const [first, second] = journal.left
  const counting = async () =>
    await transaction(db, async () => {
      await journal.count([first!], async ({ call, cost, at }) => await ledger.settle(call, cost, at))
    })
  await counting()
  await counting()
  expect(await used()).toBe(2)
  expect(second!.call.call.requestId).toBe("second")
  await journal[Symbol.asyncDispose]()

  const next = await begun()
  expect([next.waiting, await used()]).toEqual([0, 3])
  expect(await logged()).toEqual(["known what is known? 1", "second what is second? 1"])
  await next[Symbol.asyncDispose]()
  const [empty] = Journal.open(folder.path)
  expect(empty.left).toEqual([])
  await empty[Symbol.asyncDispose]()
})

test("if one call cannot be counted, none of its batch is", async () => {
  const [journal] = Journal.open(folder.path)
  const late = new LateCalls<{ n: number }>(db, [journal])
  const calls: LateCall<{ n: number }>[] = []
  for (let n = 0; n < 3; n++) calls.push({ ...(await late.add({ n })), call: { n } })
  const written: number[] = []
  const count = (fails: boolean) =>
    transaction(db, async () => {
      await late.count(calls, async ({ n }) => {
        if (fails && n === 1) throw new Error("no")
        written.push(n)
      })
    })
  await expect(count(true)).rejects.toThrow("no")
  written.length = 0
  await count(false)
  expect(written).toEqual([0, 1, 2])
  await late[Symbol.asyncDispose]()
})

test("calls are refused once too many wait, or if none can be kept", async () => {
  const billing = await begun(20)
  await answer(billing, "known")
  away = "yes"
  await answer(billing, "first")
  await answer(billing, "second")
  // A key may have a tenth of the total.
  await expect(answer(billing, "third")).rejects.toMatchObject({
    status: 503,
    headers: { "Retry-After": "5" },
  })
  expect(billing.waiting).toBe(2)
  const other = callOf("of nobody's call that continues")
  await expect(billing.settle(other, { credits: 1 }, { depth: "basic", seconds: 1 })).rejects.toBe(AWAY)
  away = "no"
  await billing[Symbol.asyncDispose]()
  expect(await used()).toBe(3)
})
