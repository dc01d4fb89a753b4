import { once } from "node:events"
import { type AddressInfo, connect, createServer, type Server, Socket } from "node:net"
import { MessageChannel } from "node:worker_threads"
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest"
import { until } from "../../testing/until.ts"
import { PostgresServer } from "../testing/postgres-server.ts"
import type { Answer, Asked, Rows } from "./asked.ts"
import { answerAsked, type ConnectionLimits, Connections } from "./connections-worker.ts"
import { serverLocation } from "./state-location.ts"

type Question = Asked extends infer One ? (One extends Asked ? Omit<One, "connection"> : never) : never
type Values = Extract<Asked, { kind: "run" }>["values"]

let last = 0

/** One store of the state, as its thread is asked for it, but in this one. */
class Asker {
  readonly #connections: Connections
  readonly #connection = ++last

  constructor(connections: Connections) {
    this.#connections = connections
  }

  ask(asked: Question): Promise<Answer> {
    return this.#connections.answer({ ...asked, connection: this.#connection })
  }

  open(url: string, password = ""): Promise<Answer> {
    return this.ask({ kind: "open", location: serverLocation(url, password, "/", {}) })
  }

  run(sql: string, ...values: Values): Promise<Answer> {
    return this.ask({ kind: "run", sql, values, alone: false })
  }

  write(sql: string, ...values: Values): Promise<Answer> {
    return this.ask({ kind: "run", sql, values, alone: true })
  }

  script(sql: string, alone = true): Promise<Answer> {
    return this.ask({ kind: "script", sql, alone })
  }

  begin(isSnapshot = false): Promise<Answer> {
    return this.ask({ kind: "begin", isSnapshot })
  }

  end(how: "commit" | "rollback"): Promise<Answer> {
    return this.ask({ kind: "end", how })
  }

  cursor(cursor: number, sql: string, ...values: Values): Promise<Answer> {
    return this.ask({ kind: "cursor", cursor, sql, values })
  }

  async fetch(cursor: number): Promise<Rows["rows"]> {
    return rowsOf(await this.ask({ kind: "fetch", cursor }))
  }

  drop(cursor: number): Promise<Answer> {
    return this.ask({ kind: "drop", cursor })
  }

  async rows(sql: string, ...values: Values): Promise<Rows["rows"]> {
    return rowsOf(await this.run(sql, ...values))
  }

  /** The only value of the only row. */
  async one(sql: string, ...values: Values): Promise<unknown> {
    return (await this.rows(sql, ...values))[0]![0]
  }
}

const NOTHING = { value: null }
const LOST = "The connection to PostgreSQL was lost."
const said = (code: string) => ({
  failure: { code, message: expect.any(String) as string },
})

function rowsOf(answer: Answer): Rows["rows"] {
  expect(answer).toHaveProperty("value")
  return (answer as { value: Rows }).value.rows
}

/** What stands between a server and those who call it: it passes everything on until it is told otherwise. */
class Pooler {
  readonly #server: Server
  /** Calls that came in. */
  calls = 0
  /** No word of the server comes through. */
  isMute = false
  /** What everybody is told who comes. */
  refusal: { readonly code: string; readonly message: string } | null = null

