import { mkdtempSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { expect, onTestFinished, test } from "vitest"

import type { StateStore } from "./state-port.ts"
import { SqliteStore } from "./sqlite/sqlite-store.ts"
import { statement } from "./testing/statement.ts"
import { giveBack, openStateFile } from "./state-store.ts"

const MB = 1_000_000
const ROWS = 2000

/** A `state.db` with rows of 4 KB. `isOld`: whether to create it as older versions did. */
async function filled(isOld = false) {
  const folder = mkdtempSync(join(tmpdir(), "fossick-"))
  const db = await openStateFile(folder)
  onTestFinished(() => {
    db.close()
    rmSync(folder, { recursive: true })
  })
  if (isOld) await db.script("pragma auto_vacuum = none; vacuum")
  await db.script("create table thing (id integer primary key, text text not null) strict")
  await db.script(
    `insert into thing (text) select hex(randomblob(2000)) from json_each('[' || substr('${"0,".repeat(ROWS)}', 1, ${2 * ROWS - 1}) || ']')`,
  )
  await db.script("pragma wal_checkpoint(truncate)")
  return { folder, db, size: () => statSync(join(folder, "state.db")).size }
}

test("the space of deleted rows is released, except room for the next ones", async () => {
  const { db, size } = await filled()
  const full = size()
  expect(full).toBeGreaterThan(7 * MB)
  await giveBack(db)
  expect(size()).toBe(full)
  await db.script("delete from thing where id > 100; pragma wal_checkpoint(truncate)")
  expect(size()).toBe(full)
  await giveBack(db)
  expect(size()).toBeLessThan(2 * MB)
  expect(await statement(db, "select count(*) as n from thing").get()).toEqual({ n: 100 })
  expect(await statement(db, "pragma integrity_check").get()).toEqual({ integrity_check: "ok" })
})

test("a file of an older version keeps its length, and its rows", async () => {
  const { db, size } = await filled(true)
  const full = size()
  await db.script("delete from thing where id > 100")
  await giveBack(db)
  expect(size()).toBe(full)
  using memory = new DatabaseSync(":memory:")
  await giveBack(new SqliteStore(memory))
})

test("the write-ahead log is small once it is in the file, however large it was", async () => {
  const { folder, db } = await filled()
  const ahead = () => statSync(join(folder, "state.db-wal")).size
  const { changes } = await statement(db, "update thing set text = hex(randomblob(6000))").run()
  expect(changes).toBe(ROWS)
  expect(ahead()).toBeGreaterThan(20 * MB)
  // The next writer restarts the log.
  await db.script("pragma wal_checkpoint(passive)")
  await statement(db, "delete from thing where id = 1").run()
  expect(ahead()).toBeLessThan(17 * MB)
  expect(ahead()).toBeGreaterThan(16 * MB)
})

/** The statements that `giveBack` runs on a file with this many free pages. */
async function saidTo({
  free = 0,
  pages = 1,
  vacuum = 2,
  location = "state.db" as string | null,
  given = 128,
}) {
  const said: string[] = []
  const numbers: Readonly<Record<string, () => number>> = {
    "pragma auto_vacuum": () => vacuum,
    "pragma freelist_count": () => free,
    "pragma page_count": () => pages,
  }
  const db = {
    location: () => location,
    native: (sql: string) => ({ ask: () => ({ rows: [{ n: numbers[sql]!() }] }) }),
    script: (sql: string) => {
      said.push(sql)
      if (!sql.startsWith("pragma incremental_vacuum")) return
      free -= given
      pages -= given
    },
  }
  await giveBack(db as unknown as StateStore)
  return said
}

test("space is released in steps, and only if there is enough of it", async () => {
  const [vacuum, checkpoint] = ["pragma incremental_vacuum(128)", "pragma wal_checkpoint(passive)"]
  expect(await saidTo({ free: 256 })).toEqual([])
  expect(await saidTo({ free: 257, pages: 300 })).toEqual([vacuum, checkpoint])
  expect(await saidTo({ free: 1000, pages: 4000 })).toEqual([])
  expect(await saidTo({ free: 1001, pages: 4000 })).toEqual([vacuum, checkpoint])
  expect(await saidTo({ free: 600, pages: 1000 })).toEqual([vacuum, vacuum, vacuum, checkpoint])
  // Nothing happens to a file from an older version, or to a state in memory or on a server; a file that releases
  // nothing is not retried forever.
  expect(await saidTo({ free: 600, vacuum: 1 })).toEqual([])
  expect(await saidTo({ free: 600, location: null })).toEqual([])
  expect(await saidTo({ free: 600, given: 0 })).toEqual([vacuum, checkpoint])
})
