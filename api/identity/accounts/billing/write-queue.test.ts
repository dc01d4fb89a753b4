import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as wait } from "node:timers/promises"

import { afterEach, beforeEach, expect, test, vi } from "vitest"

import { isOnServer } from "#base/store/state-store.ts"
import { until } from "#base/testing/until.ts"
import { openStateStore, type StateStore } from "#crawler"

import { memoryState } from "../../../testing/serve-app.ts"
import { WriteQueue } from "./write-queue.ts"

let dir: string
let db: StateStore
let other: StateStore
let writes: WriteQueue

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "fossick-writes-"))
  db = openStateStore(dir)
  other = openStateStore(dir)
  db.exec("create table t (n integer primary key) strict; pragma busy_timeout = 0")
  writes = new WriteQueue(db)
})
afterEach(async () => {
  vi.useRealTimers()
  vi.restoreAllMocks()
  db.close()
  other.close()
  await rm(dir, { recursive: true })
})

const add = (n: number) => () => void db.prepare("insert into t values (?)").run(n)
/** A turn of the event loop, in which the queue does what it was asked for. */
const aTurn = () => new Promise(setImmediate)
const kept = () =>
  other
    .prepare("select n from t order by n")
    .all()
    .map((row) => row["n"])

test("what resolved is in the file, in the order it was asked for", async () => {
  const order: number[] = []
  const asked = [3, 1, 2].map((n) => writes.run(add(n)).then(() => order.push(n)))
  expect(kept()).toEqual([])
  await Promise.all(asked)
  expect([order, kept()]).toEqual([
    [3, 1, 2],
    [1, 2, 3],
  ])
  expect(await writes.run(() => "a result")).toBe("a result")
})

test("a work that throws takes nobody else with it, and leaves nothing of itself", async () => {
  const failing = () => {
    add(2)()
    throw new Error("half done")
  }
  const [one, two, three, four] = await Promise.allSettled([
    writes.run(add(1)),
    writes.run(failing),
    writes.run(add(3)),
    writes.run(add(1)),
  ])
  expect([one.status, two.status, three.status, four.status]).toEqual([
    "fulfilled",
    "rejected",
    "fulfilled",
    "rejected",
  ])
  expect(kept()).toEqual([1, 3])
})

test("what is asked for in one turn is one transaction, and nothing asked for is none", async () => {
  const exec = vi.spyOn(db, "exec")
  await Promise.all([1, 2, 3].map((n) => writes.run(add(n))))
  await aTurn()
  expect(exec.mock.calls.flat()).toEqual(["begin immediate", "commit"])
  exec.mockClear()
  const failing = writes.run(() => {
    throw new Error("alone")
  })
  await expect(failing).rejects.toThrow("alone")
  await aTurn()
  expect(exec.mock.calls.flat()).toEqual(["begin immediate", "rollback"])
})