  private constructor(port: number) {
    this.#server = createServer((near) => {
      this.calls += 1
      near.on("error", () => undefined)
      if (this.refusal !== null) {
        near.once("data", () => near.end(errorMessage(this.refusal!)))
        return
      }
      const far = connect(port, "127.0.0.1")
      far.on("error", () => undefined)
      far.on("close", () => near.destroy())
      near.on("close", () => far.destroy())
      near.pipe(far)
      far.on("data", (bytes) => this.isMute || near.write(bytes))
    })
  }

  /** Before a server at `port`, for as long as the test is. */
  static async before(port: number): Promise<Pooler> {
    const pooler = new Pooler(port)
    pooler.#server.listen(0, "127.0.0.1")
    await once(pooler.#server, "listening")
    onTestFinished(() => void pooler.#server.close())
    return pooler
  }

  get url(): string {
    const { port } = this.#server.address() as AddressInfo
    return `postgres://fossick@127.0.0.1:${port}/fossick?schema=pooled`
  }
}

/** https://www.postgresql.org/docs/current/protocol-message-formats.html, ErrorResponse. */
function errorMessage({ code, message }: { readonly code: string; readonly message: string }): Buffer {
  const fields = Buffer.from(`SFATAL\0C${code}\0M${message}\0\0`)
  const head = Buffer.from("E....")
  head.writeInt32BE(fields.length + 4, 1)
  return Buffer.concat([head, fields])
}

describe("connections to a server", { tags: ["postgresql"] }, () => {
  let server: PostgresServer
  /** Looks on from outside. */
  let admin: Asker
  beforeAll(async () => {
    server = await PostgresServer.start()
    admin = await opened({ schema: "admin" })
  })
  afterAll(async () => await server[Symbol.asyncDispose]())

  interface OpenedOptions {
    readonly schema?: string
    readonly limits?: Partial<ConnectionLimits>
    /** Those of a thread, which may have several. */
    readonly connections?: Connections
    readonly url?: string
  }
  async function opened({ schema = "things", limits, connections, url }: OpenedOptions = {}): Promise<Asker> {
    const asker = new Asker(connections ?? new Connections(limits))
    expect(await asker.open(url ?? server.url(schema))).toEqual(NOTHING)
    return asker
  }
  /** One that is closed with the test. */
  async function own(options?: OpenedOptions): Promise<Asker> {
    const asker = await opened(options)
    onTestFinished(() => void asker.ask({ kind: "close" }))
    return asker
  }
  /** A table for a test. */
  async function table(asker: Asker): Promise<string> {
    const name = `table_${++last}`
    expect(await asker.script(`create table ${name} (n bigint primary key)`)).toEqual(NOTHING)
    return name
  }
  const backend = (asker: Asker) => asker.one("select pg_backend_pid()")
  const kill = async (pid: unknown) => {
    expect(await admin.one("select pg_terminate_backend($1, 60000)", pid as number)).toBe(1)
    // Its last word is on this machine before the answer; let it be read, also by way of a pooler.
    for (let turn = 0; turn < 20; turn++) await new Promise((done) => setImmediate(done))
  }
  /** Connections whose last statement is like this. */
  const doing = (statement: string) =>
    admin.one("select count(*) from pg_stat_activity where query like $1", statement)
  const waiting = () => admin.one("select count(*) from pg_locks where locktype = 'advisory' and not granted")

  test("what is asked at a port is answered there, and who waits is woken", async () => {
    const { port1, port2 } = new MessageChannel()
    const signal = new Int32Array(new SharedArrayBuffer(4))
    answerAsked(port2, signal)
    const answers: unknown[] = []
    port1.on("message", (answer) => answers.push(answer))
    port1.postMessage({ kind: "close", connection: 1 } satisfies Asked)
    await until(() => answers.length === 1)
    expect(answers).toEqual([{ failure: { message: "The state store is not open.", code: "" } }])
    await until(() => Atomics.load(signal, 0) === 1)
    const woken = Atomics.waitAsync(signal, 0, 1)
    port1.postMessage({
      kind: "open",
      connection: 1,
      location: serverLocation(server.url("port"), "", "/", {}),
    } satisfies Asked)
    expect(await woken.value).toBe("ok")
    await until(() => answers.length === 2)
    expect(answers[1]).toEqual(NOTHING)
    port1.postMessage({ kind: "close", connection: 1 } satisfies Asked)
    await until(() => answers.length === 3)
    port1.close()
  })

  test("a connection is named, bounds what may hang, and knows its schema", async () => {
    const kept = vi.spyOn(Socket.prototype, "setKeepAlive")
    onTestFinished(() => kept.mockRestore())
    const db = await own()
    expect(kept.mock.calls.map(([isKept]) => isKept)).toEqual([true])
    const setting = (name: string) => db.one("select current_setting($1)", name)
    expect(await setting("application_name")).toBe("fossick")
    expect(await setting("search_path")).toMatch(/^"?things"?$/)
    expect(await setting("statement_timeout")).toBe("20s")
    expect(await setting("idle_in_transaction_session_timeout")).toBe("30s")
    expect(await setting("client_min_messages")).toBe("warning")
    expect(await setting("lock_timeout")).toBe("10s")
    expect(await setting("synchronous_commit")).toBe("off")
  })

  test("values come as the state has them, and a number that cannot be told exactly does not", async () => {
    const db = await own()
    const answer = await db.run(
      `select 9007199254740991::bigint as big, 2::smallint, 3::integer, 4::oid, 1.5::numeric, 2.5::real, 0.1::float8,
         true, false, '\\x00ff'::bytea as bytes, '{"a":1}'::json, 'x', null`,
    )
    expect(answer).toEqual({
      value: {
        columns: expect.arrayContaining(["big", "int2", "bytes"]) as string[],
        rows: [[2 ** 53 - 1, 2, 3, 4, 1.5, 2.5, 0.1, 1, 0, new Uint8Array([0, 255]), '{"a":1}', "x", null]],
        changes: 1,
      },
    })
    for (const large of ["9007199254740992::bigint", "1e300::numeric"])
      expect(await db.run(`select ${large}`)).toEqual({
        failure: {
          message: "A number of the state is too large to be told exactly.",
          code: "",
        },
      })
    const view = new Uint8Array([9, 1, 2, 9]).subarray(1, 3)
    expect(
      await db.rows(
        "select $1::text, $2::bigint, $3::bytea, $4::float8, $5::text",
        "a\0b\0",
        5n,
        view,
        0.5,
        null,
      ),
    ).toEqual([["a\u{FFFD}b\u{FFFD}", 5, new Uint8Array([1, 2]), 0.5, null]])
    expect(await db.rows("select hex($1), instr('abc', 'c')", new Uint8Array([171]))).toEqual([["AB", 3]])
    // A statement that counts nothing.
    expect(await db.write("set enable_seqscan = on")).toEqual({
      value: { columns: [], rows: [], changes: 0 },
    })
  })

  test("a statement is prepared once, and no more of them than there is room for", async () => {
    const db = await own({ limits: { mostPrepared: 2 } })
    const count = "select count(*), max(name) from pg_prepared_statements"
    const names = [
      await db.rows(count),
      await db.rows(count),
      await db.rows("select 1"),
      await db.rows("select 2"),
    ]
    expect(names).toEqual([[[1, "s0"]], [[1, "s0"]], [[1]], [[2]]])
    expect(await db.rows(count)).toEqual([[2, "s1"]])
    expect(await db.rows("select 2")).toEqual([[2]])
    // A new connection is told of them again.
    await kill(await backend(db))
    expect(await db.rows("select 1")).toEqual([[1]])
    expect(await db.rows(count)).toEqual([[2, "s1"]])
  })

  test("how long to wait and how safe a commit is are set at once, and again with a new connection", async () => {
    const db = await own()
    const settings = () =>
      db.rows("select current_setting('lock_timeout'), current_setting('synchronous_commit')")
    await db.ask({ kind: "patience", ms: 0 })
    await db.ask({ kind: "durable", isDurable: true })
    expect(await settings()).toEqual([["1ms", "on"]])
    await kill(await backend(db))
    expect(await settings()).toEqual([["1ms", "on"]])
    await db.ask({ kind: "durable", isDurable: false })
    await db.ask({ kind: "patience", ms: 5000 })
    expect(await settings()).toEqual([["5s", "off"]])
    const pid = await backend(db)
    await kill(pid)
    expect(await db.ask({ kind: "patience", ms: 7 })).toEqual(NOTHING)
    expect(await db.ask({ kind: "durable", isDurable: true })).toEqual(NOTHING)
    expect(await settings()).toEqual([["7ms", "on"]])
    expect(await backend(db)).not.toBe(pid)
  })

  test("writers take turns; who has no patience is told, and goes on afterwards", async () => {
    const [db, other] = [await own(), await own()]
    const things = await table(db)
    await other.ask({ kind: "patience", ms: 0 })
    expect(await db.begin()).toEqual(NOTHING)
    const busy = { failure: { message: "others write", code: "55P03" } }
    expect(await other.begin()).toEqual(busy)
    expect(await other.write(`insert into ${things} values (1)`)).toEqual(busy)
    expect(await other.script(`insert into ${things} values (1)`)).toEqual(busy)
    // What others say of their own schema is no matter of this one, and reading takes no turn.
    expect(await admin.begin()).toEqual(NOTHING)
    expect(await admin.end("rollback")).toEqual(NOTHING)
    expect(await other.one(`select count(*) from ${things}`)).toBe(0)
    expect(await db.end("commit")).toEqual(NOTHING)
    expect(await other.begin()).toEqual(NOTHING)
    expect(await other.run(`insert into ${things} values (2)`)).toMatchObject({ value: { changes: 1 } })
    expect(await other.end("commit")).toEqual(NOTHING)
    expect(await db.rows(`select n from ${things}`)).toEqual([[2]])
  })

  test("who is patient waits for its turn, whatever it is to write", async () => {
    const [db, other] = [await own(), await own()]
    const things = await table(db)
    for (const write of [
      () => other.begin(),
      () => other.write(`insert into ${things} values (1)`),
      () => other.script(`insert into ${things} values (2)`),
    ]) {
      await db.begin()
      let answer: Answer | null = null
      const written = write().then((come) => (answer = come))
      await until(async () => (await waiting()) === 1 || answer !== null)
      expect(answer).toBeNull()
      await db.end("commit")
      expect(await written).toHaveProperty("value")
      await other.end("rollback")
    }
    expect(await db.rows(`select n from ${things} order by n`)).toEqual([[1], [2]])
  })

  test("a write of its own lands, or says why not, and takes nothing along", async () => {
    const db = await own()
    const things = await table(db)
    expect(await db.write(`insert into ${things} values ($1) returning n`, 1)).toEqual({
      value: { columns: ["n"], rows: [[1]], changes: 1 },
    })
    expect(await db.write(`insert into ${things} values (1)`)).toEqual(said("23505"))
    await db.script(
      `alter table ${things} add column of bigint references ${things} deferrable initially deferred`,
    )
    expect(await db.write(`insert into ${things} values (2, 3)`)).toEqual(said("23503"))
    expect(await db.write(`insert into ${things} values (2, 1)`)).toMatchObject({ value: { changes: 1 } })
    const other = await own()
    expect(await other.rows(`select n, of from ${things} order by n`)).toEqual([
      [1, null],
      [2, 1],
    ])
  })

  test("a write of its own is on its way at once, and ends though no answer comes through; then its server is given up", async () => {
    const pooler = await Pooler.before(server.port)
    const db = await own({ url: pooler.url, limits: { silentMs: 1000 } })
    const things = await table(db)
    pooler.isMute = true
    const written = db.write(`insert into ${things} values (1)`)
    await until(async () => (await admin.one(`select count(*) from pooled.${things}`)) === 1)
    expect(await written).toMatchObject({ failure: { message: "Query read timeout", code: "" } })
    pooler.isMute = false
    await until(async () => "value" in (await db.run("select 1")))
    expect(await db.rows(`select n from ${things}`)).toEqual([[1]])
  })

  test("after a failed attempt others are told at once, until it is time to try again", async () => {
    for (const [restMs, tries] of [
      [600_000, 1],
      [0, 3],
    ] as const) {
      const pooler = await Pooler.before(server.port)
      const db = await own({ url: pooler.url, limits: { restMs } })
      await kill(await backend(db))
      pooler.refusal = { code: "57P03", message: "starting up" }
      pooler.calls = 0
      for (let i = 0; i < 3; i++)
        expect(await db.run("select 1")).toEqual({
          failure: { message: "starting up", code: "57P03" },
        })
      expect(pooler.calls).toBe(tries)
    }
  })

  test("a pooler that repeats the password which it refuses is not repeated", async () => {
    const pooler = await Pooler.before(server.port)
    pooler.refusal = { code: "28P01", message: "no such password: open sesame" }
    expect(await new Asker(new Connections()).open(pooler.url, "open sesame")).toEqual({
      failure: { message: "no such password: …", code: "28P01" },
    })
  })

  test("a server that says nothing to who comes is given up", async () => {
    const pooler = await Pooler.before(server.port)
    pooler.isMute = true
    expect(await new Asker(new Connections({ connectMs: 50 })).open(pooler.url)).toEqual({
      failure: { message: "timeout expired", code: "" },
    })
  })

  test("a transaction that failed is not said to be committed", async () => {
    const db = await own()
    const things = await table(db)
    await db.begin()
    await db.run(`insert into ${things} values (1)`)
    expect(await db.run("select nothing")).toEqual(said("42703"))
    expect(await db.end("commit")).toEqual({
      failure: { message: "The transaction had failed, and was rolled back.", code: "25P02" },
    })
    expect(await db.one(`select count(*) from ${things}`)).toBe(0)
    await db.begin()
    expect(await db.run("select nothing")).toEqual(said("42703"))
    expect(await db.end("rollback")).toEqual(NOTHING)
  })

  test("a transaction whose connection is lost is lost, until its end is told", async () => {
    const db = await own()
    const things = await table(db)
    const lost = { failure: { message: LOST, code: "08006" } }
    for (const how of ["commit", "rollback"] as const) {
      await db.begin()
      await db.run(`insert into ${things} values (1)`)
      await kill(await backend(db))
      expect(await db.run("select 1")).toEqual(lost)
      expect(await db.cursor(1, "select 1")).toEqual(lost)
      expect(await db.script("select 1", false)).toEqual(lost)
      expect(await db.end(how)).toEqual(how === "commit" ? lost : NOTHING)
      expect(await db.one(`select count(*) from ${things}`)).toBe(0)
    }
  })

  test("a snapshot stays as it is while others write, and writes nothing", async () => {
    const [db, other] = [await own(), await own()]
    const things = await table(db)
    const count = () => db.one(`select count(*) from ${things}`)
    await db.begin(true)
    expect(await count()).toBe(0)
    await other.write(`insert into ${things} values (1)`)
    expect(await count()).toBe(0)
    expect(await db.run(`insert into ${things} values (2)`)).toEqual(said("25006"))
    expect(await db.end("rollback")).toEqual(NOTHING)
    expect(await count()).toBe(1)
  })

  test("a script is done as a whole or not at all, takes its time, and is on the disk then", async () => {
    const limits = { silentMs: 1000 }
    const db = await own({ limits })
    const things = await table(db)
    expect(await db.script(`insert into ${things} values (1); insert into ${things} values (1)`)).toEqual(
      said("23505"),
    )
    expect(await db.one(`select count(*) from ${things}`)).toBe(0)
    const noted = `create table ${things}_noted as select current_setting('statement_timeout'), current_setting('synchronous_commit') as safe`
    expect(await db.script(`${noted}; insert into ${things} select 1 from pg_sleep(1.2)`)).toEqual(NOTHING)
    expect(await db.rows(`select * from ${things}_noted`)).toEqual([["0", "on"]])
    // Amid a transaction it ends with that.
    await db.begin()
    expect(await db.script(`delete from ${things}; drop table ${things}_noted`, false)).toEqual(NOTHING)
    await db.end("rollback")
    expect(await db.rows(`select n from ${things}, ${things}_noted`)).toEqual([[1]])
    expect(await db.script("set constraints all deferred", false)).toEqual(NOTHING)
    const made = `create table ${things}_of (n bigint references ${things} deferrable initially deferred)`
    expect(await db.script(`${made}; insert into ${things}_of values (9)`)).toEqual(said("23503"))
    expect(await db.one("select count(*) from pg_tables where tablename = $1", `${things}_of`)).toBe(0)
  })

  test("a cursor brings rows of one moment, some at a time, over a connection of its own, which ends with it", async () => {
    // So that the server ends none of them by itself.
    const db = await own({ limits: { idleInTransactionMs: 0 } })
    const things = await table(db)
    await db.write(`insert into ${things} select * from generate_series(1, 1201)`)
    expect(await db.cursor(7, `select n from ${things} where n >= $1 order by n`, 2)).toEqual(NOTHING)
    expect((await db.fetch(7))[0]).toEqual([2])
    expect(await doing("fetch 500 from c7")).toBe(1)
    await db.write(`delete from ${things}`)
    expect([(await db.fetch(7)).length, (await db.fetch(7)).length, (await db.fetch(7)).length]).toEqual([
      500, 200, 0,
    ])
    expect(await db.drop(7)).toEqual(NOTHING)
    await until(async () => (await doing("fetch 500 from c7")) === 0)
    // One that is not there, as after a thread that was given up.
    expect(await db.drop(7)).toEqual(NOTHING)
    expect(await db.ask({ kind: "fetch", cursor: 7 })).toEqual({
      failure: { message: "The cursor is not open.", code: "" },
    })
    expect(await db.cursor(8, "select nothing")).toEqual(said("42703"))
    await until(async () => (await doing("declare c8 %")) === 0)
    // No text, whose null characters would be refused.
    expect(await db.cursor(9, "select $1::text", "a\0")).toEqual(NOTHING)
    expect(await db.fetch(9)).toEqual([["a\u{FFFD}"]])
    await db.drop(9)
  })

  test("a cursor amid a transaction sees what that wrote, and ends with it", async () => {
    const db = await own()
    const things = await table(db)
    const open = () => db.one("select count(*) from pg_cursors where name in ('c1', 'c2')")
    await db.begin()
    const pid = await backend(db)
    await db.run(`insert into ${things} values (5)`)
    for (const cursor of [1, 2]) expect(await db.cursor(cursor, `select n from ${things}`)).toEqual(NOTHING)
    expect([await db.fetch(1), await open()]).toEqual([[[5]], 2])
    expect(await db.drop(1)).toEqual(NOTHING)
    expect(await open()).toBe(1)
    await db.end("commit")
    expect(await db.drop(2)).toEqual(NOTHING)
    await db.begin()
    expect(await db.drop(3)).toEqual(NOTHING)
    expect(await db.cursor(4, "select nothing")).toEqual(said("42703"))
    await db.end("rollback")
    expect(await backend(db)).toBe(pid)
  })

  test("a cursor whose connection is lost fails alone", async () => {
    const db = await own()
    const pid = await backend(db)
    await db.cursor(1, "select pg_backend_pid()")
    const [[other]] = (await db.fetch(1)) as [[number]]
    expect(other).not.toBe(pid)
    await kill(other)
    expect(await db.ask({ kind: "fetch", cursor: 1 })).toEqual(said(""))
    expect(await db.drop(1)).toEqual(NOTHING)
    expect(await backend(db)).toBe(pid)
  })

  test("schemas are made with what PostgreSQL lacks: one store of a thread need not wait for another, a process does", async () => {
    const connections = new Connections()
    const db = await own({ schema: "first", connections })
    await db.begin()
    // It would be waited for by a thread that waits itself.
    const beside = await own({ schema: "first", connections })
    expect(await beside.one("select current_schema()")).toBe("first")
    const other = new Asker(new Connections())
    let answer: Answer | null = null
    const come = other.open(server.url("first")).then((found) => (answer = found))
    await until(async () => (await waiting()) === 1 || answer !== null)
    expect(answer).toBeNull()
    await db.end("commit")
    expect(await come).toEqual(NOTHING)
    await other.ask({ kind: "close" })
    const second = await own({ schema: "second", connections })
    expect(await second.rows("select current_schema(), instr('ab', 'b')")).toEqual([["second", 2]])
    expect(
      await admin.one(
        "select count(*) from pg_proc where proname = 'instr' and pronamespace = 'second'::regnamespace",
      ),
    ).toBe(1)
  })

  test("one that may make no schema is told, and stays connected to nothing", async () => {
    await admin.script("create role guest login; revoke create on database fossick from public")
    const url = server.url("of_guest").replace("fossick@", "guest@")
    const guest = new Asker(new Connections())
    expect(await guest.open(url)).toEqual(said("42501"))
    await until(
      async () => (await admin.one("select count(*) from pg_stat_activity where usename = 'guest'")) === 0,
    )
    expect(await guest.run("select 1")).toEqual({
      failure: { message: "The state store is not open.", code: "" },
    })
  })

  test("one that is closed is gone, also when its connection was before", async () => {
    const db = await opened()
    const pid = await backend(db)
    expect(await db.ask({ kind: "close" })).toEqual(NOTHING)
    await until(
      async () =>
        (await admin.one("select count(*) from pg_stat_activity where pid = $1", pid as number)) === 0,
    )
    expect(await db.run("select 1")).toMatchObject({ failure: { message: "The state store is not open." } })
    const other = await opened()
    await kill(await backend(other))
    expect(await other.ask({ kind: "close" })).toEqual(NOTHING)
  })
})
