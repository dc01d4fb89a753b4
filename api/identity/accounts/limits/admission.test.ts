import { afterEach, beforeEach, describe, expect, test, vi } from "vitest"

import { readSettings } from "#base/settings.ts"
import type { StateStore } from "#base/store/state-store.ts"

import { openGates } from "../../../server/load/gates.ts"
import { apiSettings } from "../../../settings.ts"
import { memoryState } from "../../../testing/serve-app.ts"
import { type Accounts, openAccounts } from "../accounts.ts"
import { UNLIMITED } from "../keys/key-scope.ts"
import { type ApiKey, apiKey } from "../keys/keys.ts"
import { Admissions } from "./admission.ts"
import type { LimitedEndpoint } from "./rate-limits.ts"

let db: StateStore
let accounts: Accounts
const config = { ...readSettings(apiSettings, {}), searches: 1, searchQueue: 1, liveCalls: 1 }
beforeEach(() => {
  db = memoryState()
  accounts = openAccounts(db, config, () => {})
})
afterEach(() => {
  accounts[Symbol.dispose]()
  db.close()
})

const KEY = apiKey({ id: "abc", role: "search" })
const caller = (key: ApiKey = KEY, project = "", requestId = "r1") => ({
  key,
  requestId,
  startedAt: performance.now() - 1500,
  tracking: { project, session: "", human: "" },
})

/** A door with a place for one search, for one that waits and for one live call, and what calls hold in memory. */
function door(more: Partial<Accounts> = {}) {
  const gates = openGates(config)
  const memory = { open: 0, isSpent: false }
  const enter = () => {
    if (memory.isSpent) throw new Error("memory is spent")
    memory.open++
    return { hold: () => {}, [Symbol.dispose]: () => void memory.open-- }
  }
  const engine = { get: async () => null }
  const parts = { engine, gates, collections: { sourcesOf: () => [], list: () => [] } }
  const admissions = new Admissions({
    accounts: { ...accounts, ...more },
    reach: parts as never,
    memory: { enter },
    rateLimits: {},
  })
  return { gates, memory, admissions }
}

describe("a call that could not be answered in time is refused at once", () => {
  const ends = (admissions: Admissions, endpoint: LimitedEndpoint, isStored?: boolean) => {
    try {
      void admissions.admit(endpoint, caller(), isStored === undefined ? {} : { isStored }).end()
      return "in"
    } catch (error) {
      return (error as Error).message.split(" ", 3).join(" ")
    }
  }

  test("where it searches or reads stored pages, and too many do", async () => {
    const { gates, memory, admissions } = door()
    const busy = Promise.withResolvers<void>()
    const running = [1, 2].map(() => gates.searches.run(() => busy.promise, { key: "other" }))
    expect(ends(admissions, "search")).toBe("The server has")
    expect(ends(admissions, "extract", true)).toBe("The server has")
    expect(memory.open).toBe(0)
    for (const endpoint of ["extract", "crawl", "map", "research", "usage"] as const)
      expect(ends(admissions, endpoint)).toBe("in")
    busy.resolve()
    await Promise.all(running)
    expect([ends(admissions, "search"), ends(admissions, "extract", true)]).toEqual(["in", "in"])
  })

  test("where it reads live pages, and too many do", () => {
    const { gates, memory, admissions } = door()
    const leave = gates.liveCalls.enter("other")!
    for (const endpoint of ["extract", "crawl", "map"] as const) {
      expect(ends(admissions, endpoint)).toBe("Too many extract,")
      expect(ends(admissions, endpoint, false)).toBe("Too many extract,")
    }
    // It holds nothing then.
    expect(memory.open).toBe(0)
    for (const endpoint of ["search", "research", "usage"] as const)
      expect(ends(admissions, endpoint)).toBe("in")
    expect(ends(admissions, "extract", true)).toBe("in")
    leave()
    // Whoever was let in has left its place when it is over.
    for (let calls = 0; calls < 3; calls++) expect(ends(admissions, "extract")).toBe("in")
  })

  test("where calls hold all memory, and takes no place then", () => {
    const { gates, memory, admissions } = door()
    memory.isSpent = true
    expect(() => admissions.admit("extract", caller())).toThrow("memory is spent")
    expect(gates.liveCalls.running).toBe(0)
  })
})

