import { afterEach, beforeEach, describe, expect, test, vi } from "vitest"

import { readSettings } from "#base/settings.ts"
import type { StateStore } from "#base/store/state-store.ts"

import { NO_READERS } from "../../testing/no-readers.ts"
import { openGates } from "../../server/load/gates.ts"
import { apiSettings } from "../../settings.ts"
import { memoryState } from "../../testing/serve-app.ts"
import { type Accounts, openAccounts } from "./accounts.ts"
import { UNLIMITED } from "./keys/key-scope.ts"
import { type ApiKey, apiKey } from "./keys/keys.ts"
import { Admissions } from "./admission.ts"
import type { LimitedEndpoint } from "./rates/rate-limits.ts"

let db: StateStore
let accounts: Accounts
const config = { ...readSettings(apiSettings, {}), searches: 1, searchQueue: 1, liveCalls: 1 }
beforeEach(async () => {
  db = memoryState()
  accounts = await openAccounts(db, config, () => {})
})
afterEach(async () => {
  await accounts[Symbol.asyncDispose]()
  db.close()
})

const KEY = apiKey({ id: "abc", role: "search" })
const caller = (key: ApiKey = KEY, project = "", requestId = "r1") => ({
  key,
  requestId,
  startedAt: performance.now() - 1500,
  tracking: { project, session: "", human: "" },
})

/** Admissions with a place for one search, one waiting search and one live call, and the memory that calls hold. */
function door(more: Partial<Accounts> = {}) {
  const gates = openGates(config)
  const memory = { open: 0, isSpent: false }
  const enter = () => {
    if (memory.isSpent) throw new Error("memory is spent")
    memory.open++
    return { hold: () => {}, [Symbol.dispose]: () => void memory.open-- }
  }
  const engine = { get: async () => null }
  const parts = { engine, gates, collections: { sourcesOf: () => [], list: () => [] }, readers: NO_READERS }
  const admissions = new Admissions({
    accounts: { ...accounts, ...more },
    reach: parts as never,
    memory: { enter },
    rateLimits: {},
  })
  return { gates, memory, admissions }
}

describe("a call that could not be answered in time is refused at once", () => {
  const ends = async (admissions: Admissions, endpoint: LimitedEndpoint, isStored?: boolean) => {
    try {
      void (await admissions.admit(endpoint, caller(), isStored === undefined ? {} : { isStored })).end()
      return "in"
    } catch (error) {
      return (error as Error).message.split(" ", 3).join(" ")
    }
  }

  test("if it searches or reads stored pages and too many others do", async () => {
    const { gates, memory, admissions } = door()
    const busy = Promise.withResolvers<void>()
    const running = [1, 2].map(() => gates.searches.run(() => busy.promise, { key: "other" }))
    expect(await ends(admissions, "search")).toBe("The server is")
    expect(await ends(admissions, "extract", true)).toBe("The server is")
    expect(memory.open).toBe(0)
    for (const endpoint of ["extract", "crawl", "map", "research", "usage"] as const)
      expect(await ends(admissions, endpoint)).toBe("in")
    busy.resolve()
    await Promise.all(running)
    expect([await ends(admissions, "search"), await ends(admissions, "extract", true)]).toEqual(["in", "in"])
  })

  test("if it reads live pages and too many others do", async () => {
    const { gates, memory, admissions } = door()
    const leave = gates.liveCalls.enter("other")!
    for (const endpoint of ["extract", "crawl", "map"] as const) {
      expect(await ends(admissions, endpoint)).toBe("Too many extract,")
      expect(await ends(admissions, endpoint, false)).toBe("Too many extract,")
    }
    // No memory is in use by then.
    expect(memory.open).toBe(0)
    for (const endpoint of ["search", "research", "usage"] as const)
      expect(await ends(admissions, endpoint)).toBe("in")
    expect(await ends(admissions, "extract", true)).toBe("in")
    leave()
    // An admitted caller gives up its place when the call is over.
    for (let calls = 0; calls < 3; calls++) expect(await ends(admissions, "extract")).toBe("in")
  })

  test("if other calls hold all memory, and then takes no slot", async () => {
    const { gates, memory, admissions } = door()
    memory.isSpent = true
    await expect(() => admissions.admit("extract", caller())).rejects.toThrow("memory is spent")
    expect(gates.liveCalls.running).toBe(0)
  })
})

