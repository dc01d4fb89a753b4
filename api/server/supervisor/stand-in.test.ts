import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"

import { openStateStore } from "#base/store/state-store.ts"
import { statement } from "#base/store/testing/statement.ts"
import { temporaryFolder } from "#crawler/testing/crawl-fixture.ts"
import { asItIs, standInFor } from "./stand-in.ts"

test("a stand-in folder has a copy of the state and links to the rest, and leaves no trace", async () => {
  using data = temporaryFolder()
  mkdirSync(join(data.path, "index"))
  mkdirSync(join(data.path, "locks"))
  writeFileSync(join(data.path, "index", "a"), "a page")
  // The database is still open, as after a kill: the last writes are in the write-ahead log.
  using db = await openStateStore(data.path)
  await db.script("create table t (x text)")
  await db.script("insert into t values ('kept')")
  const standIn = standInFor(data.path, "EROFS")
  try {
    expect(statSync(standIn.folder).mode & 0o077).toBe(0)
    expect(readFileSync(join(standIn.folder, "index", "a"), "utf8")).toBe("a page")
    expect(existsSync(join(standIn.folder, "locks"))).toBe(false)
    using copy = await openStateStore(standIn.folder)
    expect(await statement(copy, "select x from t").all()).toEqual([{ x: "kept" }])
    await copy.script("delete from t")
  } finally {
    standIn[Symbol.dispose]()
  }
  expect(existsSync(standIn.folder)).toBe(false)
  expect(readFileSync(join(data.path, "index", "a"), "utf8")).toBe("a page")
  expect(await statement(db, "select x from t").all()).toEqual([{ x: "kept" }])
})

test("a folder with nothing to serve gets no stand-in", () => {
  using data = temporaryFolder()
  expect(() => standInFor(data.path, "EROFS")).toThrow(
    "FOSSICK_DATA_DIR must be a writable folder: mount its disk for writing, or set it to another folder (EROFS: ",
  )
  expect(() => standInFor(data.path, "ENOSPC")).toThrow(
    "make room on its disk, or set it to another folder (ENOSPC: ",
  )
  expect(asItIs(data.path, "EACCES")).toContain(`The folder ${data.path} cannot be written to (EACCES)`)
})
