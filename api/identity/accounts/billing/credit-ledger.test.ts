import { mkdtempSync, rmSync } from "node:fs"
import { hostname, tmpdir } from "node:os"
import { join } from "node:path"

import { afterEach, beforeEach, describe, expect, test, vi } from "vitest"

import { openStateStore, type StateStore, transaction } from "#base/store/state-store.ts"
import { statement } from "#base/store/testing/statement.ts"

import { type ApiKey, apiKey, type CreditLimit } from "../keys/keys.ts"
import { Ledger, MOST_PROJECTS, type Plan } from "./credit-ledger.ts"

const NO_PLAN: Plan = { name: "Ours", credits: null, paygo: 0 }
const HOUR = 3_600_000

let dir: string
let db: StateStore
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2026, 0, 31, 12) })
  dir = mkdtempSync(join(tmpdir(), "fossick-ledger-"))
  db = await openStateStore(dir)
})
afterEach(() => {
  vi.useRealTimers()
  db.close()
  rmSync(dir, { recursive: true })
})

/** Runs each call in its own transaction, as the write queue does. */
class LedgerInTransactions extends Ledger {
  override async hold(...of: Parameters<Ledger["hold"]>) {
    return await transaction(db, () => super.hold(...of))
  }

  override async settle(...of: Parameters<Ledger["settle"]>) {
    return await transaction(db, () => super.settle(...of))
  }
}

const open = (plan: Partial<Plan> = {}, handedOut = 0) =>
  new LedgerInTransactions(db, { ...NO_PLAN, ...plan }, async () => handedOut)
const keyOf = (credits: number | null, per: CreditLimit["per"] = "month", more: Partial<ApiKey> = {}) =>
  apiKey({ id: "abc", role: "search", creditLimit: credits === null ? null : { credits, per }, ...more })
let calls = 0
const call = (key: ApiKey, project = "") => ({
  requestId: `r${(calls += 1)}`,
  key,
  project,
  endpoint: "search" as const,
})

