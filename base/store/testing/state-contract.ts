import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { GENERATION, OtherStateError } from "../state-generation.ts"
import { SCHEMA_WORDS } from "../query/schema-words.ts"
import { hasTable } from "../rows/tables.ts"
import {
  isOnServer,
  migrate,
  openStateStore,
  openStateToRead,
  type StateStore,
  type Step,
  transaction,
} from "../state-store.ts"
import { statement } from "./statement.ts"

const STEPS: readonly Step[] = [
  ({ id, integer, real, text, blob, strict, keyed, trigger, own }) =>
    `create table thing (
     id ${id}, name ${text} not null unique, count ${integer} not null default 0, share ${real}, data ${blob}, note ${text}
   ) ${strict};
   create index thing_name on thing (name) where note is null;
   create table tally (name ${text} primary key, n ${integer} not null) ${keyed};
   create table part (
     thing ${integer} not null references thing (id) on delete cascade, place ${integer} not null, text ${text} not null,
     primary key (thing, place)
   ) ${keyed};
   ${trigger({
     name: "thing_added",
     on: "insert",
     table: "thing",
     when: "new.count > 0 and exists (select 1 from tally where name = 'all')",
     does: [
       "update tally set n = n + new.count where name = 'all'",
       `insert into tally values (case new.name when 'a' then 'first' else 'other' end, 1)
         on conflict (name) do update set n = ${own("tally", "n")} + 1`,
     ],
   })};
   insert into tally values ('all', 0)`,
  ({ text }) => `alter table thing add column added ${text} not null default 'later'`,
]

