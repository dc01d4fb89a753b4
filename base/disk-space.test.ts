import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect, test } from "vitest"

import { UnwritableError, unwritableOr, DiskRoom, freeBytes, isUnwritable } from "./disk-space.ts"
import { freeSpace } from "./free-space.ts"
import { openStateStore, transaction } from "./store/state-store.ts"

const folder = mkdtempSync(join(tmpdir(), "fossick-"))
afterAll(() => rmSync(folder, { recursive: true }))

const MB = 1_000_000
const setting = freeSpace({ name: "FOSSICK_TEST", default: "0", about: "" })

describe("a full disk", () => {
  test.each([
    ["the system", Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" })],
    ["the system, of a quota", Object.assign(new Error("write"), { code: "EDQUOT" })],
    [
      "SQLite",
      Object.assign(new Error("database or disk is full"), { code: "ERR_SQLITE_ERROR", errcode: 13 }),
    ],
    [
      "LanceDB",
      new Error("lance error: LanceError(IO): External error: No space left on device (os error 28)"),
    ],
    ["a cause", new Error("The index cannot be used", { cause: new Error("os error 28") })],
    ["us", new UnwritableError("The disk is full")],
  ])("is told from what %s says", (_, error) => {
    expect(isUnwritable(error)).toBe(true)
    const told = unwritableOr(error, folder) as Error
    expect(told.message).toMatch(/^The disk is full: \d+ MB left for /)
    expect(told.message).toContain(folder)
  })

  test.each([
    ["the system", Object.assign(new Error("EROFS: read-only file system, open"), { code: "EROFS" })],
    ["LanceDB", new Error("lance error: LanceError(IO): Read-only file system (os error 30)")],
  ])("is told like a read-only one by %s", (_, error) => {
    expect(isUnwritable(error)).toBe(true)
  })

  test("is told from no other failure", () => {
    const ioError = Object.assign(new Error("disk I/O error"), { code: "ERR_SQLITE_ERROR", errcode: 778 })
    for (const error of [new Error("no such table"), ioError, "full", undefined]) {
      expect(isUnwritable(error, folder)).toBe(false)
      expect(unwritableOr(error, folder)).toBe(error)
    }
  })

  test("fails a transaction by name and folder, leaves nothing of it, and all is well once there is room", () => {
    using db = openStateStore(folder)
    db.exec("create table t (x text)")
    const insert = () =>
      transaction(db, () => {
        db.prepare("insert into t values ('first')").run()
        db.prepare("insert into t values (?)").run("x".repeat(MB))
      })
    const { max_page_count: before } = db.prepare("pragma max_page_count").get()!
    db.exec("pragma max_page_count = 1")
    expect(insert).toThrow(UnwritableError)
    expect(insert).toThrow(folder)
    expect(db.isTransaction).toBe(false)
    expect(db.prepare("select count(*) as n from t").get()).toEqual({ n: 0 })
    db.exec(`pragma max_page_count = ${Number(before)}`)
    insert()
    expect(db.prepare("select count(*) as n from t").get()).toEqual({ n: 2 })
  })
})

test.each([
  "Object.assign(new Error('write'), { code: 'ENOSPC' })",
  "new UnwritableError('The disk is full: 0 MB left for /elsewhere.')",
])("a command that fails of it says so in one line: %s", (error) => {
  const code = `
      import { UnwritableError } from "./base/disk-space.ts"
      import { runCommand } from "./base/run-command.ts"
      await runCommand("try", () => { throw ${error} })`
  const { status, stderr } = spawnSync(process.execPath, ["--input-type=module", "--eval", code], {
    cwd: join(import.meta.dirname, ".."),
    env: { PATH: process.env["PATH"], FOSSICK_DATA_DIR: error.includes("elsewhere") ? "/none" : folder },
    encoding: "utf8",
  })
  expect(stderr).toMatch(/^The disk is full: \d+ MB left for .*\n$/)
  expect(stderr).toContain(error.includes("elsewhere") ? "/elsewhere" : folder)
  expect(status).toBe(1)
})

describe("room on the disk", () => {
  test("is that of the folder's disk, also before the folder is there", () => {
    const free = freeBytes(folder)
    expect(free).toBeGreaterThan(0)
    expect(freeBytes(join(folder, "not/yet"))).toBeCloseTo(free, -9)
  })

  test("is low below the setting, and enough again with a tenth more", () => {
    let free = 100 * MB
    const room = new DiskRoom("/data", 100, { free: () => free })
    const lowAt = (bytes: number) => {
      free = bytes
      return room.isLow()
    }
    expect([100, 99, 105, 110, 105].map((mb) => lowAt(mb * MB))).toEqual([false, true, true, false, false])
    expect(lowAt(42 * MB)).toBe(true)
    expect(room.note).toMatch(/^The disk of \/data is nearly full: 42 MB left, .* keeps 100 MB free/)
    expect(room.problem()).toContain("42 MB left")
    expect(room.problem()).not.toContain("/data")
    expect(() => room.assertRoom()).toThrow(room.note)
    expect(new DiskRoom("/data", 0, { free: () => 0 }).isLow()).toBe(false)
  })

  test("is told of before it is low, by a mark of its own in bytes or percent of the disk", () => {
    let free = 500 * MB
    const room = new DiskRoom(
      "/data",
      { percent: 10 },
      { warn: 400, free: () => free, total: () => 1000 * MB },
    )
    const told = () => [room.isNear(), room.isLow()]
    expect([told(), room.nearNote(), room.problem()]).toEqual([[false, false], null, null])
    free = 399 * MB
    expect(told()).toEqual([true, false])
    expect(room.nearNote()).toContain(
      "399 MB left, less than FOSSICK_WARN_FREE_MB. Crawls and vectors stop when 100 MB",
    )
    expect(room.problem()).toBe("the disk is filling up (399 MB left)")
    free = 99 * MB
    expect([told(), room.nearNote()]).toEqual([[true, true], null])
    expect(room.note).toContain("keeps 100 MB free")
    // Enough again with a tenth more, of each.
    free = 115 * MB
    expect(told()).toEqual([true, false])
    free = 441 * MB
    expect([told(), room.nearNote()]).toEqual([[false, false], null])
  })

  test.each([
    ["500", 500],
    ["2GB", 2000],
    ["1.5 TB", 1_500_000],
    ["0", 0],
    ["5%", { percent: 5 }],
  ])("is set as %s", (text, space) => {
    expect(setting.parse(text)).toEqual(space)
  })

  test.each(["", "-5", "100%", "5 percent", "2gb", "1e9", "9999999TB"])("is not set as %j", (text) => {
    expect(() => setting.parse(text)).toThrow(
      "must be megabytes (500), with another unit (2GB), or percent of the disk (5%)",
    )
  })

  test("is said to be gone when it is, also where the disk may be filled", () => {
    let free = 2 * MB
    const room = new DiskRoom("/data", 0, { free: () => free })
    expect([room.problem(), room.warning()]).toEqual([null, null])
    free = 4096
    expect(room.problem()).toContain("the disk is full")
    expect(room.problem()).not.toContain("/data")
    expect(room.warning()).toContain("The disk is full: 0 MB left for /data.")
    const careful = new DiskRoom("/data", 100, { free: () => 42 * MB })
    expect(careful.warning()).toBe(careful.note)
  })

  test("is none in a folder that is read-only, whatever is free", () => {
    const room = new DiskRoom("/data", 0, { free: () => 42 * MB, readOnly: () => "EROFS" })
    expect([room.isLow(), room.takesNothing]).toEqual([true, true])
    expect(room.warning()).toMatch(/^The folder \/data is read-only: .*mount its disk for writing/)
    expect(room.problem()).toMatch(/FOSSICK_DATA_DIR.* is read-only/)
    expect(room.problem()).not.toContain("/data")
  })

  test("ends work in bulk when it runs out", async () => {
    let free = 200 * MB
    const room = new DiskRoom("/data", 100, { free: () => free })
    const notes: string[] = []
    using told = room.untilLow(new AbortController().signal, (note) => void notes.push(note))
    expect(told.signal.aborted).toBe(false)
    free = 0
    await expect.poll(() => told.signal.aborted).toBe(true)
    expect(notes).toEqual([room.note])
  })
})
