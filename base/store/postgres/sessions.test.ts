import { Socket } from "node:net"
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest"
import { until } from "../../testing/until.ts"
import type { StateValue } from "../state-port.ts"
import { Pooler } from "../testing/pooler.ts"
import { PostgresServer } from "../testing/postgres-server.ts"
import { type Rows, type Session, type SessionLimits, Sessions } from "./sessions.ts"
import { serverLocation } from "./state-location.ts"

const run = (db: Sessions, sql: string, ...values: StateValue[]): Promise<Rows> =>
  db.use((session) => session.run(sql, values))
const write = (db: Sessions, sql: string, ...values: StateValue[]): Promise<Rows> =>
  db.use((session) => session.runAlone(sql, values))
const script = (db: Sessions, sql: string): Promise<void> =>
  db.use((session) => session.transaction("write", () => session.script(sql)))
const rows = async (db: Sessions, sql: string, ...values: StateValue[]): Promise<Rows["rows"]> =>
  (await run(db, sql, ...values)).rows
const one = async (db: Sessions, sql: string, ...values: StateValue[]): Promise<unknown> =>
  (await rows(db, sql, ...values))[0]![0]
const backend = (db: Sessions) => one(db, "select pg_backend_pid()")
const backendOf = async (session: Session) =>
  (await session.run("select pg_backend_pid()", [])).rows[0]![0] as number

const AWAY = { isUnreachable: true }
const BUSY = { message: "others write", code: "55P03", errcode: 5 }

/** A session that stays in use, inside a transaction if a kind is given, until `end` is called. */
async function held(db: Sessions, kind?: "write" | "snapshot") {
  const begun = Promise.withResolvers<Session>()
  const ended = Promise.withResolvers<void>()
  const done = db.use(async (session) => {
    const stay = async () => {
      begun.resolve(session)
      await ended.promise
    }
    await (kind === undefined ? stay() : session.transaction(kind, stay))
  })
  done.catch(begun.reject)
  const session = await begun.promise
  return {
    session,
    end: async () => {
      ended.resolve()
      await done
    },
    fail: async (error: Error) => {
      ended.reject(error)
      await expect(done).rejects.toBe(error)
    },
  }
}

