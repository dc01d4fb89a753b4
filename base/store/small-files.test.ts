import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs"
import { once } from "node:events"
import { hostname, tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { Worker } from "node:worker_threads"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { KnownError } from "../errors.ts"
import { garbageCollector } from "../process/garbage-collector.ts"
import { SettingsError } from "../settings.ts"
import { SqliteStore } from "./sqlite/sqlite-store.ts"
import { miscounted, recount } from "./rows/counts.ts"
import { dateOrNull } from "./date-columns.ts"
import { takeFolder, tryLock } from "./file-lock.ts"
import { isDamagedSqlite, lockFile } from "./lock-file.ts"
import { canRebuildState, rebuildState, stateDamage } from "./sqlite/rebuild-state.ts"
import { replaceFile } from "./replace-file.ts"
import { readSealed, readTwins, writeSealed, writeTwins } from "./sealed-json.ts"
import { openFiles } from "./testing/open-files.ts"
import { refuseUnfinishedRestore } from "./unfinished-restore.ts"

let folder: string
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), "fossick-small-"))))
afterEach(() => rmSync(folder, { recursive: true }))

const file = (name: string) => join(folder, name)

describe("a sealed file", () => {
  test("contains readable text, and leaves no other file behind", async () => {
    await writeSealed(file("a.json"), { name: "docs", pages: 3 })
    expect(await readSealed(file("a.json"))).toEqual({ value: { name: "docs", pages: 3 }, damage: null })
    expect(readFileSync(file("a.json"), "utf8")).toMatch(
      /^\{\n {2}"name": "docs",\n {2}"pages": 3,\n {2}"checksum": "[0-9a-f]{8}"\n\}\n$/,
    )
    expect(readdirSync(folder)).toEqual(["a.json"])
    expect(openFiles(folder)).toEqual([])
    // A checksum that begins with a zero keeps all its digits.
    for (let n = 0; n < 64; n++) {
      await writeSealed(file("a.json"), { n })
      expect(await readSealed(file("a.json"))).toEqual({ value: { n }, damage: null })
      expect(readFileSync(file("a.json"), "utf8")).toMatch(/"[0-9a-f]{8}"/)
    }
  })

  test("is damaged if a byte changed, if it is not JSON, or if its content is impossible", async () => {
    await writeSealed(file("a.json"), { name: "docs" })
    const damaged = { value: null, damage: "is damaged" }
    const text = readFileSync(file("a.json"), "utf8")
    writeFileSync(file("a.json"), text.replace("docs", "dogs"))
    expect(await readSealed(file("a.json"))).toEqual(damaged)
    writeFileSync(file("a.json"), text.slice(0, -3))
    expect(await readSealed(file("a.json"))).toEqual(damaged)
    writeFileSync(file("a.json"), text)
    expect(await readSealed<{ name: string }>(file("a.json"), ({ name }) => name === "other")).toEqual(
      damaged,
    )
    expect(await readSealed<{ name: string }>(file("a.json"), ({ name }) => name === "docs")).toMatchObject({
      damage: null,
    })
  })

  test("is accepted without a checksum, as people write it, and a missing one is not damaged", async () => {
    writeFileSync(file("a.json"), '{"name":"docs"}')
    expect(await readSealed(file("a.json"))).toEqual({ value: { name: "docs" }, damage: null })
    expect(await readSealed(file("none.json"))).toEqual({ value: null, damage: null })
    mkdirSync(file("folder.json"))
    expect(await readSealed(file("folder.json"))).toEqual({ value: null, damage: "cannot be read (EISDIR)" })
  })

  test("written twice is read from either copy, and each damaged or missing copy is reported", async () => {
    const [path, copy] = [file("index.json"), file("index-copy.json")]
    expect(await readTwins(path)).toEqual({ value: null, damaged: [] })
    await writeTwins(path, { n: 1 })
    expect(await readTwins(path)).toEqual({ value: { n: 1 }, damaged: [] })
    writeFileSync(path, "x")
    expect(await readTwins(path)).toEqual({ value: { n: 1 }, damaged: [{ path, damage: "is damaged" }] })
    rmSync(path)
    expect(await readTwins(path)).toEqual({ value: { n: 1 }, damaged: [{ path, damage: "is missing" }] })
    writeFileSync(copy, "x")
    expect(await readTwins(path)).toEqual({
      value: null,
      damaged: [
        { path, damage: "is missing" },
        { path: copy, damage: "is damaged" },
      ],
    })
    await writeSealed(path, { n: 2 })
    await writeSealed(copy, { n: 1 })
    expect(await readTwins(path)).toEqual({ value: { n: 2 }, damaged: [] })
    expect(await readTwins<{ n: number }>(path, ({ n }) => n === 1)).toMatchObject({ value: { n: 1 } })
    mkdirSync(file("of.json"))
    await writeTwins(join(file("of.json"), "index.json"), { n: 3 })
    expect(readdirSync(file("of.json")).toSorted()).toEqual(["index-copy.json", "index.json"])
  })
})

