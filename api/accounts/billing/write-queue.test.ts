import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as wait } from "node:timers/promises"

import { afterEach, beforeEach, expect, test, vi } from "vitest"

import { until } from "#base/testing/until.ts"
import { openStateStore, type StateStore } from "#crawler"

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
  db.close()
  other.close()
  await rm(dir, { recursive: true })
})

const add = (n: number) => () => void db.prepare("insert into t values (?)").run(n)
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