describe("a credit limit", () => {
  test("holds to the credit, including reservations, and released credits can be used again", async () => {
    const ledger = open()
    const key = keyOf(3)
    const [one, two, three] = [call(key), call(key), call(key)]
    expect([await ledger.hold(one, { credits: 2 }), await ledger.hold(two, { credits: 2 })]).toEqual([
      null,
      "key",
    ])
    expect(await ledger.left(key)).toBe(1)
    expect(await ledger.hold(three, { credits: 1 })).toBeNull()
    expect(await ledger.left(key)).toBe(0)
    await ledger.release(one.requestId)
    expect(await ledger.left(key)).toBe(2)
    expect(await ledger.settle(three, { credits: 1 })).toBe(1)
    expect(await ledger.left(key)).toBe(2)
    expect(await ledger.refusal(key, 2, { key: 0, account: 0 })).toBeNull()
    expect(await ledger.refusal(key, 3, { key: 0, account: 0 })).toBe("key")
    expect(await ledger.refusal(key, 2, { key: 1, account: 0 })).toBe("key")
    // A call that cannot cost anything never exceeds a limit, even when no credits are left.
    expect(await ledger.hold(call(key), { credits: 2 })).toBeNull()
    expect(await ledger.hold(call(key), {})).toBeNull()
  })

  test("by the month starts again with it, and a total does not", async () => {
    const ledger = open()
    const [monthly, total] = [keyOf(2), { ...keyOf(2, "total"), id: "def" }]
    for (const key of [monthly, total]) await ledger.settle(call(key), { credits: 2 })
    expect([await ledger.left(monthly), await ledger.left(total)]).toEqual([0, 0])
    vi.setSystemTime(Date.UTC(2026, 1, 1, 0))
    expect([await ledger.left(monthly), await ledger.left(total)]).toEqual([2, 0])
    expect([(await ledger.ofKey(monthly, null)).all, (await ledger.ofKey(total, null)).all]).toEqual([0, 2])
    // The plan's credits are renewed each month, too.
    const ofPlan = open({ credits: 5 })
    expect(await ofPlan.refusal(keyOf(null), 5, { key: 0, account: 0 })).toBeNull()
    expect(await ofPlan.refusal(keyOf(null), 6, { key: 0, account: 0 })).toBe("plan")
    await ledger.settle(call(monthly), { credits: 1 })
    expect(await ledger.monthsOf("abc")).toEqual([
      { month: "2026-02", credits: 1 },
      { month: "2026-01", credits: 2 },
    ])
  })

  test("of the plan applies to all keys, and the allowance beyond it is reported separately", async () => {
    const [one, two] = [keyOf(null), { ...keyOf(null), id: "def" }]
    const plain = open({ credits: 3 })
    expect(await plain.hold(call(one), { credits: 2 })).toBeNull()
    expect(await plain.hold(call(two), { credits: 2 })).toBe("plan")
    expect(await plain.hold(call(two), { credits: 1 })).toBeNull()
    const paid = open({ credits: 3, paygo: 2 })
    expect(await paid.hold(call(two), { credits: 3 })).toBe("paygo")
    expect(await paid.hold(call(two), { credits: 2 })).toBeNull()
    expect(await paid.left(one)).toBe(Infinity)
    // At this point, five of the ten credits are reserved, and others have been used without the ledger's knowledge.
    expect(await open({ credits: 10 }).refusal(two, 2, { key: 9, account: 3 })).toBeNull()
    expect(await open({ credits: 10 }).refusal(two, 2, { key: 9, account: 4 })).toBe("plan")
    // The key's own limit is reported before the plan's.
    expect(await paid.hold(call(keyOf(0)), { credits: 5 })).toBe("key")
  })

  test("does not exist for a key and a plan without one", async () => {
    expect([open().isLimited(keyOf(null)), open().isLimited(keyOf(0))]).toEqual([false, true])
    expect(open({ credits: 0 }).isLimited(keyOf(null))).toBe(true)
    expect(await open().hold(call(keyOf(null)), { credits: 1_000_000 })).toBeNull()
  })

  test("is reduced by what a key handed out to the keys it made", async () => {
    const ledger = open({}, 4)
    expect(await ledger.left(keyOf(10, "month", { mayMakeKeys: true }))).toBe(6)
    expect(await ledger.left(keyOf(10))).toBe(10)
  })
})

describe("pages", () => {
  test("add up across calls, and are charged by the block", async () => {
    const ledger = open()
    const key = keyOf(2)
    const extract = (pages: number) => ({ pages: { "extract-basic": pages } })
    expect(await ledger.due(key, extract(5))).toBe(1)
    expect(await ledger.settle(call(key), extract(3))).toBe(0)
    expect(await Promise.all([1, 2].map((pages) => ledger.due(key, extract(pages))))).toEqual([0, 1])
    expect(await Promise.all([1, 1, 4, 1].map((pages) => ledger.settle(call(key), extract(pages))))).toEqual([
      0, 1, 0, 1,
    ])
    expect(await ledger.left(key)).toBe(0)
    // Four more credits are still free, but not five.
    expect(await ledger.hold(call(key), extract(4))).toBeNull()
    expect(await ledger.hold(call(key), extract(1))).toBe("key")
    expect(await ledger.due(key, { credits: 2, pages: { "extract-basic": 5, map: 9 } })).toBe(3)
    expect(await ledger.due({ ...key, id: "def" }, extract(4))).toBe(0)
  })

  test("that are reserved fill the block that counted ones began", async () => {
    const ledger = open()
    const key = keyOf(2)
    await ledger.settle(call(key), { pages: { map: 9 } })
    expect(await ledger.hold(call(key), { pages: { map: 1 } })).toBeNull()
    expect(await ledger.left(key)).toBe(1)
  })
})