test("a file is replaced as a whole, and nothing stays beside it", async () => {
  await replaceFile(file("a"), "one")
  await replaceFile(file("a"), [Buffer.from("tw"), Buffer.from("o")])
  expect([readFileSync(file("a"), "utf8"), readdirSync(folder)]).toEqual(["two", ["a"]])
})

test("an interrupted restore is refused, with ways to continue", () => {
  expect(() => refuseUnfinishedRestore(folder)).not.toThrow()
  const restoring = file("restoring")
  mkdirSync(restoring)
  const refused = () => refuseUnfinishedRestore(folder)
  expect(refused).toThrow(SettingsError)
  expect(refused).toThrow(
    `- A restore into FOSSICK_DATA_DIR is running or was interrupted: run fossick restore again, or remove ${restoring} to keep the earlier data`,
  )
  writeFileSync(join(restoring, "plan.json"), "{}")
  expect(refused).toThrow(/was interrupted: run fossick restore again$/)
})

test("a moment in a column becomes a date, and null stays null", () => {
  expect([dateOrNull(null), dateOrNull(5), dateOrNull("7"), dateOrNull(9n)]).toEqual([
    null,
    new Date(5),
    new Date(7),
    new Date(9),
  ])
})

test("differing counts are counted on both sides, and then corrected", async () => {
  using db = new SqliteStore(new DatabaseSync(":memory:"))
  const count = {
    of: "thing",
    is: "select name, n from tally",
    should: "select name, count(*) as n from thing group by name",
    mend: "delete from tally; insert into tally select name, count(*) from thing group by name",
  }
  expect(await miscounted(db, count)).toBe(0)
  await db.script("create table thing (name text); create table tally (name text, n integer)")
  await db.script("insert into thing values ('a'), ('a'), ('b'); insert into tally values ('a', 2), ('c', 1)")
  expect(await miscounted(db, count)).toBe(2)
  await recount(db, count)
  expect([await miscounted(db, count), db.file.isTransaction]).toEqual([0, false])
})

describe("a lock", () => {
  test("has one holder at a time, is free once that one ends, and can be taken on a damaged file", () => {
    const path = file("x.lock")
    {
      using first = tryLock(path)
      expect(first).not.toBeNull()
      expect(tryLock(path)).toBeNull()
      expect(() => lockFile(path, 0)).toThrow("locked")
    }
    // Failed attempts leave no open files behind.
    expect(openFiles(path)).toEqual([])
    {
      using again = lockFile(path, 0)
      expect([again !== undefined, tryLock(path)]).toEqual([true, null])
    }
    for (const lock of [() => tryLock(path)!, () => lockFile(path, 0)]) {
      writeFileSync(path, "no database at all, and longer than the head of one".repeat(40))
      using anew = lock()
      expect([anew !== undefined, tryLock(path)]).toEqual([true, null])
    }
    const none = join(folder, "none/x.lock")
    expect(() => tryLock(none)).toThrow("unable to open")
    expect(() => lockFile(none, 0)).toThrow("unable to open")
  })

  test("is waited for as long as requested", async () => {
    const path = file("x.lock")
    const other = new Worker(
      `const { parentPort, workerData } = require("node:worker_threads")
       const { DatabaseSync } = require("node:sqlite")
       const db = new DatabaseSync(workerData)
       db.exec("begin exclusive")
       parentPort.postMessage("locked")
       Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300)
       db.close()`,
      { eval: true, workerData: path },
    )
    await once(other, "message")
    using lock = lockFile(path, 600_000)
    expect([lock !== undefined, tryLock(path)]).toEqual([true, null])
    await once(other, "exit")
  })

  test("counts as damaged only by SQLite's own error codes", () => {
    const said = (code: unknown, errcode: unknown) => isDamagedSqlite({ code, errcode })
    for (const errcode of [11, 26, 11 | (1 << 8), 26 | (2 << 8)])
      expect(said("ERR_SQLITE_ERROR", errcode)).toBe(true)
    for (const [code, errcode] of [
      ["ERR_SQLITE_ERROR", 5],
      ["ERR_SQLITE_ERROR", "26"],
      ["ERR_SQLITE_ERROR", undefined],
      ["ENOENT", 26],
    ])
      expect(said(code, errcode)).toBe(false)
  })
})

