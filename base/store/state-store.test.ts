import { SqliteStore } from "./sqlite/sqlite-store.ts"
import { statement } from "./testing/statement.ts"
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { afterAll, expect, test, vi } from "vitest"

import { UnwritableError } from "../disk-space.ts"
import { GENERATION } from "./state-generation.ts"
import { migrate, openStateFile, openStateStore, SCHEMA_VERSION, transaction } from "./state-store.ts"
import { openFiles } from "./testing/open-files.ts"
import { RESTORING } from "./unfinished-restore.ts"

const folder = mkdtempSync(join(tmpdir(), "fossick-"))
afterAll(() => rmSync(folder, { recursive: true }))

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)
const modes = (dir: string) => new Set(readdirSync(dir).map((name) => modeOf(join(dir, name))))

test("data is accessible only to its owner, whether new or existing", { tags: ["posix"] }, async () => {
  const fresh = join(folder, "new/data")
  const left = join(folder, "left")
  mkdirSync(left)
  {
    using old = await openStateStore(left)
    await old.script("create table t (x)")
  }
  using held = await openStateStore(left)
  await held.script("create table h (x)")
  chmodSync(left, 0o755)
  for (const end of ["", "-wal", "-shm"]) chmodSync(join(left, `state.db${end}`), 0o644)
  for (const dir of [fresh, left]) {
    using db = await openStateStore(dir)
    await db.script("create table if not exists u (x)")
    expect(modeOf(dir)).toBe("700")
    expect(readdirSync(dir)).toContain("state.db-wal")
    expect(modes(dir)).toEqual(new Set(["600"]))
  }
})

test(
  "opening the state reports that it closed a used folder to others, but not the empty one of a fresh clone",
  { tags: ["posix"] },
  async () => {
    const dir = join(folder, "cloned")
    mkdirSync(dir)
    const said = vi.spyOn(process.stderr, "write").mockReturnValue(true)
    const opened = async () => {
      using _ = await openStateStore(dir)
    }
    try {
      await opened()
      expect(modeOf(dir)).toBe("700")
      expect(said).not.toHaveBeenCalled()
      chmodSync(dir, 0o755)
      chmodSync(join(dir, "state.db"), 0o604)
      // Only the owner of a file may tighten its permissions.
      const { getuid } = process
      const other = vi.spyOn(process as Required<typeof process>, "getuid").mockReturnValue(getuid!() + 1)
      await opened()
      other.mockRestore()
      expect([modeOf(dir), said.mock.calls]).toEqual(["755", []])
      await opened()
      expect(modeOf(dir)).toBe("700")
      expect(said.mock.calls.map(([text]) => text)).toEqual([
        `${dir} was accessible to other users (mode 755); now only its owner can access it.\n`,
        `${join(dir, "state.db")} was accessible to other users (mode 604); now only its owner can access it.\n`,
      ])
    } finally {
      said.mockRestore()
    }
  },
)

test("a new folder has a state that begins with its id and its time, and commits without waiting for the disk", async () => {
  using db = await openStateFile(join(folder, "begun"))
  expect(await statement(db, "select part, version from schema_version order by part").all()).toEqual([
    { part: "identity", version: 1 },
    { part: "state", version: GENERATION },
    { part: "trusted-time", version: 1 },
  ])
  expect(await statement(db, "pragma synchronous").get()).toEqual({ synchronous: 1 })
  expect(await statement(db, "pragma foreign_keys").get()).toEqual({ foreign_keys: 1 })
})

test("a folder that may not be opened, or is from a newer version, stays closed", async () => {
  const dir = join(folder, "newer")
  {
    using db = await openStateFile(dir)
    await db.script("update schema_version set version = 99 where part = 'trusted-time'")
  }
  await expect(() => openStateStore(dir)).rejects.toThrow(
    "state.db was written by a newer Fossick (trusted-time 99, this one knows 1)",
  )
  expect(openFiles(dir)).toEqual([])
  mkdirSync(join(dir, RESTORING))
  await expect(() => openStateStore(dir)).rejects.toThrow("A restore into FOSSICK_DATA_DIR is running")
})

test("an interrupted first start is started again", async () => {
  const dir = join(folder, "cut short")
  mkdirSync(dir)
  {
    using db = new DatabaseSync(join(dir, "state.db"))
    db.exec(SCHEMA_VERSION)
  }
  using db = await openStateFile(dir)
  expect(await statement(db, "select version from schema_version where part = 'state'").get()).toEqual({
    version: GENERATION,
  })
})

test("an existing state opens without writing anything, as on a full disk", async () => {
  using db = new SqliteStore(new DatabaseSync(":memory:"))
  const steps = [() => "create table a (x)"]
  await db.script(SCHEMA_VERSION)
  migrate(db, "new", steps)
  await db.script("pragma query_only = on")
  migrate(db, "new", steps)
  await db.ready()
  migrate(db, "new", [...steps, () => "create table b (x)"])
  await expect(db.ready()).rejects.toThrow("readonly")
})

test("a transaction that ended early reports its error, and one without room says what to do", async () => {
  using db = await openStateFile(join(folder, "full"))
  await expect(() =>
    transaction(db, async () => {
      db.file.exec("rollback")
      throw new Error("a mistake")
    }),
  ).rejects.toThrow("a mistake")
  using memory = new SqliteStore(new DatabaseSync(":memory:"))
  for (const [store, told] of [
    [db, UnwritableError],
    [memory, "full"],
  ] as const) {
    await store.script("create table t (x blob); pragma max_page_count = 1")
    const fill = () => transaction(store, () => store.script("insert into t values (zeroblob(1000000))"))
    await expect(fill).rejects.toThrow(told)
    expect(store.file.isTransaction).toBe(false)
  }
})