describe("a call counts for a project", () => {
  const projectOf = async (projects: readonly string[], named: string) =>
    (await door().admissions.admit("search", caller({ ...KEY, projects }, named))).bill.project

  test("that it names, or that is the only one of its key", async () => {
    expect(await projectOf([], "")).toBe("")
    expect(await projectOf([], "pumps")).toBe("pumps")
    expect(await projectOf(["pumps"], "")).toBe("pumps")
    expect(await projectOf(["pumps", "seals"], "")).toBe("")
    expect(await projectOf(["pumps", "seals"], "seals")).toBe("seals")
    await expect(() => projectOf(["pumps", "seals"], "valves")).rejects.toThrow(
      "Access denied. This key does not belong to that project.",
    )
  })

  test("its key has already named, once the limit is reached", async () => {
    const mayName = vi.spyOn(accounts.ledger, "mayName").mockResolvedValue(false)
    const { admissions } = door()
    await expect(() => admissions.admit("search", caller(KEY, "pumps"))).rejects.toThrow(
      "Invalid X-Project-ID. This key has already named 1000 projects this month, which is the limit.",
    )
    expect(mayName).toHaveBeenCalledWith("abc", "pumps")
    // Calls that name no project, and calls that are not billed, add no projects.
    expect((await admissions.admit("search", caller())).bill.project).toBe("")
    expect((await admissions.admit("usage", caller(KEY, "pumps"))).bill.project).toBe("pumps")
  })
})

describe("the bill of a call", () => {
  const key = { ...KEY, creditLimit: { credits: 3, per: "month" as const } }

  test("returns unsettled reservations once at the end", async () => {
    const { admissions } = door()
    const release = vi.spyOn(accounts.billing, "release")
    const failed = await admissions.admit("search", caller(key))
    await failed.bill.reserve({ credits: 2 })
    expect(await accounts.ledger.left(key)).toBe(1)
    await failed.end()
    expect(await accounts.ledger.left(key)).toBe(3)
    expect(release).toHaveBeenCalledTimes(1)

    const answered = await admissions.admit("search", caller(key, "", "r2"))
    await answered.bill.reserve({ credits: 2 })
    expect(await answered.bill.settle({ credits: 1 }, { depth: "basic" })).toBe(1)
    await answered.end()
    expect(await accounts.ledger.left(key)).toBe(2)
    await (await admissions.admit("search", caller(key, "", "r3"))).end()
    expect(release).toHaveBeenCalledTimes(1)
  })

  test("is recorded with what the call cost", async () => {
    const clock = vi.spyOn(performance, "now").mockReturnValue(1_000_000)
    const { bill } = await door().admissions.admit("extract", caller(key, "pumps"))
    await bill.settle({}, { depth: "basic" })
    clock.mockRestore()
    expect(await accounts.callLog.list({ limit: 9 })).toMatchObject([
      { requestId: "r1", endpoint: "extract", keyId: "abc", project: "pumps", seconds: 1.5 },
    ])
  })

  test("does not exist for a call that costs nothing", async () => {
    const { bill } = await door().admissions.admit("usage", caller())
    await expect(bill.settle({ credits: 1 }, { depth: "" })).rejects.toThrow("costs nothing")
    expect(await accounts.callLog.list({ limit: 1 })).toEqual([])
  })
})

test("a key can call only its endpoints, and only at its rate", async () => {
  const { admissions } = door()
  const searches = { ...KEY, scope: { ...UNLIMITED, endpoints: ["search" as const] } }
  await expect(() => admissions.admit("map", caller(searches))).rejects.toThrow("This key may not use /map.")
  expect((await admissions.admit("usage", caller(searches))).bill.project).toBe("")
  const slow = { ...searches, rateLimits: { "*": { calls: 1, seconds: 60 } } }
  expect(await (await admissions.admit("search", caller(slow))).reach.limits()).toBeNull()
  let refusal: unknown
  try {
    await admissions.admit("search", caller(slow))
  } catch (error) {
    refusal = error
  }
  expect(refusal).toMatchObject({ status: 429, headers: { "Retry-After": "60" } })
})