describe("a data folder", () => {
  // A process keeps the roles it takes until it ends, so each test has its own folder and can use any role names.
  const taken = (role: "appliance" | "crawler", isShared = false) =>
    takeFolder(folder, role, { isShared }).then(
      () => "taken",
      (error: Error) => {
        expect(error).toBeInstanceOf(KnownError)
        return error.message
      },
    )

  test("belongs to one appliance, and another learns whose it is", async () => {
    expect(await taken("appliance")).toBe("taken")
    expect(readFileSync(file("locks/appliance.pid"), "utf8")).toBe(`${process.pid} ${hostname()}\n`)
    expect(await taken("appliance")).toBe(
      `Another appliance (process ${process.pid}) is using ${folder}. Stop it first, or set FOSSICK_DATA_DIR to another folder for this one.`,
    )
    // The crawler has a separate role.
    expect(await taken("crawler")).toBe("taken")
    const said = `Another crawler%s is using ${folder}. Stop it first, or set FOSSICK_DATA_DIR to another folder for this appliance.`
    writeFileSync(file("locks/crawler.pid"), "77 elsewhere\n")
    expect(await taken("crawler")).toBe(said.replace("%s", " (process 77 on elsewhere)"))
    writeFileSync(file("locks/crawler.pid"), "\n")
    expect(await taken("crawler")).toBe(said.replace("%s", ""))
    rmSync(file("locks/crawler.pid"))
    expect(await taken("crawler")).toBe(said.replace("%s", ""))
    expect(await taken("crawler", true)).toBe(said.replace("%s", ""))
  })

  test("is shared by up to the number of places, but not with one that wants it alone", async () => {
    expect(await taken("appliance", true)).toBe("taken")
    expect(existsSync(file("locks/appliance-2.pid"))).toBe(true)
    expect(await taken("appliance")).toContain(`Another appliance (process ${process.pid}) is using`)
    expect(await taken("appliance", true)).toBe("taken")
    const places = readdirSync(file("locks")).filter((name) => name.endsWith(".pid"))
    expect(places.toSorted()).toEqual(["appliance-2.pid", "appliance-3.pid"])
    for (let more = 3; more <= 32; more++) expect(await taken("appliance", true)).toBe("taken")
    writeFileSync(file("locks/appliance-2.pid"), "5 elsewhere\n")
    expect(await taken("appliance", true)).toContain("(process 5 on elsewhere)")
    expect(existsSync(file("locks/appliance-33.lock"))).toBe(true)
  })

  test("is taken alone if old places were left behind, unless one is still in use", async () => {
    expect(await taken("crawler")).toBe("taken")
    const places = readdirSync(file("locks")).filter((name) => !name.endsWith("-journal"))
    expect(places.toSorted()).toEqual(["crawler.lock", "crawler.pid"])
    {
      using last = tryLock(file("locks/appliance-33.lock"))
      expect(last).not.toBeNull()
      expect(await taken("appliance")).toContain("Another appliance is using")
    }
    expect(await taken("appliance")).toBe("taken")
  })

  test("stays taken, even if nobody keeps the lock object", async () => {
    expect(await taken("crawler")).toBe("taken")
    for (let turn = 0; turn < 3; turn++) {
      garbageCollector()()
      await new Promise((done) => setImmediate(done))
    }
    expect(tryLock(file("locks/crawler.lock"))).toBeNull()
  })

  test("is waited for as long as requested, until the other one has ended", async () => {
    mkdirSync(file("locks"))
    const other = tryLock(file("locks/crawler.lock"))!
    const waiting = takeFolder(folder, "crawler", { patienceMs: 600_000 })
    await new Promise((done) => setImmediate(done))
    other[Symbol.dispose]()
    await waiting
    expect(existsSync(file("locks/crawler.pid"))).toBe(true)
  })
})