/** Guarantees that every state store makes, and on which all of Fossick relies. */
export function describeStateStore(name: string, isServer: boolean): void {
  describe(`the state in ${name}`, () => {
    let folder: string
    let db: StateStore
    const names = async () =>
      (await statement(db, "select name from thing order by name").all()).map(({ name }) => name)

    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), "fossick-"))
      db = await openStateStore(folder)
      migrate(db, "things", STEPS)
    })
    afterAll(() => {
      db.close()
      rmSync(folder, { recursive: true })
    })
    const clear = () =>
      db.script(
        "delete from part; delete from thing; delete from tally where name <> 'all'; update tally set n = 0",
      )

    test("it is where it was said to be, and steps that differ are those of its kind", async () => {
      expect([isOnServer(db), db.location() === null]).toEqual([isServer, isServer])
      const step: Step = ({ dialect }) =>
        `create table either as select ${dialect === "sqlite" ? "'a file'" : "'a server'"} as name`
      migrate(db, "either", [step])
      expect(await statement(db, "select name from either").get()).toEqual({
        name: isServer ? "a server" : "a file",
      })
      if (!isServer) return
      // Steps are stored in SQLite's SQL, which files use.
      expect(await statement(db, "select sql from schema_step order by id desc limit 2").all()).toEqual([
        { sql: step(SCHEMA_WORDS.sqlite) },
        { sql: STEPS[1]!(SCHEMA_WORDS.sqlite) },
      ])
    })

    test("values come back as they went in", async () => {
      await clear()
      const values = ["Größe 🙂 o'clock", 2 ** 53 - 1, 0.1, new Uint8Array([0, 1, 255]), null] as const
      const row = await statement(
        db,
        "insert into thing (name, count, share, data, note) values (?, ?, ?, ?, ?) returning *",
      ).get(...values)
      expect(row).toMatchObject({ name: values[0], count: values[1], share: 0.1, note: null, added: "later" })
      expect([...(row!["data"] as Uint8Array)]).toEqual([0, 1, 255])
      expect(typeof row!["id"]).toBe("number")
      expect(
        await statement(
          db,
          "select count(*) as n, sum(count) as sum, name is null as no, 2 > 1 as yes from thing group by name",
        ).get(),
      ).toEqual({ n: 1, sum: values[1], no: 0, yes: 1 })
    })

    test("a value may be null, and compares with null", async () => {
      await clear()
      await db.script("insert into thing (name, count) values ('a', 1), ('b', 2)")
      const find = statement(db, "select count(*) as n from thing where note is not distinct from ?")
      expect([await find.get(null), await find.get("a")]).toEqual([{ n: 2 }, { n: 0 }])
    })

    test("changes are counted, and rows are replaced, ignored or added to", async () => {
      await clear()
      const add = statement(db, "insert into thing (name, count) values (?, ?) on conflict do nothing")
      expect([(await add.run("a", 0)).changes, (await add.run("a", 5)).changes]).toEqual([1, 0])
      const more = statement(
        db,
        "insert into thing (name, count) values (?, ?) on conflict (name) do update set count = thing.count + excluded.count",
      )
      await more.run("a", 3)
      await more.run("a", 4)
      expect(await statement(db, "select count from thing").get()).toEqual({ count: 7 })
      const replace = statement(
        db,
        "insert into thing (name, count, note) values (?, ?, ?) on conflict (name) do update set count = excluded.count, note = excluded.note",
      )
      await replace.run("a", 1, "new")
      expect(await statement(db, "select count, note from thing").all()).toEqual([{ count: 1, note: "new" }])
      expect((await statement(db, "update thing set count = 9").run()).changes).toBe(1)
      expect((await statement(db, "delete from thing where name = 'nobody'").run()).changes).toBe(0)
    })

    test("values are compared with null, cut out of texts and of JSON, and the least is told of two", async () => {
      await clear()
      await db.script(
        "insert into thing (name, note, count) values ('a', 'x/y', 1), ('b', 'z/', 2), ('c', null, 3)",
      )
      const all = async (sql: string, ...values: string[]) =>
        (await statement(db, sql).all(...values)).map((row) => Object.values(row)[0])
      expect(await all("select name from thing where note is distinct from ? order by name", "z/")).toEqual([
        "a",
        "c",
      ])
      const changed = await all(
        "update thing set note = 'w' where note is distinct from (select 'z/') returning name",
      )
      expect(new Set(changed)).toEqual(new Set(["a", "c"]))
      expect(
        await all("select substr(note, 1, instr(note, '/')) as cut from thing where name = 'b'"),
      ).toEqual(["z/"])
      expect(
        await all("select min(coalesce(note, ?), ?) as least from thing order by name", "y", "y"),
      ).toEqual(["w", "y", "w"])
      expect(await all("select max(count, 2) as most from thing order by name")).toEqual([2, 2, 3])
      const among =
        "select name from thing where true and name in (select value from json_each(?)) order by name"
      expect(await all(among, '["c", "a"]')).toEqual(["a", "c"])
      expect(await all(among, "[]")).toEqual([])
      expect(await all("select json_extract(value, '$.n') as n from json_each(?)", '[{"n": "x"}]')).toEqual([
        "x",
      ])
    })

    test("text is in the order of its bytes, and likeness heeds no case", async () => {
      await clear()
      await db.script("insert into thing (name) values ('b'), ('B'), ('a'), ('_'), ('é')")
      expect(await names()).toEqual(["B", "_", "a", "b", "é"])
      const { like } = SCHEMA_WORDS[db.dialect]
      expect(await statement(db, `select count(*) as n from thing where name ${like} ?`).get("B%")).toEqual({
        n: 2,
      })
    })

    test("triggers do their work with what sets them off", async () => {
      await clear()
      await db.script("insert into thing (name, count) values ('a', 2), ('b', 3), ('c', 0)")
      expect(await statement(db, "select name, n from tally order by name").all()).toEqual([
        { name: "all", n: 5 },
        { name: "first", n: 1 },
        { name: "other", n: 1 },
      ])
    })

    test("what belongs to a row goes with it, and what belongs to none does not come in", async () => {
      await clear()
      const { id } = (await statement(db, "insert into thing (name) values ('a') returning id").get())!
      await statement(db, "insert into part values (?, 1, 'x')").run(id!)
      await expect(() =>
        statement(db, "insert into part values (?, 1, 'x')").run(Number(id) + 1),
      ).rejects.toThrow(/foreign key/i)
      await db.script("delete from thing")
      expect(await statement(db, "select count(*) as n from part").get()).toEqual({ n: 0 })
    })

    test("a transaction lands as a whole or not at all, and the store goes on after an error in it", async () => {
      await clear()
      const insert = statement(db, "insert into thing (name) values (?)")
      await expect(() =>
        transaction(db, async () => {
          await insert.run("lost")
          await insert.run("lost")
        }),
      ).rejects.toThrow(/unique/i)
      expect(await names()).toEqual([])
      await transaction(db, () => insert.run("kept"))
      expect(await names()).toEqual(["kept"])
    })

    test("rows come one after another while others are written", async () => {
      await clear()
      const add = statement(db, "insert into thing (name) values (?)")
      await transaction(db, async () => {
        for (let i = 0; i < 1201; i++) await add.run(`n${String(i).padStart(4, "0")}`)
      })
      let seen = 0
      for await (const { name } of statement(
        db,
        "select name from thing where name >= ? order by name",
      ).iterate("n")) {
        if (seen === 3) await statement(db, "update thing set count = 1 where name = ?").run(name!)
        seen += 1
      }
      expect(seen).toBe(1201)
      for await (const row of statement(db, "select name from thing order by name").iterate()) {
        expect(row["name"]).toBe("n0000")
        break
      }
      await transaction(db, async () => {
        await statement(db, "delete from thing where name > 'n0001'").run()
        expect(await Array.fromAsync(statement(db, "select name from thing").iterate())).toHaveLength(2)
      })
    })

    test("writers of two stores take turns, and readers see what was there before", async () => {
      await clear()
      using other = await openStateStore(folder)
      const begun = Promise.withResolvers<void>()
      const seen = Promise.withResolvers<void>()
      const mine = transaction(db, async () => {
        await statement(db, "insert into thing (name) values ('mine')").run()
        begun.resolve()
        await seen.promise
        await statement(db, "update thing set count = 1").run()
      })
      await begun.promise
      expect(await statement(other, "select count(*) as n from thing").get()).toEqual({ n: 0 })
      const theirs = statement(other, "insert into thing (name) values ('theirs')")
      const writes = [
        mine,
        transaction(other, () => theirs.run()),
        other.script("insert into thing (name) values ('theirs, too')"),
        statement(other, "insert into thing (name) values ('and this') returning id").get(),
      ]
      seen.resolve()
      await Promise.all(writes)
      expect(await names()).toEqual(["and this", "mine", "theirs", "theirs, too"])
    })

    test("statements from elsewhere wait until a transaction ends, and see all of it", async () => {
      await clear()
      const begun = Promise.withResolvers<void>()
      const end = Promise.withResolvers<void>()
      const first = db.transaction(async () => {
        await statement(db, "insert into thing (name) values ('a')").run()
        begun.resolve()
        await end.promise
        await statement(db, "insert into thing (name) values ('b')").run()
        throw new Error("not these")
      })
      await begun.promise
      const done: string[] = []
      const second = db.transaction(async () => {
        await statement(db, "insert into thing (name) values ('c')").run()
        done.push("transaction")
      })
      const alone = statement(db, "insert into thing (name) values ('d')")
        .run()
        .then(() => done.push("write"))
      end.resolve()
      await expect(first).rejects.toThrow("not these")
      await Promise.all([second, alone])
      expect(done).toHaveLength(2)
      expect(await names()).toEqual(["c", "d"])
    })

    test("a transaction within a transaction is an error of the program", async () => {
      await expect(db.transaction(() => db.transaction(async () => undefined))).rejects.toThrow(
        "A transaction of this store is open already.",
      )
      expect(await db.transaction(async () => "the next one")).toBe("the next one")
    })

    test("a store's transaction that waits for another store's write is an error of the program, not a wait without end", async () => {
      if (isServer) return
      using other = await openStateStore(folder)
      await expect(db.transaction(() => other.script("delete from thing"))).rejects.toThrow(
        "Deadlock: this write would wait for another store's open transaction on the same file",
      )
      await other.script("delete from thing")
    })

    test("what comes first is tried again until it is done, and everything else waits for it", async () => {
      await clear()
      let tries = 0
      db.first(async () => {
        if (++tries === 1) throw new Error("not yet")
        await transaction(db, () => db.script("insert into thing (name) values ('first')"))
      })
      await expect(names()).rejects.toThrow("not yet")
      expect(await Promise.all([names(), names(), db.transaction(names)])).toEqual([
        ["first"],
        ["first"],
        ["first"],
      ])
      await db.ready()
      expect(tries).toBe(2)
    })

    test("a closed store says so", async () => {
      const other = await openStateStore(folder)
      other.close()
      other.close()
      await expect(statement(other, "select 1").get()).rejects.toThrow(/not open/)
      await expect(other.script("select 1")).rejects.toThrow(/not open/)
      await expect(other.transaction(async () => 1)).rejects.toThrow(/not open/)
    })

    test("lists in JSON are lists of rows", async () => {
      await clear()
      await db.script("insert into thing (name, count) values ('a', 1), ('b', 2), ('c', 3)")
      const among = statement(
        db,
        "select name from thing where name in (select value from json_each(?)) order by name",
      )
      expect(await among.all('["c","a","x"]')).toEqual([{ name: "a" }, { name: "c" }])
      expect(
        await statement(
          db,
          "select name from thing where count in (select cast(value as bigint) from json_each(?))",
        ).all("[2]"),
      ).toEqual([{ name: "b" }])
      expect(
        await statement(db, "select value from json_each(?, '$.x.y') order by value desc").all(
          '{"x":{"y":["p","q"]}}',
        ),
      ).toEqual([{ value: "q" }, { value: "p" }])
      expect(await statement(db, "select value from json_each(?, '$.none')").all("{}")).toEqual([])
    })

    test("tables are known by their names, and steps that were taken are not taken again", async () => {
      expect([await hasTable(db, "thing"), await hasTable(db, "nothing")]).toEqual([true, false])
      migrate(db, "things", STEPS)
      await db.ready()
      using again = await openStateStore(folder)
      migrate(again, "things", [...STEPS, () => "create table more (x integer)"])
      await again.ready()
      expect(await hasTable(db, "more")).toBe(true)
      using behind = await openStateStore(folder)
      migrate(behind, "things", STEPS)
      await expect(behind.ready()).rejects.toThrow("newer Fossick")
      await expect(hasTable(behind, "thing")).rejects.toThrow("newer Fossick")
    })

    test("a state of another generation stays closed, says how to start afresh, and can be read", async () => {
      const number = () => statement(db, "select version from schema_version where part = 'state'").get()
      expect(await number()).toEqual({ version: GENERATION })
      const away = isServer ? "set FOSSICK_STATE to an empty schema" : "move state.db, state.db-wal"
      const older = new RegExp(`older Fossick.*\`fossick sources export > saved.yaml\`, ${away}`)
      await db.script("update schema_version set version = version - 1 where part = 'state'")
      await expect(() => openStateStore(folder)).rejects.toThrow(older)
      // This is how states looked before generations existed.
      await db.script("delete from schema_version where part = 'state'")
      await expect(() => openStateStore(folder)).rejects.toThrow(older)
      await expect(() => openStateStore(folder)).rejects.toThrow(OtherStateError)
      {
        using read = openStateToRead(folder)
        expect(await hasTable(read!, "thing")).toBe(true)
        expect(await number()).toBeUndefined()
      }
      const set = statement(
        db,
        "insert into schema_version values ('state', ?) on conflict (part) do update set version = excluded.version",
      )
      await set.run(GENERATION + 1)
      await expect(() => openStateStore(folder)).rejects.toThrow(
        `written by a newer Fossick (generation ${GENERATION + 1}, this one knows ${GENERATION})`,
      )
      await set.run(GENERATION)
      using _ = await openStateStore(folder)
    })
  })
}
