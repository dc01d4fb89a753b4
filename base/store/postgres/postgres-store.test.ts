import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest"
import { BUSY_MS } from "../sqlite/busy.ts"
import { PostgresServer } from "../testing/postgres-server.ts"
import { PostgresStore } from "./postgres-store.ts"
import { statement } from "../testing/statement.ts"
import { Sessions } from "./sessions.ts"
import { serverLocation } from "./state-location.ts"

// Tests that also apply to SQLite files are in state-contract.ts.
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
  const setting = async (db: PostgresStore, name: string) =>
    (await statement(db, "select current_setting(?) as value").get(name))?.["value"]

  test("is identified by its server, not by a file", async () => {
    const db = opened()
    expect([db.host, db.location()]).toEqual([`127.0.0.1:${server.port}`, null])
    expect(Object.getPrototypeOf((await statement(db, "select 1 as one").get())!)).toBeNull()
    expect(await statement(db, "select cast(? as text) as a, cast(? as text) as b").get("x", null)).toEqual({
      a: "x",
      b: null,
    })
    expect(
      await Array.fromAsync(
        statement(db, "select cast(? as text) as a, cast(? as text) as b").iterate("x", null),
      ),
    ).toEqual([{ a: "x", b: null }])
    expect(await statement(db, "select 1 where false").get()).toBeUndefined()
  })

  test("has snapshots of one moment, whatever others write, which end with their work", async () => {
    const [db, other] = [opened(), opened()]
    await other.script("create table moment (n bigint)")
    const count = async () => (await statement(db, "select count(*) as n from moment").get())!["n"]
    const seen = await db.snapshot(async () => {
      const before = await count()
      await other.script("insert into moment values (1)")
      return [before, await count()]
    })
    expect(seen).toEqual([0, 0])
    expect(await count()).toBe(1)
    await expect(
      async () =>
        await db.snapshot(async () => {
          throw new Error("no more")
        }),
    ).rejects.toThrow("no more")
    await db.script("insert into moment values (2)")
    expect(await count()).toBe(2)
  })

  test("answers many concurrent reads separately, and a failing one fails alone", async () => {
    const db = opened()
    const asked = Array.from({ length: 200 }, (_, n) =>
      statement(db, n === 150 ? "select 1 / (? - 150) as n" : "select cast(? as integer) as n").get(n),
    )
    const answers = await Promise.allSettled(asked)
    expect(answers.map((one) => (one.status === "fulfilled" ? one.value!["n"] : null))).toEqual(
      Array.from({ length: 200 }, (_, n) => (n === 150 ? null : n)),
    )
    expect(answers[150]).toMatchObject({ reason: { message: expect.stringContaining("division by zero") } })
  })

  test("fails reads that wait for a session with it", async () => {
    const db = new PostgresStore(serverLocation("postgres://127.0.0.1:9/nowhere", "", "/", {}))
    onTestFinished(() => db.close())
    const answers = await Promise.allSettled(
      Array.from({ length: 200 }, () => statement(db, "select 1 as n").get()),
    )
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 200 }, () => "rejected"))
    db.close()
    await expect(statement(db, "select 1 as n").get()).rejects.toThrow("not open")
  })

  test("can roll back a part of a transaction, and keeps the rest", async () => {
    const [db, other] = [opened(), opened()]
    await db.script("create table taken (n bigint)")
    await db.transaction(async () => {
      await db.script("insert into taken values (1); savepoint here; insert into taken values (2)")
      await db.script("rollback  to here; savepoint there; insert into taken values (9)")
      await db.script("rollback to there")
      expect(await statement(other, "select count(*) as n from taken").get()).toEqual({ n: 0 })
    })
    expect(await statement(other, "select n from taken").all()).toEqual([{ n: 1 }])
  })

  test("answers its readers with the earlier data while its transaction is open", async () => {
    const db = opened()
    await db.script("create table open_row (n bigint)")
    const begun = Promise.withResolvers<void>()
    const end = Promise.withResolvers<void>()
    const work = db.transaction(async () => {
      await db.script("insert into open_row values (1)")
      begun.resolve()
      await end.promise
    })
    await begun.promise
    const count = () => statement(db, "select count(*) as n from open_row").get()
    expect(await Promise.all(Array.from({ length: 20 }, count))).toEqual(
      Array.from({ length: 20 }, () => ({ n: 0 })),
    )
    end.resolve()
    await work
    expect(await count()).toEqual({ n: 1 })
  })

  test("answers its readers while its writers wait for another process", async () => {
    const [db, other] = [opened(), new Sessions(serverLocation(server.url("things"), "", "/", {}))]
    await db.script("create table written (n bigint)")
    const begun = Promise.withResolvers<void>()
    const end = Promise.withResolvers<void>()
    const turn = other.use((session) =>
      session.transaction("write", async () => {
        begun.resolve()
        await end.promise
      }),
    )
    await begun.promise
    const insert = statement(db, "insert into written values (?)")
    const writers = Array.from({ length: 20 }, (_, n) => insert.run(n))
    const count = () => statement(db, "select count(*) as n from written").get()
    expect(await Promise.all([count(), count()])).toEqual([{ n: 0 }, { n: 0 }])
    end.resolve()
    await Promise.all([turn, ...writers])
    other.close()
    expect(await count()).toEqual({ n: 20 })
  })

  test("without patience waits for other stores of its process, but for no other process", async () => {
    const [db, own] = [opened(), opened()]
    db.patienceMs = 0
    await own.script("create table impatient (n bigint)")
    const insert = statement(db, "insert into impatient values (?)")
    const begun = Promise.withResolvers<void>()
    const end = Promise.withResolvers<void>()
    const turn = own.transaction(async () => {
      begun.resolve()
      await end.promise
    })
    await begun.promise
    const writes = [insert.run(1), db.transaction(async () => await insert.run(2))]
    await statement(db, "select 1").get()
    end.resolve()
    await Promise.all([turn, ...writes])
    const other = new Sessions(serverLocation(server.url("things"), "", "/", {}))
    await other.use((session) =>
      session.transaction("write", async () => {
        await expect(insert.run(3)).rejects.toMatchObject({ errcode: 5 })
        await expect(db.transaction(async () => await insert.run(4))).rejects.toMatchObject({ errcode: 5 })
      }),
    )
    other.close()
    expect(await statement(own, "select n from impatient").all()).toEqual([{ n: 1 }, { n: 2 }])
  })

  test("finishes earlier statements when it is closed, and fails those waiting for their turn", async () => {
    const db = opened()
    await db.script("create table last (n bigint)")
    const insert = statement(db, "insert into last values (?)")
    const begun = Promise.withResolvers<void>()
    const end = Promise.withResolvers<void>()
    const first = db.transaction(async () => {
      await insert.run(1)
      begun.resolve()
      await end.promise
    })
    await begun.promise
    const second = insert.run(2)
    const read = Array.from({ length: 9 }, () => statement(db, "select 1 as one").get())
    await new Promise((resolve) => setImmediate(resolve))
    db.close()
    end.resolve()
    await first
    await expect(second).rejects.toThrow("The state store is not open.")
    expect(await Promise.all(read)).toEqual(read.map(() => ({ one: 1 })))
    expect(await statement(opened(), "select n from last").all()).toEqual([{ n: 1 }])
  })

  test("uses its wait and commit settings in every session", async () => {
    const db = opened()
    const settings = async () => [await setting(db, "lock_timeout"), await setting(db, "synchronous_commit")]
    expect([db.patienceMs, await settings()]).toEqual([BUSY_MS, ["10s", "off"]])
    db.patienceMs = 700
    db.setDurable(true)
    expect(await Promise.all([settings(), settings()])).toEqual([
      ["700ms", "on"],
      ["700ms", "on"],
    ])
    expect(await db.patiently(settings, 2000)).toEqual(["2s", "on"])
    db.setDurable(false)
    expect(await settings()).toEqual(["700ms", "off"])
  })

  test("keeps the steps of its tables as a file does, except those it does not need", async () => {
    const db = opened()
    await db.keepStep("")
    await expect(async () => await statement(db, "select 1 from schema_step").get()).rejects.toThrow(
      "does not exist",
    )
    await db.keepStep("create table a (n integer) strict")
    await db.keepStep("create table b (n integer) strict")
    expect(await statement(db, "select sql from schema_step order by id").all()).toEqual([
      { sql: "create table a (n integer) strict" },
      { sql: "create table b (n integer) strict" },
    ])
  })

  test("is closed once, even while reading rows, and does nothing more", async () => {
    const db = opened()
    for await (const _ of statement(db, "select 1 as n union select 2").iterate()) {
      db.close()
      break
    }
    db.close()
    db[Symbol.dispose]()
    await expect(statement(db, "select 1").get()).rejects.toThrow("The state store is not open.")
  })
})