test("a work whose transaction is over when it throws takes nobody else with it either", async () => {
  // As SQLite does by itself where a disk fails.
  const ended = () => {
    db.exec("rollback")
    throw new Error("disk I/O error")
  }
  const asked = [add(1), ended, add(2)].map((work) => writes.run(work))
  const ends = await Promise.allSettled(asked)
  expect(ends.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"])
  expect(kept()).toEqual([1, 2])
})

test("on a full disk all that was to be written is refused, and said to be for that", async () => {
  const full = () => {
    throw Object.assign(new Error("no"), { code: "ERR_SQLITE_ERROR", errcode: 13 })
  }
  const ends = await Promise.allSettled([add(1), full, add(2)].map((work) => writes.run(work)))
  const ofFolder = { name: "UnwritableError", message: expect.stringContaining(dir) }
  const reason = isOnServer(db) ? { message: "no" } : ofFolder
  const refused = { status: "rejected", reason }
  expect(ends).toMatchObject([refused, refused, refused])
  await writes.run(add(3))
  expect(kept()).toEqual([3])
  // What has no folder has no disk to tell of.
  const elsewhere = new WriteQueue(memoryState())
  await expect(elsewhere.run(full)).rejects.toThrow(/^no$/)
})

test("what cannot be committed is not there, and the queue goes on", async () => {
  const exec = db.exec.bind(db)
  const failing = vi.spyOn(db, "exec")
  // SQLite may have rolled back by itself, or not.
  for (const isOver of [false, true]) {
    failing.mockImplementationOnce(exec).mockImplementationOnce(() => {
      if (isOver) exec("rollback")
      throw new Error("disk I/O error")
    })
    const ends = await Promise.allSettled([writes.run(add(1)), writes.run(add(2))])
    const refused = { status: "rejected", reason: { message: "disk I/O error" } }
    expect(ends).toMatchObject([refused, refused])
  }
  await writes.run(add(3))
  expect(kept()).toEqual([3])
})

test("while another connection writes, it is tried again after pauses that grow to a bound", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "performance"] })
  const start = performance.now()
  const tries: number[] = []
  const exec = db.exec.bind(db)
  vi.spyOn(db, "exec").mockImplementation((sql) => {
    if (sql === "begin immediate") tries.push(performance.now() - start)
    exec(sql)
  })
  const pauses = async (n: number) => {
    tries.length = 0
    other.exec("begin immediate")
    const asked = writes.run(add(n))
    await aTurn()
    expect(tries).toHaveLength(1)
    vi.advanceTimersByTime(70)
    other.exec("rollback")
    vi.advanceTimersByTime(20)
    await asked
    return tries.slice(1).map((at, after) => at - tries[after]!)
  }
  expect(await pauses(1)).toEqual([1, 2, 4, 8, 16, 20, 20])
  expect((await pauses(2)).slice(0, 3)).toEqual([1, 2, 4])
})

test("while another connection writes, the event loop goes on and the work waits", async () => {
  other.exec("begin immediate")
  other.exec("insert into t values (10)")
  let done = false
  const asked = writes.run(add(11)).then(() => (done = true))
  let turns = 0
  for (; turns < 20; turns++) await wait(2)
  expect([done, turns]).toEqual([false, 20])
  const later = writes.run(add(12))
  other.exec("commit")
  await Promise.all([asked, later])
  expect(kept()).toEqual([10, 11, 12])
})

test("who waits too long for another connection is told to come back, and the queue goes on", async () => {
  let now = 1000
  const clock = vi.spyOn(performance, "now").mockImplementation(() => now)
  other.exec("begin immediate")
  let isOver = false
  const asked = writes
    .run(add(1))
    .catch((error: unknown) => error)
    .finally(() => (isOver = true))
  const triedAgain = async () => {
    const before = clock.mock.calls.length
    await until(() => clock.mock.calls.length >= before + 2)
  }
  await triedAgain()
  now += 10_000
  await triedAgain()
  expect(isOver).toBe(false)
  const patient = writes.run(add(2))
  now += 1
  expect(await asked).toMatchObject({ status: 503, message: expect.stringContaining("busy writing") })
  clock.mockRestore()
  expect(await patient.catch((error: unknown) => error)).toMatchObject({ status: 503 })
  other.exec("commit")
  await writes.run(add(3))
  expect(kept()).toEqual([3])
})

test("at the end of the process a work is done at once, in a transaction of its own", () => {
  writes.runNow(add(1))
  expect(kept()).toEqual([1])
  // It waits for others, for a second.
  expect(Object.entries(db.prepare("pragma busy_timeout").get()!)).toEqual([["timeout", 1000]])
  expect(() =>
    writes.runNow(() => {
      add(2)()
      throw new Error("half done")
    }),
  ).toThrow("half done")
  expect(kept()).toEqual([1])
})

test("a connection that is gone fails who asks, and does not throw elsewhere", async () => {
  const gone = openStateStore(dir)
  const queue = new WriteQueue(gone)
  const asked = queue.run(() => 1)
  gone.close()
  await expect(asked).rejects.toThrow("not open")
})
