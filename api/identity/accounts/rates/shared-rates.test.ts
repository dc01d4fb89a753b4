import { setImmediate } from "node:timers/promises"

import { Client } from "pg"
import { describe, expect, test, vi } from "vitest"
import { PostgresStore } from "#base/store/postgres/postgres-store.ts"
import { statement } from "#base/store/testing/statement.ts"
import { NO_TURN } from "#base/store/state-port.ts"
import { openStateStore, type StateStore } from "#base/store/state-store.ts"
import { PostgresServer } from "#base/store/testing/postgres-server.ts"
import { stateOn } from "#base/store/testing/state-on.ts"
import { until } from "#base/testing/until.ts"
import { memoryState } from "../../../testing/serve-app.ts"
import { temporaryFolder } from "#crawler/testing/crawl-fixture.ts"
import { SharedRates } from "./shared-rates.ts"

const TEN = { search: { calls: 10, seconds: 3600 }, usage: { calls: 1, seconds: 1 } }

/** How many of these calls are admitted if they alternate between two processes. */
async function letThrough(one: StateStore, other: StateStore, calls: number): Promise<number> {
  const rates = [new SharedRates(one), new SharedRates(other)]
  const taken = await Promise.all(
    Array.from({ length: calls }, (_, at) => rates[at % 2]!.take("key", "search", TEN)),
  )
  for (const refused of taken.filter((one) => one !== null)) {
    expect(refused.retryAfter).toBeGreaterThan(3500)
    expect(refused.retryAfter).toBeLessThanOrEqual(3600)
  }
  return taken.filter((one) => one === null).length
}

test("a limit applies across all processes, by key and endpoint, and a smaller one takes effect at once", async () => {
  using db = memoryState()
  expect(await letThrough(db, db, 25)).toBe(10)
  const rates = new SharedRates(db)
  expect(await rates.take("another", "search", TEN)).toBeNull()
  expect([await rates.take("key", "usage", TEN), await rates.take("key", "usage", TEN)]).toEqual([
    null,
    { retryAfter: 1 },
  ])
  // Makes it look as if an hour had passed: three calls are admitted again, but no more.
  await db.script("update rate_slot set at = at - 3600000 where name = 'key search'")
  const three = { search: { calls: 3, seconds: 3600 } }
  const taken = await Promise.all(Array.from({ length: 5 }, () => rates.take("key", "search", three)))
  expect(taken.filter((one) => one === null)).toHaveLength(3)
})

test("the table has a version of its own", async () => {
  using db = memoryState()
  void new SharedRates(db)
  expect(await statement(db, "select version from schema_version where part = 'rates'").all()).toHaveLength(1)
})

test("slots are kept for their period, under names that only their maker can derive", async () => {
  using db = memoryState()
  const rates = () => new SharedRates(db, (name) => Array.from(name).toReversed().join(""))
  const [minute, hour] = [
    { calls: 3, seconds: 60 },
    { calls: 3, seconds: 3600 },
  ]
  for (const at of ["192.0.2.1", "192.0.2.2"]) {
    await rates().take(at, "search", { search: minute })
    await rates().take(at, "suggest", { suggest: hour })
    await rates().take(at, "suggest", { suggest: hour })
  }
  // Makes two minutes pass, except for one call by the second caller.
  await db.script("update rate_slot set at = at - 120000 where not (slot = 1 and name like '%2.2.0.291')")
  await db.script("update rate_slot set at = at - 3600000 where slot = 0 and name like '%2.2.0.291'")
  expect(await rates().take("192.0.2.3", "search", { search: minute })).toBeNull()
  const left = await statement(db, "select name, slot from rate_slot order by name, slot").all()
  expect(left.map(({ name, slot }) => `${String(name)} ${String(slot)}`)).toEqual([
    "hcraes 3.2.0.291 0",
    "tseggus 1.2.0.291 0",
    "tseggus 1.2.0.291 1",
    "tseggus 2.2.0.291 1",
  ])
  // Only the free slots can be taken.
  const taken = await Promise.all(
    Array.from({ length: 4 }, () => rates().take("192.0.2.2", "suggest", { suggest: hour })),
  )
  expect(taken.filter((one) => one === null)).toHaveLength(2)
})

