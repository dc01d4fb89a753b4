import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, afterEach, describe, expect, test, vi } from "vitest"

import {
  diskOf,
  DiskRoom,
  failedToWrite,
  freeBytes,
  isUnwritable,
  unwritableBecause,
  UnwritableError,
  unwritableOr,
} from "./disk-space.ts"
import { freeSpace, type FreeSpace } from "./free-space.ts"
import { openStateStore, transaction } from "./store/state-store.ts"
import { statement } from "./store/testing/statement.ts"

const folder = mkdtempSync(join(tmpdir(), "fossick-"))
afterAll(() => rmSync(folder, { recursive: true }))
afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

const MB = 1_000_000
/** A path that cannot be checked, but is not missing either. */
const BELOW_A_FILE = join(folder, "file", "below")
writeFileSync(join(folder, "file"), "")
const sqlite = (errcode: number) =>
  Object.assign(new Error("it cannot be done"), { code: "ERR_SQLITE_ERROR", errcode })
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
  ])("is recognised from what %s reports", (_, error) => {
    expect(isUnwritable(error)).toBe(true)
    const told = unwritableOr(error, folder) as Error
    expect([told.name, told.cause]).toEqual(["UnwritableError", error])
    expect(told.message).toMatch(/^The disk is full: \d+ MB left for /)
    expect(told.message).toContain(folder)
  })

  test.each([
    ["the system", Object.assign(new Error("EROFS: read-only file system, open"), { code: "EROFS" })],
    ["LanceDB", new Error("lance error: LanceError(IO): Read-only file system (os error 30)")],
  ])("is treated like a read-only one by %s", (_, error) => {
    expect(isUnwritable(error)).toBe(true)
  })

  test("is not confused with other failures", () => {
    const ioError = Object.assign(new Error("disk I/O error"), { code: "ERR_SQLITE_ERROR", errcode: 778 })
    const other = new Error("it failed", { cause: new Error("no such table") })
    const numbered = Object.assign(new Error("it failed"), { errcode: 13 })
    for (const error of [
      new Error("no such table"),
      ioError,
      sqlite(1),
      other,
      numbered,
      "full",
      undefined,
    ]) {
      expect(isUnwritable(error, folder)).toBe(false)
      expect(unwritableOr(error, folder)).toBe(error)
    }
  })

  test("is recognised by SQLite's error number alone", () => {
    expect([sqlite(13), sqlite(13 + 256)].map((error) => isUnwritable(error))).toEqual([true, true])
  })

  // /proc contains only files that Linux generates, so it has no free space.
  test("explains SQLite's errors when almost nothing is free", { tags: ["linux"] }, () => {
    const numbers = [8, 10, 14, 778, 1, 11]
    expect(unwritableBecause(folder)).toBeNull()
    expect(numbers.map((number) => isUnwritable(sqlite(number), folder))).toEqual(numbers.map(() => false))
    expect(["ENOSPC", "EACCES"]).toContain(unwritableBecause("/proc"))
    expect(numbers.map((number) => isUnwritable(sqlite(number), "/proc"))).toEqual([
      true,
      true,
      true,
      true,
      false,
      false,
    ])
    expect(numbers.map((number) => isUnwritable(sqlite(number)))).toEqual(numbers.map(() => false))
  })

  test("counts as a failed write in SQLite, as does a failing or read-only disk", () => {
    // Errors on write, fsync, directory fsync, truncate, delete, and the shared-memory file; read-only, and its
    // variants.
    for (const number of [778, 1034, 1290, 1546, 2570, 4618, 4874, 8, 264, 1032])
      expect([number, failedToWrite(sqlite(number))]).toEqual([number, true])
    // Errors on read, a short read, busy, corrupt, and no code at all.
    for (const error of [sqlite(266), sqlite(522), sqlite(5), sqlite(11), sqlite(0), new Error("8")])
      expect(failedToWrite(error)).toBe(false)
  })

  test("fails a transaction with name and folder, leaves nothing of it, and lets writes succeed once there is room", async () => {
    using db = await openStateStore(folder)
    await db.script("create table t (x text)")
    const insert = () =>
      transaction(db, async () => {
        await statement(db, "insert into t values ('first')").run()
        await statement(db, "insert into t values (?)").run("x".repeat(MB))
      })
    const { max_page_count: before } = (await statement(db, "pragma max_page_count").get())!
    await db.script("pragma max_page_count = 1")
    await expect(insert).rejects.toThrow(UnwritableError)
    await expect(insert).rejects.toThrow(folder)
    expect(await statement(db, "select count(*) as n from t").get()).toEqual({ n: 0 })
    await db.script(`pragma max_page_count = ${Number(before)}`)
    await insert()
    expect(await statement(db, "select count(*) as n from t").get()).toEqual({ n: 2 })
  })
})

