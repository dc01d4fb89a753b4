import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest"
import { BUSY_MS } from "../busy.ts"
import { PostgresServer } from "../testing/postgres-server.ts"
import { PostgresStore } from "./postgres-store.ts"
import { serverLocation } from "./state-location.ts"

// What it shares with a file is in state-contract.ts.
describe("a store on a server", { tags: ["postgresql"] }, () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await PostgresServer.start()
  })
  afterAll(async () => await server[Symbol.asyncDispose]())

  function opened(): PostgresStore {
    const db = new PostgresStore(serverLocation(server.url("things"), "", "/", {}))
    onTestFinished(() => db.close())
    return db
  }
  const setting = (db: PostgresStore, name: string) =>
    db.prepare("select current_setting(?) as value").get(name)?.["value"]

  test("is known by its server, and by no file", () => {
    const db = opened()
    expect([db.host, db.location()]).toEqual([`127.0.0.1:${server.port}`, null])
    expect(Object.getPrototypeOf(db.prepare("select 1 as one").get()!)).toBeNull()
    expect(db.prepare("select ?1 as a, ?2 as b").get("x")).toEqual({ a: "x", b: null })
    expect([...db.prepare("select ?1 as a, ?2 as b").iterate("x")]).toEqual([{ a: "x", b: null }])
    expect(db.prepare("select 1 where false").get()).toBeUndefined()
  })

  test("a snapshot is of one moment, whatever others write, and ends with its work", () => {
    const [db, other] = [opened(), opened()]
    other.exec("create table moment (n integer) strict")
    const count = () => db.prepare("select count(*) as n from moment").get()!["n"]
    const seen = db.snapshot(() => {
      const before = count()
      other.exec("insert into moment values (1)")
      return [before, count(), db.isTransaction]
    })
    expect(seen).toEqual([0, 0, true])
    expect([db.isTransaction, count()]).toEqual([false, 1])
    expect(() =>
      db.snapshot(() => {
        throw new Error("no more")
      }),
    ).toThrow("no more")
    db.exec("insert into moment values (2)")
    expect([db.isTransaction, count()]).toEqual([false, 2])
  })

  test("a part of a transaction may be taken back, and the rest stays", () => {
    const [db, other] = [opened(), opened()]
    db.exec("create table taken (n integer) strict; BEGIN immediate")
    expect(db.isTransaction).toBe(true)
    db.exec("insert into taken values (1); savepoint here; insert into taken values (2); rollback to here")
    db.exec("savepoint there; insert into taken values (9)")
    db.exec("rollback  to there")
    expect(db.isTransaction).toBe(true)
    expect(other.prepare("select count(*) as n from taken").get()).toEqual({ n: 0 })
    db.exec("commit")
    expect(db.isTransaction).toBe(false)
    expect(other.prepare("select n from taken").all()).toEqual([{ n: 1 }])
    db.exec("begin; insert into taken values (3); rollback")
    expect([db.isTransaction, db.prepare("select count(*) as n from taken").get()]).toEqual([false, { n: 1 }])
  })

  test("heeds how long to wait and how safe a commit is, and what else SQLite is told of is none of its affair", () => {
    const db = opened()
    const patience = () => db.prepare("pragma busy_timeout")
    expect(patience().get()).toEqual({ timeout: BUSY_MS })
    db.exec(
      "PRAGMA busy_timeout = 700; pragma synchronous=full; pragma foreign_keys = on; pragma integrity_check",
    )
    expect([patience().get(), patience().all(), [...patience().iterate()]]).toEqual([
      { timeout: 700 },
      [{ timeout: 700 }],
      [{ timeout: 700 }],
    ])
    expect(patience().run().changes).toBe(0)
    expect([setting(db, "lock_timeout"), setting(db, "synchronous_commit")]).toEqual(["700ms", "on"])
    db.exec("pragma synchronous = normal")
    expect([setting(db, "lock_timeout"), setting(db, "synchronous_commit")]).toEqual(["700ms", "off"])
  })

  test("keeps the steps of its tables as a file takes them, but for those that are none there", () => {
    const db = opened()
    db.keepStep("")
    expect(() => db.prepare("select 1 from schema_step").get()).toThrow("does not exist")
    db.keepStep("create table a (n integer) strict")
    db.keepStep("create table b (n integer) strict")
    expect(db.prepare("select sql from schema_step order by id").all()).toEqual([
      { sql: "create table a (n integer) strict" },
      { sql: "create table b (n integer) strict" },
    ])
  })

  test("is closed once, also amid a transaction or its rows, and does nothing more", () => {
    const db = opened()
    db.exec("begin")
    for (const _ of db.prepare("select 1 as n union select 2").iterate()) {
      db.close()
      break
    }
    expect(db.isTransaction).toBe(false)
    db.close()
    db[Symbol.dispose]()
    expect(() => db.prepare("select 1").get()).toThrow("The state store is not open.")
    // Its turn is another's.
    const other = opened()
    other.exec("pragma busy_timeout = 60000; begin; rollback")
    {
      using _ = other
    }
    expect(() => other.exec("select 1")).toThrow("The state store is not open.")
  })
})
