import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { Worker } from "node:worker_threads"
import { afterAll, expect, test, vi } from "vitest"
import { BUSY_MS, isBusy, openToRead, Patience, useWal } from "./busy.ts"
import { migrate, openStateStore } from "../state-store.ts"
import { statement } from "../testing/statement.ts"

const folder = mkdtempSync(join(tmpdir(), "fossick-busy-"))
afterAll(() => rmSync(folder, { recursive: true }))

/** Another connection that runs `begin` on a file and commits 0.3 s later, while this thread is opening the file. */
async function having(file: string, begin: string): Promise<Worker> {
  const other = new Worker(
    `const { parentPort, workerData } = require("node:worker_threads")
     const { DatabaseSync } = require("node:sqlite")
     // Whoever looks at the file in that instant keeps it from being committed.
     const db = new DatabaseSync(workerData)
     db.exec("pragma busy_timeout = 60000")
     db.exec(${JSON.stringify(begin)})
     parentPort.postMessage("writing")
     Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300)
     db.exec("commit")
     db.close()`,
    { eval: true, workerData: file },
  )
  await once(other, "message")
  return other
}
const writing = (file: string) => having(file, "begin immediate")

test("a process that opens a new state.db while another one begins it waits, and does not fail", async () => {
  const dir = join(folder, "new")
  const begun = await openStateStore(dir)
  begun.close()
  // The file should look as if the other process had just created it.
  const file = join(dir, "state.db")
  for (const end of ["", "-wal", "-shm"]) rmSync(file + end, { force: true })
  const other = await writing(file)
  using db = await openStateStore(dir)
  expect(await statement(db, "pragma journal_mode").get()).toEqual({ journal_mode: "wal" })
  await once(other, "exit")
})

test("tables are created even on a connection without patience, while another process writes", async () => {
  using db = await openStateStore(folder)
  db.patienceMs = 0
  const other = await writing(join(folder, "state.db"))
  migrate(db, "kites", [() => "create table kite (id integer primary key) strict"])
  expect(await statement(db, "select count(*) as n from kite").get()).toEqual({ n: 0 })
  expect(await statement(db, "pragma busy_timeout").get()).toEqual({ timeout: 0 })
  await once(other, "exit")
})

test("a store without patience fails because another process is writing, and reads the earlier data", async () => {
  using db = await openStateStore(folder)
  await db.script("create table lark (n integer) strict")
  db.patienceMs = 0
  const other = await writing(join(folder, "state.db"))
  const insert = statement(db, "insert into lark values (1)")
  for (const write of [
    () => insert.run(),
    () => db.transaction(() => insert.run()),
    () => db.script("delete from lark"),
  ])
    expect(isBusy(await write().catch((error: unknown) => error))).toBe(true)
  expect(await statement(db, "select count(*) as n from lark").get()).toEqual({ n: 0 })
  await db.patiently(() => insert.run())
  expect(await statement(db, "select count(*) as n from lark").get()).toEqual({ n: 1 })
  await once(other, "exit")
})

test("SQLite's lock errors are distinguished from other errors", async () => {
  const other = await writing(join(folder, "state.db"))
  using db = new DatabaseSync(join(folder, "state.db"), { timeout: 0 })
  const failed = (sql: string): unknown => {
    try {
      db.exec(sql)
    } catch (error) {
      return error
    }
    return null
  }
  expect(isBusy(failed("begin immediate"))).toBe(true)
  expect(isBusy(failed("select"))).toBe(false)
  await once(other, "exit")
})

test("a file being read switches to write-ahead logging as soon as its reader is done", async () => {
  const path = join(folder, "read.db")
  using db = new DatabaseSync(path, { timeout: 0 })
  db.exec("create table t (x)")
  const other = await having(path, "begin; select * from t")
  useWal(db)
  expect(db.prepare("pragma journal_mode").get()).toEqual({ journal_mode: "wal" })
  await once(other, "exit")
  // A permanent error is reported at once.
  using none = new DatabaseSync(path, { readOnly: true, open: false })
  const tries = vi.spyOn(none, "exec")
  expect(() => useWal(none)).toThrow("not open")
  expect(tries).toHaveBeenCalledTimes(1)
})

test("a file that is busy for ten seconds is given up", () => {
  using db = new DatabaseSync(join(folder, "held.db"))
  using _ = vi
    .spyOn(performance, "now")
    .mockReturnValueOnce(5)
    .mockReturnValueOnce(10_004.9)
    .mockReturnValue(10_005)
  const locked = Object.assign(new Error("database is locked"), { errcode: 5 })
  using tries = vi.spyOn(db, "exec").mockImplementation(() => {
    throw locked
  })
  expect(() => useWal(db)).toThrow(locked)
  expect(tries).toHaveBeenCalledTimes(2)
})

test("a file is opened read-only, including its write-ahead log", () => {
  const path = join(folder, "ahead.db")
  using db = new DatabaseSync(path)
  useWal(db)
  db.exec("create table t (x); insert into t values (1)")
  using read = openToRead(path)
  expect(read.prepare("select x from t").get()).toEqual({ x: 1 })
  expect(() => read.exec("delete from t")).toThrow("readonly")
  expect(read.prepare("pragma busy_timeout").get()).toEqual({ timeout: BUSY_MS })
})

test("a file without write-ahead logging is opened read-only too, and read as it is at the time", () => {
  const path = join(folder, "behind.db")
  using db = new DatabaseSync(path)
  db.exec("create table t (x); insert into t values (1)")
  using read = openToRead(path)
  expect(read.prepare("select x from t").all()).toEqual([{ x: 1 }])
  db.exec("insert into t values (2)")
  expect(read.prepare("select x from t").all()).toEqual([{ x: 1 }, { x: 2 }])
})

test("a store waits as long as it is set to, or as the most patient of its callers asks", async () => {
  const applied: number[] = []
  const patience = new Patience((ms) => applied.push(ms))
  patience.ms = 700
  const ends = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const work = [1000, 500].map((ms, at) => patience.during(ms, () => ends[at]!.promise))
  ends[0]!.resolve()
  await work[0]
  patience.ms = 0
  ends[1]!.resolve()
  await work[1]
  expect([patience.ms, applied]).toEqual([0, [700, 1000, 1000, 700, 500, 0]])
  await expect(patience.during(9, () => Promise.reject(new Error("no")))).rejects.toThrow("no")
  expect(applied.slice(6)).toEqual([9, 0])
})