test.each([
  "Object.assign(new Error('write'), { code: 'ENOSPC' })",
  "new UnwritableError('The disk is full: 0 MB left for /elsewhere.')",
])("a command that fails on a full disk says so in one line: %s", (error) => {
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

describe("disk space", () => {
  test("is that of the folder's disk, even before the folder exists", () => {
    const free = freeBytes(folder)
    expect(free).toBeGreaterThan(0)
    expect(freeBytes(join(folder, "not/yet"))).toBeCloseTo(free, -9)
    expect(new DiskRoom(folder, 0).freeBytes).toBeCloseTo(free, -9)
    expect(diskOf(folder)!.totalBytes).toBeGreaterThanOrEqual(free)
  })

  test("is unknown if the folder cannot be looked up", () => {
    expect([diskOf(BELOW_A_FILE), freeBytes(BELOW_A_FILE)]).toEqual([null, Infinity])
    const room = new DiskRoom(BELOW_A_FILE, { percent: 5 })
    expect([room.use, room.leastBytes, room.isLow()]).toEqual([null, 0, false])
  })

  test("is used up to the reserve, whoever uses it", () => {
    const { totalBytes } = diskOf(folder)!
    const room = new DiskRoom(folder, 100, { free: () => 142 * MB })
    expect(room.use).toEqual({ usedBytes: totalBytes - 142 * MB, mostBytes: totalBytes - 100 * MB })
    expect(new DiskRoom(folder, { percent: 50 }).leastBytes).toBeCloseTo(totalBytes / 2, -3)
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
    expect(lowAt(110 * MB)).toBe(false)
    expect(() => room.assertRoom()).not.toThrow()
    expect(new DiskRoom("/data", 0, { free: () => 0 }).isLow()).toBe(false)
  })

  test("triggers a warning before it is low, at a mark in bytes or percent of the disk", () => {
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
      "399 MB left, less than FOSSICK_WARN_FREE_MB. Crawls and vectors will stop when 100 MB",
    )
    expect(room.problem()).toBe("the disk is filling up (399 MB left)")
    free = 99 * MB
    expect([told(), room.nearNote()]).toEqual([[true, true], null])
    expect(room.note).toContain("keeps 100 MB free")
    // Each threshold is cleared once a tenth more space is free.
    free = 115 * MB
    expect(told()).toEqual([true, false])
    free = 441 * MB
    expect([told(), room.nearNote()]).toEqual([[false, false], null])
    // The first check doesn't know which thresholds were passed earlier.
    const at = (warn: FreeSpace) =>
      new DiskRoom("/data", 0, { warn, free: () => 420 * MB, total: () => 1000 * MB }).isNear()
    expect([at(400), at(421), at({ percent: 40 }), at({ percent: 43 })]).toEqual([false, true, false, true])
  })

  test.each([
    ["500", 500],
    ["2GB", 2000],
    ["1.5 TB", 1_500_000],
    ["0", 0],
    ["5%", { percent: 5 }],
  ])("can be set as %s", (text, space) => {
    expect(setting.parse(text)).toEqual(space)
  })

  test.each(["", "-5", "100%", "5 percent", "2gb", "1e9", "9999999TB"])("cannot be set as %j", (text) => {
    expect(() => setting.parse(text)).toThrow(
      "must be a number of megabytes (500), a size with a unit (2GB), or a percentage of the disk (5%)",
    )
  })

  test("is reported as gone when it is, even if the disk may be filled", () => {
    let free = 2 * MB
    const room = new DiskRoom("/data", 0, { free: () => free })
    expect([room.problem(), room.warning()]).toEqual([null, null])
    free = MB
    expect([room.problem(), room.warning(), room.takesNothing]).toEqual([null, null, false])
    free = MB - 1
    expect([room.problem(), room.takesNothing]).toEqual([expect.stringContaining("the disk is full"), true])
    free = 4096
    expect(room.problem()).toContain("the disk is full")
    expect(room.problem()).not.toContain("/data")
    expect(room.warning()).toContain("The disk is full: 0 MB left for /data.")
    const careful = new DiskRoom("/data", 100, { free: () => 42 * MB })
    expect(careful.warning()).toBe(careful.note)
  })

  test("is always low in a read-only folder", () => {
    const room = new DiskRoom("/data", 0, { free: () => 42 * MB, readOnly: () => "EROFS" })
    expect([room.isLow(), room.takesNothing]).toEqual([true, true])
    expect(room.warning()).toMatch(/^The folder \/data is read-only: .*mount its disk for writing/)
    expect(room.problem()).toMatch(/FOSSICK_DATA_DIR.* is read-only/)
    expect(room.problem()).not.toContain("/data")
    // More free space would not help.
    const full = new DiskRoom("/data", 0, { free: () => 0, readOnly: () => "EROFS" })
    expect([full.warning(), full.problem()]).toEqual([full.note, room.problem()])
    expect(full.note).toMatch(/^The folder \/data is read-only/)
  })

  test("is checked again a second later, to see if its folder is writable", () => {
    vi.useFakeTimers({ toFake: ["performance"] })
    let asked = 0
    const room = new DiskRoom("/data", 0, {
      free: () => 42 * MB,
      readOnly: () => (asked++ === 0 ? "EROFS" : null),
    })
    expect([room.readOnly, room.isLow(), room.takesNothing, asked]).toEqual(["EROFS", true, true, 1])
    vi.advanceTimersByTime(999)
    expect([room.readOnly, asked]).toEqual(["EROFS", 1])
    vi.advanceTimersByTime(1)
    expect([room.readOnly, room.isLow(), asked]).toEqual([null, false, 2])
  })

  test("ends bulk work when it runs out", async () => {
    let free = 200 * MB
    const room = new DiskRoom("/data", 100, { free: () => free })
    const notes: string[] = []
    using told = room.untilLow(new AbortController().signal, (note) => void notes.push(note))
    expect(told.signal.aborted).toBe(false)
    free = 0
    await expect.poll(() => told.signal.aborted).toBe(true)
    expect(notes).toEqual([room.note])
    using late = room.untilLow(new AbortController().signal)
    expect(late.signal.aborted).toBe(true)
  })

  test("keeps no process alive by being checked, and is not checked once the work is done", () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] })
    let looks = 0
    const room = new DiskRoom("/data", 100, {
      free: () => {
        looks++
        return 200 * MB
      },
    })
    const started = vi.spyOn(globalThis, "setInterval")
    {
      using _ = room.untilLow(new AbortController().signal)
      expect(started.mock.results.map(({ value }) => value.hasRef())).toEqual([false])
      vi.advanceTimersByTime(3000)
      expect(looks).toBe(4)
    }
    vi.advanceTimersByTime(10_000)
    expect([looks, vi.getTimerCount()]).toEqual([4, 0])
  })
})
