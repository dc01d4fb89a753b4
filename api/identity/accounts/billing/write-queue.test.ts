import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as wait } from "node:timers/promises"

import { afterEach, beforeEach, expect, test, vi } from "vitest"

import { Sessions } from "#base/store/postgres/sessions.ts"
import { statement } from "#base/store/testing/statement.ts"
import { stateServer } from "#base/store/postgres/state-location.ts"
import type { SqliteStore } from "#base/store/sqlite/sqlite-store.ts"
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
  db = await openStateStore(dir)
  other = await openStateStore(dir)
  await db.script(
    `create table t (n bigint primary key);
     create table later (n bigint references t deferrable initially deferred)`,
  )
  db.patienceMs = 0
  writes = new WriteQueue(db)
})
afterEach(async () => {
  vi.useRealTimers()
  vi.restoreAllMocks()
  db.close()
  other.close()
  await rm(dir, { recursive: true })
})

const add = (n: number) => async () => {
  await statement(db, "insert into t values (?)").run(n)
}
/** Waits inside its transaction, so that a test can check the state before anything is written. */
const addAfter = (go: Promise<void>, n: number) => async () => {
  await go
  await add(n)()
}
/** Holds a write transaction as another process would, until you call the returned function. */
async function othersWrite(sql = "select 1"): Promise<() => Promise<void>> {
  const server = stateServer(dir)
  if (server === null) {
    const { file } = other as SqliteStore
    file.exec("begin immediate")
    file.exec(sql)
    return async () => file.exec("commit")
  }
  const [begun, over] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const sessions = new Sessions(server)
  const writing = sessions.use((session) =>
    session.transaction("write", async () => {
      await session.run(sql, [])
      begun.resolve()
      await over.promise
    }),
  )
  await begun.promise
  return async () => {
    over.resolve()
    await writing
    sessions.close()
  }
}
/** A turn of the event loop, in which the queue does its work. */
const aTurn = () => new Promise(setImmediate)
const kept = async () => (await statement(other, "select n from t order by n").all()).map((row) => row["n"])

test("a write resolves once its row is in the file, in the order of the calls", async () => {
  const order: number[] = []
  const go = Promise.withResolvers<void>()
  const asked = [3, 1, 2].map((n) => writes.run(addAfter(go.promise, n)).then(() => order.push(n)))
  expect([order, await kept()]).toEqual([[], []])
  go.resolve()
  await Promise.all(asked)
  expect([order, await kept()]).toEqual([
    [3, 1, 2],
    [1, 2, 3],
  ])
  expect(await writes.run(async () => "a result")).toBe("a result")
})

