import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { GENERATION, OtherStateError } from "../state-generation.ts"
import { replaceSql } from "../state-port.ts"
import { hasTable } from "../rows/tables.ts"
import {
  isOnServer,
  migrate,
  openStateStore,
  openStateToRead,
  prepareOnce,
  type StateStore,
  transaction,
} from "../state-store.ts"

const STEPS = [
  `create table thing (
     id integer primary key, name text not null unique, count integer not null default 0, share real, data blob, note text
   ) strict;
   create index thing_name on thing (name) where note is null;
   create table tally (name text primary key, n integer not null) strict, without rowid;
   create table part (
     thing integer not null references thing (id) on delete cascade, place integer not null, text text not null,
     primary key (thing, place)
   ) strict, without rowid;
   create trigger thing_added after insert on thing when new.count > 0 and exists (select 1 from tally where name = 'all')
     begin
       update tally set n = n + new.count where name = 'all';
       insert into tally values (case new.name when 'a' then 'first' else 'other' end, 1)
         on conflict (name) do update set n = n + 1;
     end;
   insert into tally values ('all', 0)`,
  "alter table thing add column added text not null default 'later'",
]

/** What every store of the state does, and all of Fossick builds on. */
export function describeStateStore(name: string, isServer: boolean): void {
  describe(`the state in ${name}`, () => {
    let folder: string
    let db: StateStore
    const names = () =>
      db
        .prepare("select name from thing order by name")
        .all()
        .map(({ name }) => name)

    beforeAll(() => {
      folder = mkdtempSync(join(tmpdir(), "fossick-"))
      db = openStateStore(folder)
      migrate(db, "things", STEPS)
    })
    afterAll(() => {
      db.close()
      rmSync(folder, { recursive: true })
    })
    const clear = () =>
      db.exec(
        "delete from part; delete from thing; delete from tally where name <> 'all'; update tally set n = 0",
      )

    test("it is where it was said to be, and steps that differ are those of its kind", () => {
      expect([isOnServer(db), db.location() === null]).toEqual([isServer, isServer])
      const step = {
        sqlite: "create table either as select 'a file' as name",
        postgres: "create table either as select 'a server' as name",
      }
      migrate(db, "either", [step])
      expect(db.prepare("select name from either").get()).toEqual({ name: isServer ? "a server" : "a file" })
      if (!isServer) return
      // As files take them.
      expect(db.prepare("select sql from schema_step order by id desc limit 2").all()).toEqual([
        { sql: step.sqlite },
        { sql: STEPS[1] },
      ])
    })

    test("values come back as they went in", () => {
      clear()
      const values = ["Größe 🙂 o'clock", 2 ** 53 - 1, 0.1, new Uint8Array([0, 1, 255]), null] as const
      const row = db
        .prepare("insert into thing (name, count, share, data, note) values (?, ?, ?, ?, ?) returning *")
        .get(...values)
      expect(row).toMatchObject({ name: values[0], count: values[1], share: 0.1, note: null, added: "later" })
      expect([...(row!["data"] as Uint8Array)]).toEqual([0, 1, 255])
      expect(typeof row!["id"]).toBe("number")
      expect(
        db
          .prepare(
            "select count(*) as n, sum(count) as sum, name is null as no, 2 > 1 as yes from thing group by name",
          )
          .get(),
      ).toEqual({ n: 1, sum: values[1], no: 0, yes: 1 })
    })

    test("one parameter may stand twice, be null, and be asked for it", () => {
      clear()
      db.exec("insert into thing (name, count) values ('a', 1), ('b', 2)")
      const find = db.prepare(
        "select name from thing where (?1 is null or name = ?1) and (?2 is null or count >= ?2) order by name",
      )
      expect(find.all(null, null).map((row) => row["name"])).toEqual(["a", "b"])
      expect(find.all(null, 2)).toEqual([{ name: "b" }])
      expect(find.get("a", 2)).toBeUndefined()
      expect(db.prepare("select count(*) as n from thing where note is ?").get(null)).toEqual({ n: 2 })
    })

    test("changes are counted, and rows are replaced, ignored or added to", () => {
      clear()
      const add = db.prepare("insert or ignore into thing (name, count) values (?, ?)")
      expect([add.run("a", 0).changes, add.run("a", 5).changes]).toEqual([1, 0])
      const more = db.prepare(
        "insert into thing (name, count) values (?, ?) on conflict (name) do update set count = count + excluded.count",
      )
      more.run("a", 3)
      more.run("a", 4)
      expect(db.prepare("select count from thing").get()).toEqual({ count: 7 })
      const replace = db.prepare(replaceSql("thing", ["name", "count", "note"], ["name"]))
      replace.run("a", 1, "new")
      expect(db.prepare("select count, note from thing").all()).toEqual([{ count: 1, note: "new" }])
      expect(db.prepare("update thing set count = 9").run().changes).toBe(1)
      expect(db.prepare("delete from thing where name = 'nobody'").run().changes).toBe(0)
    })

    test("values are compared with null, cut out of texts and of JSON, and the least is told of two", () => {
      clear()
      db.exec("insert into thing (name, note, count) values ('a', 'x/y', 1), ('b', 'z/', 2), ('c', null, 3)")
      const all = (sql: string, ...values: string[]) =>
        db
          .prepare(sql)
          .all(...values)
          .map((row) => Object.values(row)[0])
      expect(all("select name from thing where note is not ? order by name", "z/")).toEqual(["a", "c"])
      const changed = all("update thing set note = 'w' where note is not (select 'z/') returning name")
      expect(new Set(changed)).toEqual(new Set(["a", "c"]))
      expect(all("select substr(note, 1, instr(note, '/')) as cut from thing where name = 'b'")).toEqual([
        "z/",
      ])
      expect(all("select min(coalesce(note, ?1), ?1) as least from thing order by name", "y")).toEqual([
        "w",
        "y",
        "w",
      ])
      expect(all("select max(count, 2) as most from thing order by name")).toEqual([2, 2, 3])
      const among =
        "select name from thing where true and name in (select value from json_each(?)) order by name"
      expect(all(among, '["c", "a"]')).toEqual(["a", "c"])
      expect(all(among, "[]")).toEqual([])
      expect(all("select json_extract(value, '$.n') as n from json_each(?)", '[{"n": "x"}]')).toEqual(["x"])
    })

    test("text is in the order of its bytes, and likeness heeds no case", () => {
      clear()
      db.exec("insert into thing (name) values ('b'), ('B'), ('a'), ('_'), ('é')")
      expect(names()).toEqual(["B", "_", "a", "b", "é"])
      expect(db.prepare("select count(*) as n from thing where name like ?").get("B%")).toEqual({ n: 2 })
    })

    test("triggers do their work with what sets them off", () => {
      clear()
      db.exec("insert into thing (name, count) values ('a', 2), ('b', 3), ('c', 0)")
      expect(db.prepare("select name, n from tally order by name").all()).toEqual([
        { name: "all", n: 5 },
        { name: "first", n: 1 },
        { name: "other", n: 1 },
      ])
    })

    test("what belongs to a row goes with it, and what belongs to none does not come in", () => {
      clear()
      const { id } = db.prepare("insert into thing (name) values ('a') returning id").get()!
      db.prepare("insert into part values (?, 1, 'x')").run(id!)
      expect(() => db.prepare("insert into part values (?, 1, 'x')").run(Number(id) + 1)).toThrow(
        /foreign key/i,
      )
      db.exec("delete from thing")
      expect(db.prepare("select count(*) as n from part").get()).toEqual({ n: 0 })
    })

    test("a transaction lands as a whole or not at all, and the store goes on after an error in it", () => {
      clear()
      const sql = prepareOnce(db)
      expect(() =>
        transaction(db, () => {
          sql("insert into thing (name) values (?)").run("lost")
          sql("insert into thing (name) values (?)").run("lost")
        }),
      ).toThrow(/unique/i)
      expect([db.isTransaction, names()]).toEqual([false, []])
      transaction(db, () => sql("insert into thing (name) values (?)").run("kept"))
      expect(names()).toEqual(["kept"])
    })

    test("rows come one after another while others are written", () => {
      clear()
      const add = db.prepare("insert into thing (name) values (?)")
      transaction(db, () => {
        for (let i = 0; i < 1201; i++) add.run(`n${String(i).padStart(4, "0")}`)
      })
      let seen = 0
      for (const { name } of db
        .prepare("select name from thing where name >= ? order by name")
        .iterate("n")) {
        if (seen === 3) db.prepare("update thing set count = 1 where name = ?").run(name!)
        seen += 1
      }
      expect(seen).toBe(1201)
      for (const row of db.prepare("select name from thing order by name").iterate()) {
        expect(row["name"]).toBe("n0000")
        break
      }
      transaction(db, () => {
        db.prepare("delete from thing where name > 'n0001'").run()
        expect([...db.prepare("select name from thing").iterate()]).toHaveLength(2)
      })
    })

    test("writers take turns: one without patience is told, readers see what was there before", () => {
      clear()
      using other = openStateStore(folder)
      other.exec("pragma busy_timeout = 0")
      transaction(db, () => {
        db.prepare("insert into thing (name) values ('mine')").run()
        expect(other.prepare("select count(*) as n from thing").get()).toEqual({ n: 0 })
        for (const write of [
          () => other.exec("begin immediate"),
          () => other.prepare("insert into thing (name) values ('theirs')").run(),
        ]) {
          let said: unknown
          try {
            write()
          } catch (error) {
            said = error
          }
          expect(said).toMatchObject({ errcode: 5 })
        }
        expect(other.isTransaction).toBe(false)
      })
      transaction(other, () => other.prepare("insert into thing (name) values ('theirs')").run())
      expect(names()).toEqual(["mine", "theirs"])
    })

    test("lists in JSON are lists of rows", () => {
      clear()
      db.exec("insert into thing (name, count) values ('a', 1), ('b', 2), ('c', 3)")
      const among = db.prepare(
        "select name from thing where name in (select value from json_each(?)) order by name",
      )
      expect(among.all('["c","a","x"]')).toEqual([{ name: "a" }, { name: "c" }])
      expect(
        db
          .prepare("select name from thing where count in (select cast(value as integer) from json_each(?))")
          .all("[2]"),
      ).toEqual([{ name: "b" }])
      expect(
        db
          .prepare("select value from json_each(?, '$.x.y') order by value desc")
          .all('{"x":{"y":["p","q"]}}'),
      ).toEqual([{ value: "q" }, { value: "p" }])
      expect(db.prepare("select value from json_each(?, '$.none')").all("{}")).toEqual([])
    })

    test("tables are known by their names, and steps that were taken are not taken again", () => {
      expect([hasTable(db, "thing"), hasTable(db, "nothing")]).toEqual([true, false])
      migrate(db, "things", STEPS)
      using again = openStateStore(folder)
      migrate(again, "things", [...STEPS, "create table more (x integer) strict"])
      expect(hasTable(db, "more")).toBe(true)
      expect(() => migrate(db, "things", STEPS)).toThrow("newer Fossick")
    })

    test("a state of another generation stays closed, says how to start afresh, and can be read", () => {
      const number = () => db.prepare("select version from schema_version where part = 'state'").get()
      expect(number()).toEqual({ version: GENERATION })
      const away = isServer ? "name an empty schema in FOSSICK_STATE" : "move state.db, state.db-wal"
      const older = new RegExp(`older Fossick.*\`fossick sources export > saved.yaml\`, ${away}`)
      db.exec("update schema_version set version = version - 1 where part = 'state'")
      expect(() => openStateStore(folder)).toThrow(older)
      // As before there were any.
      db.exec("delete from schema_version where part = 'state'")
      expect(() => openStateStore(folder)).toThrow(older)
      expect(() => openStateStore(folder)).toThrow(OtherStateError)
      {
        using read = openStateToRead(folder)
        expect(hasTable(read!, "thing")).toBe(true)
        expect(number()).toBeUndefined()
      }
      const set = db.prepare(
        "insert into schema_version values ('state', ?) on conflict (part) do update set version = excluded.version",
      )
      set.run(GENERATION + 1)
      expect(() => openStateStore(folder)).toThrow(
        `written by a newer Fossick (generation ${GENERATION + 1}, this one knows ${GENERATION})`,
      )
      set.run(GENERATION)
      openStateStore(folder).close()
    })
  })
}
