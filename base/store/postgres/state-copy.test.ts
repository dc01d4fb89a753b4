import { mkdtempSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { migrate, openStateFile, type StateStore, type Step, transaction } from "../state-store.ts"
import { statement } from "../testing/statement.ts"
import { SCHEMA_WORDS } from "../query/schema-words.ts"
import { otherGeneration, versionTable } from "../state-generation.ts"
import { PostgresServer } from "../testing/postgres-server.ts"
import { PostgresError } from "./postgres-error.ts"
import { SqliteStore } from "../sqlite/sqlite-store.ts"
import { PostgresStore } from "./postgres-store.ts"
import { copyState, copyToFile, copyToServer } from "./state-copy.ts"
import { serverLocation } from "./state-location.ts"

const STEPS: readonly Step[] = [
  ({ dialect, id, lastingId, integer, real, text, blob, strict, trigger }) =>
    `create table thing (id ${lastingId}, name ${text} not null unique, share ${real}, data ${blob}) ${strict};
     create table part (thing ${integer} not null references thing (id) on delete cascade, text ${text} not null) ${strict};
     create table tally (one ${dialect === "sqlite" ? id : integer} not null check (one = 1), n ${integer} not null) ${strict};
     insert into tally values (1, 0);
     create index part_thing on part (thing);
     ${trigger({ name: "thing_added", on: "insert", table: "thing", does: ["update tally set n = n + 1"] })}`,
]
const MANY: readonly Step[] = [
  ({ id, integer, text, strict, trigger }) =>
    `create table total (n ${integer} not null) ${strict};
     insert into total values (0);
     create table tree (id ${id}, parent ${integer} references tree (id)) ${strict};
     create table leaf (tree ${integer} not null references "tree" (id), name ${text} not null, primary key (tree, name)) ${strict};
     create table word (word ${text} primary key, n ${integer} not null) ${strict};
     ${trigger({ name: "word_added", on: "insert", table: "word", does: ["update total set n = n + 1"] })}`,
]
const ONE: readonly Step[] = [
  ({ id, strict }) => `create table one (n ${id}) ${strict}; insert into one values (1)`,
]
const openThings = (db: StateStore) => migrate(db, "things", STEPS)
const openMany = (db: StateStore) => migrate(db, "many", MANY)

describe("moving a state", { tags: ["postgresql"] }, () => {
  let server: PostgresServer
  let folder: string
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "fossick-"))
    server = await PostgresServer.start()
  })
  afterAll(async () => {
    await server[Symbol.asyncDispose]()
    rmSync(folder, { recursive: true })
  })
  const opened = (schema: string) => new PostgresStore(serverLocation(server.url(schema), "", folder, {}))

  test("keeps it the same in a database and back in a file, where it continues, and refuses a used destination", async () => {
    using from = await openStateFile(join(folder, "from"))
    openThings(from)
    await transaction(from, async () => {
      const add = statement(from, "insert into thing (name, share, data) values (?, ?, ?)")
      for (let i = 0; i < 250; i++) await add.run(`thing ${i} 🙂`, i / 7, new Uint8Array([i % 256, 0]))
      await from.script("delete from thing where id = 250; insert into part values (1, 'a'), (2, 'b')")
    })
    using to = opened("moved")
    const newer: Step = ({ text }) => `alter table thing add column more ${text}`
    // The server runs only the steps that the file has already run; later steps change the copied rows.
    const moved = await copyToServer(from, to, (db) => migrate(db, "things", [...STEPS, newer]))
    expect(moved.map(({ table, rows }) => [table, rows])).toEqual(
      expect.arrayContaining([
        ["thing", 249],
        ["part", 2],
        ["tally", 1],
        ["state_identity", 1],
      ]),
    )
    await expect(async () => await copyToServer(from, to, openThings)).rejects.toThrow(
      "That schema already contains a state.",
    )
    // Triggers did not fire for copied rows, but fire for new ones; ids are not reused.
    expect(await statement(to, "insert into thing (name) values ('new') returning id").get()).toEqual({
      id: 251,
    })
    expect(await statement(to, "select n from tally").get()).toEqual({ n: 251 })
    await to.script("delete from thing where id = 1")
    expect(await statement(to, "select count(*) as n from part").get()).toEqual({ n: 1 })
    migrate(to, "things", [...STEPS, newer])

    const file = join(folder, "back.db")
    expect((await copyToFile(to, file)).find(({ table }) => table === "thing")!.rows).toBe(249)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    {
      using back = new DatabaseSync(file)
      expect(back.prepare("pragma foreign_key_check").all()).toEqual([])
      // The copy can return unused space to the file system, like a state that was a file from the start.
      expect(back.prepare("pragma auto_vacuum").get()).toEqual({ auto_vacuum: 2 })
      expect(back.prepare("insert into thing (name, more) values ('last', 'x') returning id").get()).toEqual({
        id: 252,
      })
      expect(back.prepare("select n from tally").get()).toEqual({ n: 252 })
    }
    await copyState(to, join(folder, "backup.db"))
    using again = opened("again")
    using copy = new SqliteStore(new DatabaseSync(join(folder, "backup.db")))
    expect(await copyToServer(copy, again, (db) => migrate(db, "things", [...STEPS, newer]))).toHaveLength(
      moved.length,
    )
  })

  test("copies all rows into their tables, however many, and in dependency order", async () => {
    using from = await openStateFile(join(folder, "many"))
    openMany(from)
    await from.script("insert into tree values (1, null), (2, 1); insert into leaf values (2, 'a'), (2, 'b')")
    // The rows have more values than one statement can carry (65,535).
    await from.script(
      `insert into word with recursive number (n) as (select 1 union all select n + 1 from number where n < 33000)
       select 'w' || n, n from number; insert into word values ('a' || char(0) || 'b', 0)`,
    )
    using to = opened("many")
    expect(await copyToServer(from, to, openMany)).toEqual(
      expect.arrayContaining([
        { table: "word", rows: 33_001, digest: expect.stringMatching(/^[0-9a-f]{64}$/) as string },
        expect.objectContaining({ table: "leaf", rows: 2 }),
      ]),
    )
    expect(await statement(to, "select word from word where n = 0").get()).toEqual({ word: "a\u{FFFD}b" })
    expect(await statement(to, "insert into tree (parent) values (2) returning id").get()).toEqual({ id: 3 })

    // The tables contain rows that a step inserts, and a row whose parent comes much later.
    migrate(to, "one", ONE)
    for (let id = 4; id <= 200; id++) await statement(to, "insert into tree (parent) values (?)").run(id - 1)
    await to.script("update tree set parent = 200 where id = 1")
    const file = join(folder, "many.db")
    expect(await copyToFile(to, file)).toContainEqual(expect.objectContaining({ table: "tree", rows: 200 }))
    {
      using back = new DatabaseSync(file)
      expect(back.prepare("select n from one").all()).toEqual([{ n: 1 }])
      expect(back.prepare("select parent from tree where id = 1").get()).toEqual({ parent: 200 })
      // Triggers did not fire for copied rows, but fire for new ones.
      const total = () => back.prepare("select n from total").get()
      expect(total()).toEqual({ n: 33_001 })
      back.exec("insert into word values ('new', 1)")
      expect(total()).toEqual({ n: 33_002 })
    }
    // Some rows come before those they refer to.
    using far = new SqliteStore(new DatabaseSync(file))
    using other = opened("far")
    await copyToServer(far, other, (db) => {
      openMany(db)
      migrate(db, "one", ONE)
    })
    await expect(other.script("insert into tree (parent) values (999)")).rejects.toThrow("foreign key")
    await expect(other.script("insert into leaf values (999, 'x'); select 1 / 0")).rejects.toThrow(
      "foreign key",
    )
  })

  test("can be repeated after a failure, and the copy cannot be opened until it is complete", async () => {
    using from = await openStateFile(join(folder, "twice"))
    openThings(from)
    using to = opened("twice")
    await expect(copyToServer(from, to, () => undefined)).rejects.toThrow("this one does not know things 1.")
    await from.script("create table egg (id integer primary key) strict")
    await expect(copyToServer(from, to, openThings)).rejects.toThrow(
      "This version of Fossick has no table egg.",
    )
    expect(await otherGeneration(to)).toContain("is from an older Fossick")
    await from.script("drop table egg")
    await copyToServer(from, to, openThings)
    expect(await otherGeneration(to)).toBeNull()
  })

  test("is refused if the copy differs from the source, or a file already exists", async () => {
    using db = opened("odd")
    await db.script(versionTable(SCHEMA_WORDS.postgres))
    /** A table that differs between the server and the file. */
    const odd = async (name: string, onServer: string, inFile: string, values: string) => {
      await db.script(`create table ${name} (a ${onServer})`)
      await db.script(`insert into ${name} values ${values}`)
      await db.keepStep(`create table ${name} (a ${inFile})`)
    }
    const copied = (name: string) => async () => await copyToFile(db, join(folder, name))
    await odd("same", 'text collate "C"', "text", "('x')")
    expect(await copied("a.db")()).toHaveLength(2)
    await expect(copied("a.db")).rejects.toThrow("EEXIST")
    await odd("fewer", 'text collate "C"', "text unique on conflict ignore", "('x'), ('x'), ('x')")
    await expect(copied("b.db")).rejects.toThrow(
      "The copy of fewer differs from the original (3 rows, 1 in the copy).",
    )
    await db.script("delete from fewer")
    await odd("other", 'text collate "C"', "integer", "('007')")
    await expect(copied("c.db")).rejects.toThrow(
      "The copy of other differs from the original (1 rows, 1 in the copy).",
    )
  })

  test("works from a file too", async () => {
    using from = await openStateFile(join(folder, "of-file"))
    await from.script("create table thing (n integer) strict; insert into thing values (7)")
    await copyState(from, join(folder, "of-file.db"))
    using copy = new DatabaseSync(join(folder, "of-file.db"))
    expect(copy.prepare("select n from thing").all()).toEqual([{ n: 7 }])
  })

  test("reports an unreachable server, and finds the state when it is back", async () => {
    using db = opened("gone")
    await db.script("create table t (n bigint)")
    await server.kill()
    let said: unknown
    try {
      await transaction(db, async () => await statement(db, "insert into t values (1)").run())
    } catch (error) {
      said = error
    }
    expect(said).toBeInstanceOf(PostgresError)
    expect(said).toMatchObject({
      isUnreachable: true,
      message: expect.stringContaining("cannot be reached") as string,
    })
    await server.up()
    await expect
      .poll(async () => {
        try {
          return await transaction(
            db,
            async () => (await statement(db, "insert into t values (2)").run()).changes,
          )
        } catch {
          return 0
        }
      })
      .toBe(1)
    expect(await statement(db, "select max(n) as n from t").get()).toEqual({ n: 2 })
  })
})
