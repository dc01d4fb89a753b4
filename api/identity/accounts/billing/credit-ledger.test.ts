import { mkdtempSync, rmSync } from "node:fs"
import { hostname, tmpdir } from "node:os"
import { join } from "node:path"

import { afterEach, beforeEach, describe, expect, test, vi } from "vitest"

import { openStateStore, type StateStore } from "#base/store/state-store.ts"

import { type ApiKey, apiKey, type CreditLimit } from "../keys/keys.ts"
import { Ledger, MOST_PROJECTS, type Plan } from "./credit-ledger.ts"

const NO_PLAN: Plan = { name: "Ours", credits: null, paygo: 0 }
const HOUR = 3_600_000

let dir: string
let db: StateStore
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2026, 0, 31, 12) })
  dir = mkdtempSync(join(tmpdir(), "fossick-ledger-"))
  db = openStateStore(dir)
})
afterEach(() => {
  vi.useRealTimers()
  db.close()
  rmSync(dir, { recursive: true })
})

const open = (plan: Partial<Plan> = {}, handedOut = 0) =>
  new Ledger(db, { ...NO_PLAN, ...plan }, () => handedOut)
const keyOf = (credits: number | null, per: CreditLimit["per"] = "month", more: Partial<ApiKey> = {}) =>
  apiKey({ id: "abc", role: "search", creditLimit: credits === null ? null : { credits, per }, ...more })
let calls = 0
const call = (key: ApiKey, project = "") => ({
  requestId: `r${(calls += 1)}`,
  key,
  project,
  endpoint: "search" as const,
})

describe("a limit", () => {
  test("holds to the credit, with what is set aside, and what is given back may be used again", () => {
    const ledger = open()
    const key = keyOf(3)
    const [one, two, three] = [call(key), call(key), call(key)]
    expect([ledger.hold(one, { credits: 2 }), ledger.hold(two, { credits: 2 })]).toEqual([null, "key"])
    expect(ledger.left(key)).toBe(1)
    expect(ledger.hold(three, { credits: 1 })).toBeNull()
    expect(ledger.left(key)).toBe(0)
    ledger.release(one.requestId)
    expect(ledger.left(key)).toBe(2)
    expect(ledger.settle(three, { credits: 1 })).toBe(1)
    expect(ledger.left(key)).toBe(2)
    expect(ledger.refusal(key, 2, { key: 0, account: 0 })).toBeNull()
    expect(ledger.refusal(key, 3, { key: 0, account: 0 })).toBe("key")
    expect(ledger.refusal(key, 2, { key: 1, account: 0 })).toBe("key")
    // What can cost nothing passes none, even where nothing is left.
    expect(ledger.hold(call(key), { credits: 2 })).toBeNull()
    expect(ledger.hold(call(key), {})).toBeNull()
  })

  test("by the month begins anew with it, one in all does not", () => {
    const ledger = open()
    const [monthly, total] = [keyOf(2), { ...keyOf(2, "total"), id: "def" }]
    for (const key of [monthly, total]) ledger.settle(call(key), { credits: 2 })
    expect([ledger.left(monthly), ledger.left(total)]).toEqual([0, 0])
    vi.setSystemTime(Date.UTC(2026, 1, 1, 0))
    expect([ledger.left(monthly), ledger.left(total)]).toEqual([2, 0])
    expect([ledger.ofKey(monthly, null).all, ledger.ofKey(total, null).all]).toEqual([0, 2])
    // As the plan's does.
    const ofPlan = open({ credits: 5 })
    expect(ofPlan.refusal(keyOf(null), 5, { key: 0, account: 0 })).toBeNull()
    expect(ofPlan.refusal(keyOf(null), 6, { key: 0, account: 0 })).toBe("plan")
    ledger.settle(call(monthly), { credits: 1 })
    expect(ledger.monthsOf("abc")).toEqual([
      { month: "2026-02", credits: 1 },
      { month: "2026-01", credits: 2 },
    ])
  })

  test("of the plan is that of all keys, and what may be used beyond it is told apart", () => {
    const [one, two] = [keyOf(null), { ...keyOf(null), id: "def" }]
    const plain = open({ credits: 3 })
    expect(plain.hold(call(one), { credits: 2 })).toBeNull()
    expect(plain.hold(call(two), { credits: 2 })).toBe("plan")
    expect(plain.hold(call(two), { credits: 1 })).toBeNull()
    const paid = open({ credits: 3, paygo: 2 })
    expect(paid.hold(call(two), { credits: 3 })).toBe("paygo")
    expect(paid.hold(call(two), { credits: 2 })).toBeNull()
    expect(paid.left(one)).toBe(Infinity)
    // Of ten five are set aside by now, and some more are in use that the ledger does not know of.
    expect(open({ credits: 10 }).refusal(two, 2, { key: 9, account: 3 })).toBeNull()
    expect(open({ credits: 10 }).refusal(two, 2, { key: 9, account: 4 })).toBe("plan")
    // The key's own limit is told first.
    expect(paid.hold(call(keyOf(0)), { credits: 5 })).toBe("key")
  })

  test("is none of a key and a plan that have none", () => {
    expect([open().isLimited(keyOf(null)), open().isLimited(keyOf(0))]).toEqual([false, true])
    expect(open({ credits: 0 }).isLimited(keyOf(null))).toBe(true)
    expect(open().hold(call(keyOf(null)), { credits: 1_000_000 })).toBeNull()
  })

  test("is less by what a key handed out to those it made, if it may make any", () => {
    const ledger = open({}, 4)
    expect(ledger.left(keyOf(10, "month", { mayMakeKeys: true }))).toBe(6)
    expect(ledger.left(keyOf(10))).toBe(10)
  })
})