describe("a damaged state.db", () => {
  const now = new Date("2026-05-03T04:05:06.789Z")
  function write(): void {
    using db = new DatabaseSync(file("state.db"))
    db.exec(`create table thing (id integer primary key autoincrement, name text not null, n integer);
      create table part (thing integer not null references later (id)); create table later (id integer primary key);
      insert into later values (1); insert into part values (1);
      create table made (x integer); create index thing_name on thing (name);
      create view names as select name from thing;
      create trigger added after insert on thing begin insert into made values (new.id); end`)
    const add = db.prepare("insert into thing (name, n) values (?, ?)")
    db.exec("begin")
    for (let i = 0; i < 2000; i++) add.run(`name ${i} ${"x".repeat(40)}`, 2n ** 62n + BigInt(i))
    db.exec("delete from thing where id > 1500; commit")
  }

  /** Changes bytes in the first page of an index or a table, but not in the page's header. */
  function damage(name: string): void {
    let page: number
    let size: number
    {
      using db = new DatabaseSync(file("state.db"))
      page = Number(db.prepare("select rootpage from sqlite_master where name = ?").get(name)!["rootpage"])
      size = Number(db.prepare("pragma page_size").get()!["page_size"])
    }
    const bytes = readFileSync(file("state.db"))
    bytes.fill(0xff, (page - 1) * size + 8, (page - 1) * size + 64)
    writeFileSync(file("state.db"), bytes)
  }

  test("is reported in SQLite's words, and an intact one is not", () => {
    expect(stateDamage(folder)).toEqual([])
    write()
    expect(stateDamage(folder)).toEqual([])
    damage("thing_name")
    const told = stateDamage(folder)
    expect(told.length).toBeGreaterThan(0)
    for (const line of told) expect(line).toMatch(/^[^\n]+$/)
    writeFileSync(file("state.db"), "none".repeat(1000))
    expect(stateDamage(folder)).toEqual(["file is not a database"])
  })

  test("is rebuilt with all its contents if its tables can be read, and the old one stays beside it", () => {
    write()
    damage("thing_name")
    for (const left of [
      "state.db-wal",
      "state.db.mending-journal",
      "state.db.mending-wal",
      "state.db.mending-shm",
    ])
      writeFileSync(file(left), "")
    copyFileSync(file("state.db"), file("state.db.mending"))
    const before = readFileSync(file("state.db"))
    expect([canRebuildState(folder), readFileSync(file("state.db")).equals(before)]).toEqual([true, true])
    expect(readdirSync(folder).toSorted()).toEqual(["state.db", "state.db-wal"])
    expect(openFiles(folder)).toEqual([])
    writeFileSync(file("state.db-shm"), "")
    const aside = rebuildState(folder, now)
    expect(openFiles(folder)).toEqual([])
    expect(aside).toBe("state.db.damaged-2026-05-03T04-05-06-789Z")
    expect(readFileSync(file(aside!)).equals(before)).toBe(true)
    expect(readdirSync(folder).toSorted()).toEqual(["state.db", aside, `${aside}-wal`])
    expect(stateDamage(folder)).toEqual([])
    expect(statSync(file("state.db")).mode & 0o777).toBe(0o600)
    // Reading also works without a write-ahead log.
    const next = rebuildState(folder, new Date(now.getTime() + 1))
    expect(next).toBe("state.db.damaged-2026-05-03T04-05-06-790Z")
    expect(readdirSync(folder).toSorted()).toEqual(["state.db", aside, `${aside}-wal`, next])
    using db = new DatabaseSync(file("state.db"))
    // The file can still return the space of deleted rows to the file system.
    expect(db.prepare("pragma auto_vacuum").get()).toEqual({ auto_vacuum: 2 })
    const read = db.prepare("select count(*) as count, min(n) as least, max(n) as most from thing")
    read.setReadBigInts(true)
    expect(read.get()).toEqual({ count: 1500n, least: 2n ** 62n, most: 2n ** 62n + 1499n })
    // Everything that its triggers created exists once; ids are not reused.
    expect(db.prepare("select count(*) as n from made").get()).toEqual({ n: 2000 })
    db.exec("insert into thing (name) values ('new')")
    expect(db.prepare("select max(id) as id from thing").get()).toEqual({ id: 2001 })
    expect(db.prepare("select count(*) as n from made").get()).toEqual({ n: 2001 })
    expect(db.prepare("select count(*) as n from names").get()).toEqual({ n: 1501 })
    expect(db.prepare("explain query plan select 1 from thing where name = 'a'").get()!["detail"]).toContain(
      "thing_name",
    )
  })

  test("stays as it is if a table cannot be read, or if it is not damaged", () => {
    write()
    damage("thing")
    const before = readFileSync(file("state.db"))
    expect([canRebuildState(folder), rebuildState(folder, now)]).toEqual([false, null])
    expect(readdirSync(folder)).toEqual(["state.db"])
    expect(readFileSync(file("state.db")).equals(before)).toBe(true)
    writeFileSync(file("state.db"), "none".repeat(1000))
    expect([canRebuildState(folder), rebuildState(folder, now)]).toEqual([false, null])
  })
})