describe("sessions with a server", { tags: ["postgresql"] }, () => {
  let server: PostgresServer
  /** Sessions for observing the server from outside. */
  let admin: Sessions
  let tables = 0
  beforeAll(async () => {
    server = await PostgresServer.start()
    admin = new Sessions(serverLocation(server.url("admin"), "", "/", {}))
  })
  afterAll(async () => {
    admin.close()
    await server[Symbol.asyncDispose]()
  })

  interface OwnOptions {
    readonly schema?: string
    readonly url?: string
    readonly password?: string
    readonly limits?: Partial<SessionLimits>
  }
  /** Opens sessions that are closed when the test ends. */
  function own({ schema = "things", url, password = "", limits }: OwnOptions = {}): Sessions {
    const db = new Sessions(serverLocation(url ?? server.url(schema), password, "/", {}), limits)
    onTestFinished(() => db.close())
    return db
  }
  /** A pooler in front of the server for the duration of the test. */
  async function pooled(): Promise<Pooler> {
    const pooler = await Pooler.before(server.port)
    onTestFinished(() => pooler[Symbol.dispose]())
    return pooler
  }
  /** Creates a table for a test. */
  async function table(db: Sessions): Promise<string> {
    const name = `table_${++tables}`
    await script(db, `create table ${name} (n bigint primary key)`)
    return name
  }
  const count = (db: Sessions, things: string) => one(db, `select count(*) from ${things}`)
  const kill = async (pid: unknown) => {
    expect(await one(admin, "select pg_terminate_backend($1, 60000)", pid as number)).toBe(1)
    // The killed session's last message reached this machine before the response; give it time to be read, even through
    // a pooler.
    for (let turn = 0; turn < 20; turn++) await new Promise((done) => setImmediate(done))
  }
  const waiting = () =>
    one(admin, "select count(*) from pg_locks where locktype = 'advisory' and not granted")
  const isThere = async (pid: unknown) =>
    (await one(admin, "select count(*) from pg_stat_activity where pid = $1", pid as number)) === 1

  describe("a single session", () => {
    test("has a name, limits on what can hang, and its schema", async () => {
      const kept = vi.spyOn(Socket.prototype, "setKeepAlive")
      onTestFinished(() => kept.mockRestore())
      const db = own()
      const setting = (name: string) => one(db, "select current_setting($1)", name)
      expect(await setting("application_name")).toBe("fossick")
      expect(kept.mock.calls.map(([isKept]) => isKept)).toEqual([true])
      expect(await setting("search_path")).toMatch(/^"?things"?$/)
      expect(await setting("statement_timeout")).toBe("20s")
      expect(await setting("idle_in_transaction_session_timeout")).toBe("30s")
      expect(await setting("client_min_messages")).toBe("warning")
      expect(await setting("lock_timeout")).toBe("10s")
      expect(await setting("synchronous_commit")).toBe("off")
    })

    test("returns values as the state has them, except numbers that would lose digits", async () => {
      const db = own()
      const answer = await run(
        db,
        `select 9007199254740991::bigint as big, 2::smallint, 3::integer, 4::oid, 1.5::numeric, 2.5::real, 0.1::float8,
           true, false, '\\x00ff'::bytea as bytes, '{"a":1}'::json, 'x', null`,
      )
      expect(answer).toEqual({
        columns: expect.arrayContaining(["big", "int2", "bytes"]) as string[],
        rows: [[2 ** 53 - 1, 2, 3, 4, 1.5, 2.5, 0.1, 1, 0, new Uint8Array([0, 255]), '{"a":1}', "x", null]],
        changes: 1,
      })
      for (const large of ["9007199254740992::bigint", "1e300::numeric"])
        await expect(run(db, `select ${large}`)).rejects.toMatchObject({
          message: "A number in the state is too large to represent exactly.",
          isUnreachable: false,
        })
      const view = new Uint8Array([9, 1, 2, 9]).subarray(1, 3)
      const sql = "select $1::text, $2::bigint, $3::bytea, $4::float8, $5::text"
      expect(await rows(db, sql, "a\0b\0", 5n, view, 0.5, null)).toEqual([
        ["a\u{FFFD}b\u{FFFD}", 5, new Uint8Array([1, 2]), 0.5, null],
      ])
      expect(
        await rows(db, "select upper(encode($1, 'hex')), instr('abc', 'c')", new Uint8Array([171])),
      ).toEqual([["AB", 3]])
      expect(await write(db, "set enable_seqscan = on")).toEqual({ columns: [], rows: [], changes: 0 })
    })

    test("prepares a statement once, up to a maximum number", async () => {
      const db = own({ limits: { mostPrepared: 2 } })
      const prepared = "select count(*), max(name) from pg_prepared_statements"
      const found = [
        await rows(db, prepared),
        await rows(db, prepared),
        await rows(db, "select 1"),
        await rows(db, "select 2"),
      ]
      expect(found).toEqual([[[1, "s0"]], [[1, "s0"]], [[1]], [[2]]])
      expect(await rows(db, prepared)).toEqual([[2, "s1"]])
      // Another session prepares the statements under the same names.
      await kill(await backend(db))
      expect(await rows(db, "select 1")).toEqual([[1]])
      expect(await rows(db, prepared)).toEqual([[2, "s1"]])
    })

    test("takes the mode of its store before its next use, even if it opens later", async () => {
      const db = own()
      const settings = () =>
        rows(db, "select current_setting('lock_timeout'), current_setting('synchronous_commit')")
      expect(await settings()).toEqual([["10s", "off"]])
      db.mode = { patienceMs: 0, isDurable: true }
      expect(await Promise.all([settings(), settings()])).toEqual([[["1ms", "on"]], [["1ms", "on"]]])
      await kill(await backend(db))
      expect(await settings()).toEqual([["1ms", "on"]])
      db.mode = { patienceMs: 5000, isDurable: false }
      expect(await settings()).toEqual([["5s", "off"]])
    })

    test("opened while the mode changes takes the new one", async () => {
      const pooler = await pooled()
      const db = own({ url: pooler.url() })
      pooler.onWord = (word) => {
        if (word.includes("lock_timeout")) db.mode = { patienceMs: 700, isDurable: false }
      }
      expect(await one(db, "select current_setting('lock_timeout')")).toBe("700ms")
    })
  })

  describe("several sessions", () => {
    test("open as needed up to the limit, and later callers wait", async () => {
      const db = own({ limits: { most: 3, connectMs: 300 } })
      const pid = await backend(db)
      // A free session is reused.
      expect(await backend(db)).toBe(pid)
      const users = await Promise.all([held(db), held(db), held(db)])
      const pids = await Promise.all(users.map(({ session }) => backendOf(session)))
      expect(new Set([pid, ...pids]).size).toBe(3)
      let isServed = false
      const served = backend(db).finally(() => (isServed = true))
      // Waiting longer than a server may take to answer doesn't mean that it is down.
      await one(admin, "select pg_sleep(0.5)")
      expect(isServed).toBe(false)
      await users[1].end()
      expect(await served).toBe(pids[1])
      await Promise.all([users[0].end(), users[2].end()])
    })
  })

  describe("writers", () => {
    test("take turns, and one without patience fails because others write, and can write later", async () => {
      const [db, other] = [own(), own()]
      const things = await table(db)
      other.mode = { patienceMs: 0, isDurable: false }
      const turn = await held(db, "write")
      await expect(held(other, "write")).rejects.toMatchObject(BUSY)
      await expect(write(other, `insert into ${things} values (1)`)).rejects.toMatchObject(BUSY)
      await expect(script(other, `insert into ${things} values (1)`)).rejects.toMatchObject(BUSY)
      // Writers in another schema take separate turns, and readers need no turn.
      await (await held(admin, "write")).end()
      expect(await count(other, things)).toBe(0)
      await turn.end()
      expect(await write(other, `insert into ${things} values (2)`)).toMatchObject({ changes: 1 })
      expect(await rows(db, `select n from ${things}`)).toEqual([[2]])
    })

    test("wait for their turn while they are patient, whatever they write", async () => {
      const [db, other] = [own(), own()]
      const things = await table(db)
      for (const work of [
        async () => await (await held(other, "write")).end(),
        () => write(other, `insert into ${things} values (1)`),
        () => script(other, `insert into ${things} values (2)`),
      ]) {
        const turn = await held(db, "write")
        let isDone = false
        const done = work().finally(() => (isDone = true))
        await until(async () => (await waiting()) === 1 || isDone)
        expect(isDone).toBe(false)
        await turn.end()
        await done
      }
      expect(await rows(db, `select n from ${things} order by n`)).toEqual([[1], [2]])
    })

    test("a write outside a transaction succeeds or reports why not, and leaves its session unchanged", async () => {
      const db = own({ limits: { most: 1 } })
      const things = await table(db)
      expect(await write(db, `insert into ${things} values ($1) returning n`, 1)).toEqual({
        columns: ["n"],
        rows: [[1]],
        changes: 1,
      })
      await expect(write(db, `insert into ${things} values (1)`)).rejects.toMatchObject({ code: "23505" })
      await script(
        db,
        `alter table ${things} add column of bigint references ${things} deferrable initially deferred`,
      )
      await expect(write(db, `insert into ${things} values (2, 3)`)).rejects.toMatchObject({ code: "23503" })
      expect(await write(db, `insert into ${things} values (2, 1)`)).toMatchObject({ changes: 1 })
      expect(await rows(own(), `select n, of from ${things} order by n`)).toEqual([
        [1, null],
        [2, 1],
      ])
    })
  })

  describe("transactions", () => {
    test("a failed one is rolled back, and never reported as committed", async () => {
      const db = own({ limits: { most: 1 } })
      const things = await table(db)
      const turn = await held(db, "write")
      await turn.session.run(`insert into ${things} values (1)`, [])
      await expect(turn.session.run("select nothing", [])).rejects.toMatchObject({ code: "42703" })
      await expect(turn.end()).rejects.toMatchObject({
        code: "25P02",
        message: "The transaction failed and was rolled back.",
      })
      const another = await held(db, "write")
      await another.session.run(`insert into ${things} values (2)`, [])
      await another.fail(new Error("changed its mind"))
      expect(await count(db, things)).toBe(0)
    })

    test("one with a lost session loses everything it wrote, and another session serves the next caller", async () => {
      const db = own({ limits: { most: 1 } })
      const things = await table(db)
      const turn = await held(db, "write")
      await turn.session.run(`insert into ${things} values (1)`, [])
      const pid = await backendOf(turn.session)
      await kill(pid)
      await expect(turn.session.run("select 1", [])).rejects.toMatchObject(AWAY)
      await expect(turn.session.script("select 1")).rejects.toMatchObject(AWAY)
      await expect(Array.fromAsync(turn.session.cursor("select 1", [], 1))).rejects.toMatchObject(AWAY)
      await expect(turn.end()).rejects.toMatchObject(AWAY)
      expect(await count(db, things)).toBe(0)
      expect(await backend(db)).not.toBe(pid)
    })

    test("a snapshot stays the same while others write, and cannot write", async () => {
      const [db, other] = [own(), own()]
      const things = await table(db)
      const snapshot = await held(db, "snapshot")
      const seen = async () => (await snapshot.session.run(`select count(*) from ${things}`, [])).rows
      expect(await seen()).toEqual([[0]])
      await write(other, `insert into ${things} values (1)`)
      expect(await seen()).toEqual([[0]])
      const refused = snapshot.session.run(`insert into ${things} values (2)`, [])
      await expect(refused).rejects.toMatchObject({ code: "25006" })
      await snapshot.fail(new Error("enough"))
      expect(await count(db, things)).toBe(1)
    })

    test("a script succeeds whole or not at all, may take its time, and is on the server's disk when it is done", async () => {
      const db = own({ limits: { silentMs: 1000 } })
      const things = await table(db)
      await expect(
        script(db, `insert into ${things} values (1); insert into ${things} values (1)`),
      ).rejects.toMatchObject({ code: "23505" })
      expect(await count(db, things)).toBe(0)
      const noted = `create table ${things}_noted as select current_setting('statement_timeout'), current_setting('synchronous_commit') as safe`
      await script(db, `${noted}; insert into ${things} select 1 from pg_sleep(1.2)`)
      expect(await rows(db, `select * from ${things}_noted`)).toEqual([["0", "on"]])
      expect(await rows(db, "select current_setting('statement_timeout')")).toEqual([["20s"]])
      const turn = await held(db, "write")
      await turn.session.script(`delete from ${things}; drop table ${things}_noted`)
      await turn.fail(new Error("changed its mind"))
      expect(await rows(db, `select n from ${things}, ${things}_noted`)).toEqual([[1]])
      const made = `create table ${things}_of (n bigint references ${things} deferrable initially deferred)`
      await expect(script(db, `${made}; insert into ${things}_of values (9)`)).rejects.toMatchObject({
        code: "23503",
      })
      expect(await one(db, "select count(*) from pg_tables where tablename = $1", `${things}_of`)).toBe(0)
    })
  })

  describe("cursors", () => {
    test("one outside the pool returns rows of one moment in batches, and ends with its session", async () => {
      const db = own({ limits: { most: 1 } })
      const things = await table(db)
      await write(db, `insert into ${things} select * from generate_series(1, 1201)`)
      const lengths: number[] = []
      let pid = 0
      {
        using session = await db.openSnapshot()
        pid = await backendOf(session)
        expect(await backend(db)).not.toBe(pid)
        for await (const list of session.cursor(`select n from ${things} where n >= $1`, [2], 500)) {
          await write(db, `delete from ${things}`)
          expect(list.columns).toEqual(["n"])
          lengths.push(list.rows.length)
        }
      }
      expect(lengths).toEqual([500, 500, 200])
      await until(async () => !(await isThere(pid)))
      using other = await db.openSnapshot()
      await expect(Array.fromAsync(other.cursor("select nothing", [], 1))).rejects.toMatchObject({
        code: "42703",
      })
      using third = await db.openSnapshot()
      const texts = await Array.fromAsync(third.cursor("select $1::text", ["a\0"], 1))
      expect(texts.map(({ rows: some }) => some)).toEqual([[["a\u{FFFD}"]]])
    })

    test("one in a transaction sees what that wrote, and is closed when its reader has enough", async () => {
      const db = own({ limits: { most: 1 } })
      const things = await table(db)
      const turn = await held(db, "write")
      const { session } = turn
      await session.run(`insert into ${things} select * from generate_series(5, 9)`, [])
      const open = async () =>
        (await session.run("select count(*) from pg_cursors where not is_holdable", [])).rows[0]![0]
      const none = await open()
      for await (const { rows: some } of session.cursor(`select n from ${things} order by n`, [], 2)) {
        expect([some, await open()]).toEqual([[[5], [6]], (none as number) + 1])
        break
      }
      expect(await open()).toBe(none)
      await turn.end()
      const failing = await held(db, "write")
      const pid = await backendOf(failing.session)
      await expect(Array.fromAsync(failing.session.cursor("select nothing", [], 1))).rejects.toMatchObject({
        code: "42703",
      })
      await failing.fail(new Error("no such column"))
      expect(await backend(db)).toBe(pid)
    })

    test("one with a lost session fails alone", async () => {
      const db = own()
      const pid = await backend(db)
      using session = await db.openSnapshot()
      const other = await backendOf(session)
      const lists = session.cursor("select * from generate_series(1, 9)", [], 1)
      expect((await lists.next()).value).toMatchObject({ rows: [[1]] })
      await kill(other)
      await expect(lists.next()).rejects.toMatchObject(AWAY)
      expect(await backend(db)).toBe(pid)
    })
  })

  describe("a server that is away", () => {
    test("fails callers at once after a failed attempt, until it is time to try again", async () => {
      for (const [restMs, tries] of [
        [600_000, 1],
        [0, 3],
      ] as const) {
        const pooler = await pooled()
        const db = own({ url: pooler.url(), limits: { restMs } })
        await kill(await backend(db))
        pooler.refusal = { code: "57P03", message: "starting up" }
        pooler.calls = 0
        for (let i = 0; i < 3; i++)
          await expect(run(db, "select 1")).rejects.toMatchObject({
            message: "The PostgreSQL server that keeps the state cannot be reached (starting up).",
            code: "57P03",
          })
        expect(pooler.calls).toBe(tries)
      }
    })

    test("fails callers that wait for a session together with those that try to open one", async () => {
      const pooler = await pooled()
      pooler.isMute = true
      const db = own({ url: pooler.url(), limits: { most: 2, connectMs: 200, restMs: 600_000 } })
      const callers = await Promise.allSettled(Array.from({ length: 20 }, () => run(db, "select 1")))
      for (const caller of callers)
        expect(caller).toMatchObject({
          reason: { message: expect.stringContaining("(timeout expired)") as string, isUnreachable: true },
        })
      expect(pooler.calls).toBe(2)
    })

    test("still serves open sessions if it accepts no more of them", async () => {
      const pooler = await pooled()
      const db = own({ url: pooler.url() })
      const user = await held(db)
      pooler.refusal = { code: "53300", message: "too many connections" }
      await expect(run(db, "select 1")).rejects.toMatchObject(AWAY)
      await user.end()
      expect(await one(db, "select 1")).toBe(1)
    })

    test("gets a write whole, which is given up without an answer, and its session is not used again", async () => {
      const pooler = await pooled()
      const db = own({ url: pooler.url(), limits: { silentMs: 1000, most: 1 } })
      const things = await table(db)
      const pid = await backend(db)
      pooler.isMute = true
      const written = write(db, `insert into ${things} values (1)`)
      const next = backend(db)
      await expect(written).rejects.toMatchObject({
        message: expect.stringContaining("(Query read timeout)") as string,
        isUnreachable: true,
      })
      pooler.isMute = false
      // The caller that was waiting for the session gets another session, or learns that the server is down.
      const later = await next.catch((error: unknown) => error)
      expect(later).not.toBe(pid)
      await until(async () => (await rows(db, "select 1").catch(() => [])).length === 1)
      expect(await backend(db)).not.toBe(pid)
      expect(await rows(db, `select n from ${things}`)).toEqual([[1]])
    })

    test("that falls silent is not tried through one idle session after another", async () => {
      const pooler = await pooled()
      const db = own({ url: pooler.url(), limits: { silentMs: 500, connectMs: 200, restMs: 600_000 } })
      const other = own({ url: pooler.url(), limits: { connectMs: 200 } })
      await run(other, "select 1")
      const users = await Promise.all([held(db), held(db), held(db)])
      for (const user of users) await user.end()
      pooler.isMute = true
      await expect(run(db, "select 1")).rejects.toThrow("Query read timeout")
      // The same applies to another store in the process, whose session was unused as well.
      await expect(run(other, "select 1")).rejects.toThrow("timeout expired")
      pooler.calls = 0
      await expect(run(db, "select 1")).rejects.toThrow("timeout expired")
      expect(pooler.calls).toBe(0)
    })

    test("ends a transaction without waiting for the answer to its rollback", async () => {
      const pooler = await pooled()
      const db = own({ url: pooler.url(), limits: { silentMs: 500 } })
      const turn = await held(db, "write")
      const asked = vi.spyOn(turn.session, "ask")
      pooler.isMute = true
      const failure = await turn.session.run("select 1", []).catch((error: Error) => error)
      await turn.fail(failure as Error)
      expect(asked.mock.calls).toHaveLength(1)
      expect(turn.session.isLost).toBe(true)
      pooler.isMute = false
      expect(await one(db, "select 1")).toBe(1)
    })

    test("that does not answer a new caller is given up", async () => {
      const pooler = await pooled()
      pooler.isMute = true
      await expect(
        run(own({ url: pooler.url(), limits: { connectMs: 50 } }), "select 1"),
      ).rejects.toMatchObject({
        message: "The PostgreSQL server that keeps the state cannot be reached (timeout expired).",
      })
    })

    test("the password that a server or pooler refuses is not shown", async () => {
      const pooler = await pooled()
      pooler.refusal = { code: "28P01", message: "no such password: open sesame" }
      const db = own({ url: pooler.url(), password: "open sesame" })
      const refused = { message: "no such password: …", code: "28P01", isUnreachable: false }
      await expect(run(db, "select 1")).rejects.toMatchObject(refused)
      await expect(db.openSnapshot()).rejects.toMatchObject(refused)
    })
  })

  describe("schemas", () => {
    test("one is created with the functions that PostgreSQL lacks, by one of several concurrent callers", async () => {
      const all = Array.from({ length: 3 }, () => own({ schema: "second" }))
      const found = all.map((db) => rows(db, "select current_schema(), instr('ab', 'b')"))
      expect(await Promise.all(found)).toEqual(all.map(() => [["second", 2]]))
    })

    test("one that is up to date is not created again, which would have to wait for writers", async () => {
      const db = own({ schema: "third" })
      const turn = await held(db, "write")
      expect(await one(own({ schema: "third" }), "select current_schema()")).toBe("third")
      await turn.session.run("drop function instr(text, text)", [])
      await turn.session.run("comment on schema third is 'by another version'", [])
      await turn.end()
      expect(await one(own({ schema: "third" }), "select instr('ab', 'b')")).toBe(2)
    })

    test("a role that may create none is refused, and keeps no session", async () => {
      await script(admin, "create role guest login; revoke create on database fossick from public")
      const guest = own({ url: server.url("of_guest").replace("fossick@", "guest@"), limits: { restMs: 0 } })
      await expect(run(guest, "select 1")).rejects.toMatchObject({ code: "42501" })
      await expect(guest.openSnapshot()).rejects.toMatchObject({ code: "42501" })
      const guests = "select count(*) from pg_stat_activity where usename = 'guest'"
      await until(async () => (await one(admin, guests)) === 0)
    })
  })

  describe("closing", () => {
    test("ends all sessions, even after one was lost, and accepts no more callers", async () => {
      const db = own()
      const pid = await backend(db)
      db.close()
      db.close()
      await until(async () => !(await isThere(pid)))
      await expect(run(db, "select 1")).rejects.toThrow("The state store is not open.")
      await expect(db.openSnapshot()).rejects.toThrow("The state store is not open.")
      const other = own()
      await kill(await backend(other))
      other.close()
    })

    test("lets earlier callers finish, including those waiting for a session", async () => {
      const db = own({ limits: { most: 1 } })
      const things = await table(db)
      const turn = await held(db, "write")
      const pid = await backendOf(turn.session)
      const written = write(db, `insert into ${things} values (1)`)
      db.close()
      await turn.session.run(`insert into ${things} values (2)`, [])
      await turn.end()
      await written
      await until(async () => !(await isThere(pid)))
      expect(await rows(own(), `select n from ${things} order by n`)).toEqual([[1], [2]])
    })
  })
})