describe("pages", () => {
  test("run on across calls, and fall due by the block", () => {
    const ledger = open()
    const key = keyOf(2)
    const extract = (pages: number) => ({ pages: { "extract-basic": pages } })
    expect(ledger.due(key, extract(5))).toBe(1)
    expect(ledger.settle(call(key), extract(3))).toBe(0)
    expect([1, 2].map((pages) => ledger.due(key, extract(pages)))).toEqual([0, 1])
    expect([1, 1, 4, 1].map((pages) => ledger.settle(call(key), extract(pages)))).toEqual([0, 1, 0, 1])
    expect(ledger.left(key)).toBe(0)
    // Four more cost nothing yet, a fifth would.
    expect(ledger.hold(call(key), extract(4))).toBeNull()
    expect(ledger.hold(call(key), extract(1))).toBe("key")
    expect(ledger.due(key, { credits: 2, pages: { "extract-basic": 5, map: 9 } })).toBe(3)
    expect(ledger.due({ ...key, id: "def" }, extract(4))).toBe(0)
  })

  test("that are set aside fill the block that counted ones began", () => {
    const ledger = open()
    const key = keyOf(2)
    ledger.settle(call(key), { pages: { map: 9 } })
    expect(ledger.hold(call(key), { pages: { map: 1 } })).toBeNull()
    expect(ledger.left(key)).toBe(1)
  })
})

describe("what was used", () => {
  test("is told by endpoint and by project, of a key and of all", () => {
    const ledger = open()
    const [one, two] = [keyOf(null), { ...keyOf(null), id: "def" }]
    ledger.settle(call(one, "pumps"), { credits: 1 })
    ledger.settle({ ...call(one), endpoint: "crawl" }, { credits: 5 })
    ledger.settle(call(two, "pumps"), { credits: 2 })
    ledger.settle(call(two, "pumps"), {})
    expect(ledger.ofKey(one, null)).toEqual({ all: 6, byEndpoint: { search: 1, crawl: 5 } })
    expect(ledger.ofKey(one, "pumps")).toEqual({ all: 1, byEndpoint: { search: 1 } })
    expect(ledger.ofAccount(null)).toEqual({ all: 8, byEndpoint: { search: 3, crawl: 5 } })
    expect(ledger.ofAccount("pumps").all).toBe(3)
    expect(ledger.ofAccount("seals")).toEqual({ all: 0, byEndpoint: {} })
    // A key whose calls all cost nothing used nothing in any month.
    ledger.settle(call({ ...one, id: "free" }), {})
    expect(ledger.monthsOf("free")).toEqual([])
  })

  test("is counted for so many projects of a key in a month, and no more", () => {
    const ledger = open()
    const key = keyOf(null)
    for (let at = 0; at < MOST_PROJECTS - 1; at++) ledger.settle(call(key, `p${at}`), {})
    ledger.settle(call(key), {})
    expect(ledger.mayName("abc", "new")).toBe(true)
    ledger.settle(call(key, "last"), {})
    expect([ledger.mayName("abc", "new"), ledger.mayName("abc", "p7"), ledger.mayName("def", "new")]).toEqual(
      [false, true, true],
    )
    vi.setSystemTime(Date.UTC(2026, 1, 1))
    expect(ledger.mayName("abc", "new")).toBe(true)
  })
})

describe("what a lost process set aside", () => {
  const DEAD = 2 ** 22 + 1
  const holds = () =>
    db
      .prepare("select request_id from credit_hold order by 1")
      .all()
      .map((row) => row["request_id"])

  test("comes back with the next start on its machine, and that of others by itself", () => {
    const ledger = open()
    const key = keyOf(100)
    const put = db.prepare("insert into credit_hold values (?, '', 'abc', 1, ?, ?, ?)")
    const until = Date.now() + HOUR / 2
    put.run("dead", until, DEAD, hostname())
    put.run("alive", until, process.ppid, hostname())
    put.run("elsewhere", until, DEAD, "another-machine")
    put.run("over", Date.now() - 1, DEAD, "another-machine")
    put.run("of a clock ahead", Date.now() + 2 * HOUR, process.ppid, "another-machine")
    ledger.hold({ requestId: "own", key }, { credits: 1 })
    ledger.recover()
    expect(holds()).toEqual(["alive", "elsewhere"])
  })

  test("stays while a process of another user lives", () => {
    const ledger = open()
    db.prepare("insert into credit_hold values ('theirs', '', 'abc', 1, ?, 4, ?)").run(
      Date.now() + 1,
      hostname(),
    )
    const kill = vi.spyOn(process, "kill").mockImplementation(() => {
      throw Object.assign(new Error("kill EPERM"), { code: "EPERM" })
    })
    ledger.recover()
    kill.mockRestore()
    expect(holds()).toEqual(["theirs"])
  })

  test("is free again after an hour in any case", () => {
    const ledger = open()
    const key = keyOf(1)
    ledger.hold(call(key), { credits: 1 })
    vi.setSystemTime(Date.now() + HOUR - 1)
    expect(ledger.left(key)).toBe(0)
    vi.setSystemTime(Date.now() + 1)
    expect(ledger.left(key)).toBe(1)
  })
})