describe("what was used", () => {
  test("is reported by endpoint and by project, for one key and for all", async () => {
    const ledger = open()
    const [one, two] = [keyOf(null), { ...keyOf(null), id: "def" }]
    await ledger.settle(call(one, "pumps"), { credits: 1 })
    await ledger.settle({ ...call(one), endpoint: "crawl" }, { credits: 5 })
    await ledger.settle(call(two, "pumps"), { credits: 2 })
    await ledger.settle(call(two, "pumps"), {})
    expect(await ledger.ofKey(one, null)).toEqual({ all: 6, byEndpoint: { search: 1, crawl: 5 } })
    expect(await ledger.ofKey(one, "pumps")).toEqual({ all: 1, byEndpoint: { search: 1 } })
    expect(await ledger.ofAccount(null)).toEqual({ all: 8, byEndpoint: { search: 3, crawl: 5 } })
    expect((await ledger.ofAccount("pumps")).all).toBe(3)
    expect(await ledger.ofAccount("seals")).toEqual({ all: 0, byEndpoint: {} })
    // A key whose calls all cost nothing has no usage in any month.
    await ledger.settle(call({ ...one, id: "free" }), {})
    expect(await ledger.monthsOf("free")).toEqual([])
  })

  test("is counted for a limited number of projects per key and month", async () => {
    const ledger = open()
    const key = keyOf(null)
    for (let at = 0; at < MOST_PROJECTS - 1; at++) await ledger.settle(call(key, `p${at}`), {})
    await ledger.settle(call(key), {})
    expect(await ledger.mayName("abc", "new")).toBe(true)
    await ledger.settle(call(key, "last"), {})
    expect([
      await ledger.mayName("abc", "new"),
      await ledger.mayName("abc", "p7"),
      await ledger.mayName("def", "new"),
    ]).toEqual([false, true, true])
    vi.setSystemTime(Date.UTC(2026, 1, 1))
    expect(await ledger.mayName("abc", "new")).toBe(true)
  })
})

describe("credits reserved by a lost process", () => {
  const DEAD = 2 ** 22 + 1
  const holds = async () =>
    (await statement(db, "select request_id from credit_hold order by 1").all()).map(
      (row) => row["request_id"],
    )

  test("are released at the next start on its machine, and without a start on others", async () => {
    const ledger = open()
    const key = keyOf(100)
    const put = statement(db, "insert into credit_hold values (?, '', 'abc', 1, ?, ?, ?)")
    const until = Date.now() + HOUR / 2
    await put.run("dead", until, DEAD, hostname())
    await put.run("alive", until, process.ppid, hostname())
    await put.run("elsewhere", until, DEAD, "another-machine")
    await put.run("over", Date.now() - 1, DEAD, "another-machine")
    await put.run("of a clock ahead", Date.now() + 2 * HOUR, process.ppid, "another-machine")
    await ledger.hold({ requestId: "own", key }, { credits: 1 })
    await ledger.recover()
    expect(await holds()).toEqual(["alive", "elsewhere"])
  })

  test("stay while a process of another user lives", async () => {
    const ledger = open()
    await statement(db, "insert into credit_hold values ('theirs', '', 'abc', 1, ?, 4, ?)").run(
      Date.now() + 1,
      hostname(),
    )
    const kill = vi.spyOn(process, "kill").mockImplementation(() => {
      throw Object.assign(new Error("kill EPERM"), { code: "EPERM" })
    })
    await ledger.recover()
    kill.mockRestore()
    expect(await holds()).toEqual(["theirs"])
  })

  test("are released after an hour in any case", async () => {
    const ledger = open()
    const key = keyOf(1)
    await ledger.hold(call(key), { credits: 1 })
    vi.setSystemTime(Date.now() + HOUR - 1)
    expect(await ledger.left(key)).toBe(0)
    vi.setSystemTime(Date.now() + 1)
    expect(await ledger.left(key)).toBe(1)
  })
})
