import { spawnSync } from "node:child_process"
import type * as Files from "node:fs"
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest"

import { makeFolder, readOnlyBecause } from "./folder.ts"
import { openToRead } from "./store/sqlite/busy.ts"
import { openStateStore } from "./store/state-store.ts"

// A folder that a separate process sees as mounted read-only.

const dir = mkdtempSync(join(tmpdir(), "fossick-read-only-"))
afterAll(() => rmSync(dir, { recursive: true }))
afterEach(() => {
  vi.doUnmock("node:fs")
  vi.resetModules()
})

const READ_ONLY = 'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0"'

/** Runs a program in a process that cannot write to the folder, whose path is in the variable `dir` of the program. @returns the program's output */
function inside(program: string): string {
  const code = `
    import { readOnlyBecause } from "./base/folder.ts"
    import { isUnwritable, unwritableMessage, DiskRoom } from "./base/disk-space.ts"
    import { openToRead } from "./base/store/sqlite/busy.ts"
    import { openStateStore } from "./base/store/state-store.ts"
    import { DatabaseSync } from "node:sqlite"
    const dir = ${JSON.stringify(dir)}
    const error = (work) => { try { return work() } catch (thrown) { return thrown } }
    ${program}`
  const { stdout, stderr } = spawnSync(
    "unshare",
    [
      "-rm",
      "sh",
      "-c",
      `${READ_ONLY} && exec "${process.execPath}" --disable-warning=ExperimentalWarning --input-type=module --eval "$1"`,
      dir,
      code,
    ],
    { cwd: join(import.meta.dirname, ".."), encoding: "utf8" },
  )
  return stdout + stderr
}

describe("a read-only folder", { tags: ["mounts"] }, () => {
  beforeAll(async () => {
    using db = await openStateStore(dir)
    await db.script("create table t (x text)")
    await db.script("insert into t values ('kept')")
  })

  test("is named, with instructions, in every failure", () => {
    const said = inside(`
      const room = new DiskRoom(dir, 0)
      console.log(readOnlyBecause(dir), room.isLow(), room.takesNothing, room.problem().includes(dir))
      const failed = await openStateStore(dir).catch((error) => error)
      console.log(failed.code, isUnwritable(failed))
      console.log(unwritableMessage(dir))
      console.log(room.problem())
      console.log(readOnlyBecause(dir + "/new/data"))`).split("\n")
    expect(said[0]).toBe("EROFS true true false")
    expect(said[1]).toBe("EROFS true")
    expect(said[2]).toBe(
      `The folder ${dir} is read-only: nothing can be stored in it. To fix this, mount its disk for writing; the data in it is safe.`,
    )
    expect(said[3]).toMatch(
      /^the data folder \(FOSSICK_DATA_DIR\) is read-only: .*mount its disk for writing$/,
    )
    // A folder that cannot be created there is as read-only as the disk.
    expect(said[4]).toBe("EROFS")
  })

  test("has readable stores, whether they were closed or killed", () => {
    const read = `
      const file = dir + "/state.db"
      console.log(openToRead(file).prepare("select x from t").get().x)
      console.log(isUnwritable(error(() => openToRead(file).exec("insert into t values ('new')")), dir))`
    expect(inside(read)).toBe("kept\ntrue\n")
    // The database is left open, as after a kill: its write-ahead log is still there.
    using left = new DatabaseSync(join(dir, "state.db"))
    left.exec("update t set x = 'in the log'")
    expect(inside(read)).toBe("in the log\ntrue\n")
  })
})

test("a read-only folder is distinguished from a writable folder and one that can be created", async () => {
  expect(readOnlyBecause(dir)).toBeNull()
  expect(readOnlyBecause(join(dir, "none"))).toBeNull()
  using db = await openStateStore(dir)
  await db.script("create table if not exists t (x text)")
  using reading = openToRead(join(dir, "state.db"))
  // The reader sees changes by the writer.
  await db.script("delete from t")
  await db.script("insert into t values ('now')")
  expect(reading.prepare("select x from t").all()).toEqual([{ x: "now" }])
})

describe("a folder that the system refuses", () => {
  /** The reason why the folder cannot be written to, and the message, for a simulated system error. */
  async function refused(call: "accessSync" | "utimesSync", code: string) {
    vi.doMock("node:fs", async (original) => {
      const fail = () => {
        throw Object.assign(new Error(code), { code })
      }
      return { ...(await original<typeof Files>()), [call]: fail }
    })
    vi.resetModules()
    const { unwritableBecause, unwritableMessage } = await import("./disk-space.ts")
    const because = unwritableBecause(dir)
    return [because, because && unwritableMessage(dir).replace(dir, "…")]
  }
  const said = (next: string) =>
    `The folder … is read-only: nothing can be stored in it. To fix this, ${next}; the data in it is safe.`

  test.each([
    ["EROFS", "mount its disk for writing"],
    ["EACCES", "give it to the user who runs Fossick"],
    ["EPERM", "give it to the user who runs Fossick"],
  ])("is recognised by %s", async (code, next) => {
    expect(await refused("accessSync", code)).toEqual([code, said(next)])
  })

  test("can be refused only after disk errors, when it is written to", async () => {
    expect(await refused("utimesSync", "EROFS")).toEqual(["EROFS", said("mount its disk for writing")])
  })

  test("for another reason is not called read-only", async () => {
    expect(await refused("accessSync", "EIO")).toEqual([null, null])
    // Folders that belong to other users but that everyone may write to.
    expect(await refused("utimesSync", "EPERM")).toEqual([null, null])
  })
})

describe("creating a folder", () => {
  test("creates its parents with the same mode, and accepts an existing folder", () => {
    const below = join(dir, "a", "b", "c")
    makeFolder(below, 0o700)
    makeFolder(below, 0o755)
    expect([below, join(dir, "a")].map((path) => statSync(path).mode & 0o777)).toEqual([0o700, 0o700])
  })

  test("fails if there is a file in its place or above it", () => {
    const file = join(dir, "file")
    writeFileSync(file, "")
    expect(() => makeFolder(file)).toThrow("EEXIST")
    expect(() => makeFolder(join(file, "below"))).toThrow("ENOTDIR")
  })

  // Node's own recursive mkdir never returns for this path.
  test("fails at once in a file system that cannot create folders", { tags: ["linux"] }, () => {
    for (const path of ["/proc/foo", "/proc/foo/bar"]) {
      expect(() => makeFolder(path)).toThrow(expect.objectContaining({ code: "ENOENT" }))
    }
  })
})