describe("a call counts for a project", () => {
  const projectOf = (projects: readonly string[], named: string) =>
    door().admissions.admit("search", caller({ ...KEY, projects }, named)).bill.project

  test("that it names, or that is the only one of its key", () => {
    expect(projectOf([], "")).toBe("")
    expect(projectOf([], "pumps")).toBe("pumps")
    expect(projectOf(["pumps"], "")).toBe("pumps")
    expect(projectOf(["pumps", "seals"], "")).toBe("")
    expect(projectOf(["pumps", "seals"], "seals")).toBe("seals")
    expect(() => projectOf(["pumps", "seals"], "valves")).toThrow(
      "Access denied. This key does not belong to that project.",
    )
  })

  test("of those that its key has named, once there may be no more", () => {
    const mayName = vi.spyOn(accounts.ledger, "mayName").mockReturnValue(false)
    const { admissions } = door()
    expect(() => admissions.admit("search", caller(KEY, "pumps"))).toThrow(
      "Invalid X-Project-ID. This key has named 1000 projects this month, the most there may be.",
    )
    expect(mayName).toHaveBeenCalledWith("abc", "pumps")
    // What names none, and what is not billed, makes no more of them.
    expect(admissions.admit("search", caller()).bill.project).toBe("")
    expect(admissions.admit("usage", caller(KEY, "pumps")).bill.project).toBe("pumps")
  })
})

describe("the bill of a call", () => {
  const key = { ...KEY, creditLimit: { credits: 3, per: "month" as const } }

  test("gives back at its end what was set aside and not settled, once", async () => {
    const { admissions } = door()
    const release = vi.spyOn(accounts.billing, "release")
    const failed = admissions.admit("search", caller(key))
    await failed.bill.reserve({ credits: 2 })
    expect(accounts.ledger.left(key)).toBe(1)
    await failed.end()
    expect(accounts.ledger.left(key)).toBe(3)
    expect(release).toHaveBeenCalledTimes(1)

    const answered = admissions.admit("search", caller(key, "", "r2"))
    await answered.bill.reserve({ credits: 2 })
    expect(await answered.bill.settle({ credits: 1 }, { depth: "basic" })).toBe(1)
    await answered.end()
    expect(accounts.ledger.left(key)).toBe(2)
    await admissions.admit("search", caller(key, "", "r3")).end()
    expect(release).toHaveBeenCalledTimes(1)
  })

  test("is written down with what the call took", async () => {
    const clock = vi.spyOn(performance, "now").mockReturnValue(1_000_000)
    const { bill } = door().admissions.admit("extract", caller(key, "pumps"))
    await bill.settle({}, { depth: "basic" })
    clock.mockRestore()
    expect(accounts.callLog.list({ limit: 9 })).toMatchObject([
      { requestId: "r1", endpoint: "extract", keyId: "abc", project: "pumps", seconds: 1.5 },
    ])
  })

  test("is none of a call that costs nothing", async () => {
    const { bill } = door().admissions.admit("usage", caller())
    await expect(bill.settle({ credits: 1 }, { depth: "" })).rejects.toThrow("costs nothing")
    expect(accounts.callLog.list({ limit: 1 })).toEqual([])
  })
})

test("a key makes calls of its endpoints alone, and as fast as it may", () => {
  const { admissions } = door()
  const searches = { ...KEY, scope: { ...UNLIMITED, endpoints: ["search" as const] } }
  expect(() => admissions.admit("map", caller(searches))).toThrow("This key may not use /map.")
  expect(admissions.admit("usage", caller(searches)).bill.project).toBe("")
  const slow = { ...searches, rateLimits: { "*": { calls: 1, seconds: 60 } } }
  expect(admissions.admit("search", caller(slow)).reach.limits()).toBeNull()
  let refusal: unknown
  try {
    admissions.admit("search", caller(slow))
  } catch (error) {
    refusal = error
  }
  expect(refusal).toMatchObject({ status: 429, headers: { "Retry-After": "60" } })
})