test("a failing write affects no other write and leaves nothing behind", async () => {
  const failing = async () => {
    await add(2)()
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
  expect(await kept()).toEqual([1, 3])
})

test("writes requested in one turn share a transaction, and no writes need none", async () => {
  const transaction = vi.spyOn(db, "transaction")
  await Promise.all([1, 2, 3].map((n) => writes.run(add(n))))
  await aTurn()
  expect(transaction).toHaveBeenCalledOnce()
  transaction.mockClear()
  const failing = writes.run(async () => {
    throw new Error("alone")
  })
  await expect(failing).rejects.toThrow("alone")
  await aTurn()
  expect(transaction).toHaveBeenCalledOnce()
})

test("writes that arrive during a transaction share the next one", async () => {
  const transaction = vi.spyOn(db, "transaction")
  const asked: Promise<unknown>[] = []
  const go = Promise.withResolvers<void>()
  await writes.run(async () => {
    await add(1)()
    for (const n of [2, 3]) asked.push(writes.run(addAfter(go.promise, n)))
    await add(4)()
  })
  expect(await kept()).toEqual([1, 4])
  go.resolve()
  await Promise.all(asked)
  expect([transaction.mock.calls.length, await kept()]).toEqual([2, [1, 2, 3, 4]])
})

test("writes of different lines run in parallel, and those of one line or no line run in turn", async () => {
  const steps: string[] = []
  const stepping = (name: string) => async () => {
    steps.push(`${name} begins`)
    await statement(db, "select 1").get()
    steps.push(`${name} ends`)
  }
  const asked = [
    writes.run(stepping("a"), "red"),
    writes.run(stepping("b"), "blue"),
    writes.run(stepping("c"), "red"),
    writes.run(stepping("d")),
    writes.run(stepping("e"), "blue"),
  ]
  await Promise.all(asked)
  const begun = (name: string) => steps.indexOf(`${name} begins`)
  const ended = (name: string) => steps.indexOf(`${name} ends`)
  expect(steps.slice(0, 2)).toEqual(["a begins", "b begins"])
  expect([
    ended("a") < begun("c"),
    ended("b") < begun("d"),
    ended("c") < begun("d"),
    ended("d") < begun("e"),
  ]).toEqual([true, true, true, true])
})

test("a failing write next to other lines is the only one rejected", async () => {
  const clash = async () => {
    await statement(db, "insert into t values (1)").run()
    await statement(db, "insert into t values (1)").run()
  }
  const slow = (n: number) => async () => {
    for (let i = 0; i < 5; i++) await statement(db, "select 1").get()
    await add(n)()
  }
  const ends = await Promise.allSettled([
    writes.run(slow(2), "a"),
    writes.run(clash, "b"),
    writes.run(slow(3), "c"),
  ])
  expect(ends.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"])
  expect(ends[1]).toMatchObject({ reason: { message: expect.stringMatching(/unique|duplicate/i) } })
  expect(await kept()).toEqual([2, 3])
})

test("a failing write whose transaction has already ended affects no other write", async () => {
  // SQLite does the same when a disk fails.
  const ended = async () => {
    await db.script("rollback")
    throw new Error("disk I/O error")
  }
  const asked = [add(1), ended, add(2)].map((work) => writes.run(work))
  const ends = await Promise.allSettled(asked)
  expect(ends.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"])
  expect(await kept()).toEqual([1, 2])
})

test("on a full disk all pending writes are rejected with that reason", async () => {
  const full = async () => {
    throw Object.assign(new Error("no"), { code: "ERR_SQLITE_ERROR", errcode: 13 })
  }
  const ends = await Promise.allSettled([add(1), full, add(2)].map((work) => writes.run(work)))
  const ofFolder = { name: "UnwritableError", message: expect.stringContaining(dir) }
  const reason = isOnServer(db) ? { message: "no" } : ofFolder
  const refused = { status: "rejected", reason }
  expect(ends).toMatchObject([refused, refused, refused])
  await writes.run(add(3))
  expect(await kept()).toEqual([3])
  // Without a folder, there is no disk to report on, so the error is unchanged.
  const elsewhere = new WriteQueue(memoryState())
  await expect(elsewhere.run(full)).rejects.toThrow(/^no$/)
})

test("a write that cannot be committed leaves nothing behind, and the queue continues", async () => {
  // References are checked at commit.
  const orphan = async () => {
    await statement(db, "insert into later values (9)").run()
  }
  const ends = await Promise.allSettled([writes.run(add(1)), writes.run(orphan)])
  const refused = { status: "rejected", reason: { message: expect.stringMatching(/foreign key/i) } }
  expect(ends).toMatchObject([refused, refused])
  await writes.run(add(3))
  expect(await kept()).toEqual([3])
})

test("while another connection writes, retries follow growing pauses up to a limit", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "performance"] })
  const start = performance.now()
  const tries: number[] = []
  const underWay = new Set<unknown>()
  const transaction = db.transaction.bind(db)
  vi.spyOn(db, "transaction").mockImplementation(async (work) => {
    tries.push(performance.now() - start)
    underWay.add(work)
    return await transaction(work).finally(() => underWay.delete(work))
  })
  const tried = async () => {
    do await aTurn()
    while (underWay.size > 0)
  }
  const pass = async (ms: number) => {
    for (let passed = 0; passed < ms; passed++) {
      vi.advanceTimersByTime(1)
      await tried()
    }
  }
  const pauses = async (n: number) => {
    tries.length = 0
    const end = await othersWrite()
    const asked = writes.run(add(n))
    await tried()
    expect(tries).toHaveLength(1)
    await pass(70)
    await end()
    await pass(20)
    await asked
    return tries.slice(1).map((at, after) => at - tries[after]!)
  }
  expect(await pauses(1)).toEqual([1, 2, 4, 8, 16, 20, 20])
  expect((await pauses(2)).slice(0, 3)).toEqual([1, 2, 4])
})

test("while another connection writes, the event loop keeps running and the write waits", async () => {
  const end = await othersWrite("insert into t values (10)")
  let done = false
  const asked = writes.run(add(11)).then(() => (done = true))
  let turns = 0
  for (; turns < 20; turns++) await wait(2)
  expect([done, turns]).toEqual([false, 20])
  const later = writes.run(add(12))
  await end()
  await Promise.all([asked, later])
  expect(await kept()).toEqual([10, 11, 12])
})

test("a write that waits too long for another connection fails with a retry hint, and the queue continues", async () => {
  let now = 1000
  const clock = vi.spyOn(performance, "now").mockImplementation(() => now)
  const end = await othersWrite()
  let isOver = false
  const asked = writes
    .run(add(1))
    .catch((error: unknown) => error)
    .finally(() => (isOver = true))
  const tries = vi.spyOn(db, "transaction").mock.calls
  const triedAgain = async () => {
    const before = tries.length
    await until(async () => tries.length >= before + 2)
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
  await end()
  await writes.run(add(3))
  expect(await kept()).toEqual([3])
})

test("at the end of the process a write runs at once in its own transaction", async () => {
  await writes.runNow(add(1))
  expect(await kept()).toEqual([1])
  // Waits up to one second for other processes.
  const patiently = vi.spyOn(db, "patiently")
  await writes.runNow(add(2))
  expect(patiently).toHaveBeenCalledWith(expect.any(Function), 1000)
  await expect(() =>
    writes.runNow(async () => {
      await add(3)()
      throw new Error("half done")
    }),
  ).rejects.toThrow("half done")
  expect(await kept()).toEqual([1, 2])
})

test("at the end of the process pending writes can be awaited, but only for a moment", async () => {
  await writes.idle()
  let isDone = false
  void writes.run(add(1)).then(() => (isDone = true))
  await writes.idle()
  expect([isDone, await kept()]).toEqual([true, [1]])
  const end = await othersWrite()
  const asked = writes.run(add(2))
  await writes.idle()
  expect(await kept()).toEqual([1])
  await end()
  await asked
})

test("a closed connection rejects the caller's write and throws nowhere else", async () => {
  const gone = await openStateStore(dir)
  const queue = new WriteQueue(gone)
  const asked = queue.run(async () => 1)
  gone.close()
  await expect(asked).rejects.toThrow("not open")
})