test("an endpoint without a limit of its own uses the general one, if any", async () => {
  using db = memoryState()
  const rates = new SharedRates(db)
  const take = (limits: Parameters<typeof rates.take>[2]) => rates.take("key", "search", limits)
  for (let calls = 0; calls < 3; calls++) expect(await take({ usage: { calls: 1, seconds: 60 } })).toBeNull()
  const all = { "*": { calls: 1, seconds: 60 } }
  expect([await take(all), await take(all)]).toEqual([null, { retryAfter: 60 }])
  expect(await take({ ...all, search: { calls: 2, seconds: 60 } })).toBeNull()
})

test("expired slots are looked for once a minute", async () => {
  using db = memoryState()
  let now = 5_000_000
  const clock = vi.spyOn(performance, "now").mockImplementation(() => now)
  const rates = new SharedRates(db)
  const names = async () =>
    (await statement(db, "select name from rate_slot order by name").all()).map(({ name }) => name)
  const take = (key: string) => rates.take(key, "search", TEN)
  await take("a")
  await db.script("update rate_slot set at = at - 3600000")
  now += 59_999
  await take("b")
  expect(await names()).toEqual(["a search", "b search"])
  now += 1
  await take("c")
  expect(await names()).toEqual(["b search", "c search"])
  clock.mockRestore()
})

describe("a slot that cannot be created", () => {
  /** A limiter on a state in which `run` is called instead of the statement that creates a slot. */
  function rates(db: StateStore, run: () => Promise<{ readonly changes: number }>): SharedRates {
    const native = db.native.bind(db)
    vi.spyOn(db, "native").mockImplementation((sql) => ({
      ...native(sql),
      ...(sql.endsWith(NO_TURN) && { ask: async () => ({ rows: [], ...(await run()) }) }),
    }))
    return new SharedRates(db)
  }

  test("rejects with its error, and does not count as a reached limit", async () => {
    using db = memoryState()
    const failing = rates(db, async () => {
      throw new Error("disk I/O error")
    })
    await expect(() => failing.take("key", "search", TEN)).rejects.toThrow("disk I/O error")
  })

  test("because others are creating theirs is waited for, up to a limit", async () => {
    using db = memoryState()
    let tries = 0
    const busy = rates(db, async () => {
      tries++
      throw Object.assign(new Error("database is locked"), { errcode: 5 })
    })
    expect(await busy.take("key", "search", TEN)).toEqual({ retryAfter: 1 })
    expect(tries).toBe(2)
  })

  test("is created by one call per name at a time", async () => {
    using db = memoryState()
    let [atWork, most, awaited] = [0, 0, 1]
    const slow = rates(db, async () => {
      most = Math.max(most, ++atWork)
      await setImmediate()
      await until(async () => most >= awaited)
      atWork -= 1
      return { changes: 1 }
    })
    await Promise.all(Array.from({ length: 5 }, () => slow.take("key", "search", TEN)))
    expect(most).toBe(1)
    awaited = 2
    await Promise.all(["key", "another"].map((key) => slow.take(key, "search", TEN)))
    expect(most).toBe(2)
  })

  test("because others keep being quicker makes the caller retry", async () => {
    using db = memoryState()
    expect(await rates(db, async () => ({ changes: 0 })).take("key", "search", TEN)).toEqual({
      retryAfter: 1,
    })
  })
})

describe("on PostgreSQL", { tags: ["postgresql"] }, () => {
  test("two connections let through as many as one", async () => {
    using folder = temporaryFolder()
    await using server = await PostgresServer.start()
    using _ = stateOn(server.socketUrl())
    using one = await openStateStore(folder.path)
    using other = await openStateStore(folder.path)
    expect(one).toBeInstanceOf(PostgresStore)
    expect(await letThrough(one, other, 25)).toBe(10)

    // A third process is creating a slot, and an API process doesn't wait for locks.
    other.patienceMs = 0
    const { searchPath } = (await statement(one, 'select current_schema() as "searchPath"').get())!
    const options = `-c search_path=${String(searchPath)}`
    const third = new Client({ connectionString: server.socketUrl(), options })
    await third.connect()
    try {
      const beside = async (name: string, seconds: number) => {
        await third.query("begin")
        await third.query("insert into rate_slot (name, slot, at, span_ms) values ($1, 0, 0, 1)", [name])
        const made = third.query(`select pg_sleep(${seconds}); commit`)
        const taken = await new SharedRates(other).take(name.split(" ")[0]!, "search", TEN)
        await made
        return taken
      }
      expect(await beside("new search", 0.2)).toBeNull()
      expect(await beside("slow search", 3)).toEqual({ retryAfter: 1 })
    } finally {
      await third.end()
    }
  })
})
