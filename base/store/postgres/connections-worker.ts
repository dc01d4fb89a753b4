import { createHash } from "node:crypto"
import type { MessagePort } from "node:worker_threads"
import { Client, type QueryArrayResult } from "pg"
import { hidden } from "../../telemetry/log/hidden.ts"
import { type Answer, type Asked, type Rows, SCRIPT_MS, type ServerLocation } from "./asked.ts"
import { SQLITE_FUNCTIONS } from "./sqlite-functions.ts"
import { withPassword } from "./state-location.ts"

/** In milliseconds, where nothing else is said. */
export interface ConnectionLimits {
  /** A server that does not answer in this time is taken for dead. */
  readonly connectMs: number
  /** So long after a failed attempt no other is made: whoever asks meanwhile is told at once. */
  readonly restMs: number
  /** Of a server that says nothing to a statement, which it should have ended by itself before that. */
  readonly silentMs: number
  /** Of a process that stopped amid a transaction, until the server ends it, and others may write again; 0: it does not. */
  readonly idleInTransactionMs: number
  /** Statements that are kept prepared on a connection; an appliance has some 500. */
  readonly mostPrepared: number
}

const LIMITS: ConnectionLimits = {
  connectMs: 3000,
  restMs: 1000,
  silentMs: 23_000,
  idleInTransactionMs: 30_000,
  mostPrepared: 2000,
}
/** For one statement. The longest of an appliance take a second or two; those that change tables have no such bound. */
const STATEMENT_MS = 20_000
const PATIENCE_MS = 10_000
/** Rows that a cursor brings at a time. */
const FETCHED = 500
/** What SQLite says when others write (sqlite.org/rescode.html), as callers know it. */
const BUSY = "55P03"

const SNAPSHOT = "begin isolation level repeatable read read only"

const UNSAFE = "A number of the state is too large to be told exactly."
const BIGINT = 20
const SMALLINT = 21
const INTEGER = 23
const NUMERIC = 1700
const FLOAT4 = 700
const FLOAT8 = 701
const BOOLEAN = 16
const BYTEA = 17
const OID = 26

const numberOf = (text: string): number => {
  const number = Number(text)
  if (Number.isInteger(number) && !Number.isSafeInteger(number)) throw new RangeError(UNSAFE)
  return number
}
const PARSERS: Readonly<Record<number, (text: string) => unknown>> = {
  [BIGINT]: numberOf,
  [SMALLINT]: Number,
  [INTEGER]: Number,
  [OID]: Number,
  [NUMERIC]: numberOf,
  [FLOAT4]: Number,
  [FLOAT8]: Number,
  [BOOLEAN]: (text) => (text === "t" ? 1 : 0),
  [BYTEA]: (text) => new Uint8Array(Buffer.from(text.slice(2), "hex")),
}
const asText = (text: string): unknown => text

interface Connection {
  readonly location: ServerLocation
  client: Client | null
  failedAt: number
  failure: unknown
  patienceMs: number
  isDurable: boolean
  inTransaction: boolean
  /** Names of statements; each client is told of them as it comes across them. */
  readonly prepared: Map<string, string>
}

/** Answers what is asked at `port`, and wakes who waits at `signal`. */
export function answerAsked(port: MessagePort, signal: Int32Array): void {
  const connections = new Connections()
  const tell = (answer: Answer) => {
    port.postMessage(answer)
    Atomics.add(signal, 0, 1)
    Atomics.notify(signal, 0)
  }
  port.on("message", (asked: Asked) => void connections.answer(asked).then(tell))
}

/** The connections of one thread of the program, which waits for each answer: one question at a time. */
export class Connections {
  readonly #limits: ConnectionLimits
  readonly #connections = new Map<number, Connection>()
  /** Cursors outside of a transaction have a connection of their own. */
  readonly #cursors = new Map<number, { readonly client: Client; readonly isOwn: boolean }>()
  /** Schemas that this thread has seen to. */
  readonly #ready = new Set<string>()

  constructor(limits: Partial<ConnectionLimits> = {}) {
    this.#limits = { ...LIMITS, ...limits }
  }

  async answer(asked: Asked): Promise<Answer> {
    try {
      return { value: await this.#valueOf(asked) }
    } catch (error) {
      // What a server, or the lack of one, said.
      const { message, code = "" } = error as { message: string; code?: string }
      return { failure: { message, code } }
    }
  }

  async #valueOf(asked: Asked): Promise<Rows | null> {
    if (asked.kind === "open") {
      const connection: Connection = {
        location: asked.location,
        client: null,
        failedAt: -Infinity,
        failure: null,
        patienceMs: PATIENCE_MS,
        isDurable: false,
        inTransaction: false,
        prepared: new Map(),
      }
      await this.#clientOf(connection)
      this.#connections.set(asked.connection, connection)
      return null
    }
    const connection = this.#connections.get(asked.connection)
    if (connection === undefined) throw new Error("The state store is not open.")
    switch (asked.kind) {
      case "close":
        this.#connections.delete(asked.connection)
        await connection.client?.end()
        return null
      case "patience":
        connection.patienceMs = asked.ms
        await connection.client?.query(lockTimeout(asked.ms))
        return null
      case "durable":
        connection.isDurable = asked.isDurable
        await connection.client?.query(synchronousCommit(asked.isDurable))
        return null
      case "begin":
        if (asked.isSnapshot) await (await this.#clientOf(connection)).query(SNAPSHOT)
        else await begin(await this.#clientOf(connection), connection)
        connection.inTransaction = true
        return null
      case "end": {
        const { client } = connection
        connection.inTransaction = false
        if (client !== null) await endTransaction(client, asked.how)
        else if (asked.how === "commit") throw lost()
        return null
      }
      case "script":
        await script(await this.#clientOf(connection), connection, asked.sql, asked.alone)
        return null
      case "run":
        return await this.#run(connection, asked)
      case "cursor":
        await this.#openCursor(connection, asked)
        return null
      case "fetch": {
        const cursor = this.#cursors.get(asked.cursor)
        if (cursor === undefined) throw new Error("The cursor is not open.")
        return rowsOf(
          await cursor.client.query({ text: `fetch ${FETCHED} from c${asked.cursor}`, rowMode: "array" }),
        )
      }
      case "drop": {
        const cursor = this.#cursors.get(asked.cursor)
        this.#cursors.delete(asked.cursor)
        if (cursor?.isOwn === true) await cursor.client.end()
        else if (connection.inTransaction) await cursor?.client.query(`close c${asked.cursor}`)
      }
    }
    return null
  }

  async #clientOf(connection: Connection): Promise<Client> {
    if (connection.client !== null) return connection.client
    if (connection.inTransaction) throw lost()
    if (performance.now() - connection.failedAt < this.#limits.restMs) throw connection.failure
    try {
      connection.client = await this.#connect(connection)
      return connection.client
    } catch (error) {
      connection.failedAt = performance.now()
      connection.failure = unrepeated(error, connection.location)
      throw connection.failure
    }
  }

  async #connect(connection: Connection): Promise<Client> {
    const { location } = connection
    const client = new Client({
      connectionString: withPassword(location),
      application_name: "fossick",
      connectionTimeoutMillis: this.#limits.connectMs,
      query_timeout: this.#limits.silentMs,
      keepAlive: true,
      pipeline: true,
      types: { getTypeParser: (oid: number) => PARSERS[oid] ?? asText },
    })
    client.on("error", () => {
      if (connection.client === client) connection.client = null
    })
    await client.connect()
    try {
      await this.#prepare(client, connection)
      return client
    } catch (error) {
      await client.end()
      throw error
    }
  }

  /** Has a client that is connected be one of the state. */
  async #prepare(client: Client, { location, isDurable, patienceMs }: Connection): Promise<void> {
    await client.query(
      `set search_path = "${location.schema}"; set statement_timeout = ${STATEMENT_MS};
       set idle_in_transaction_session_timeout = ${this.#limits.idleInTransactionMs}; set client_min_messages = warning;
       ${synchronousCommit(isDurable)}; ${lockTimeout(patienceMs)}`,
    )
    const name = `${location.url} ${location.schema}`
    if (this.#ready.has(name)) return
    // One of several that come at once makes them, the others find them.
    await client.query(
      `begin; set local synchronous_commit = on; select pg_advisory_xact_lock(${lockOf(location)})`,
    )
    await client.query(`create schema if not exists "${location.schema}"; ${SQLITE_FUNCTIONS} commit`)
    this.#ready.add(name)
  }

  async #run(connection: Connection, { sql, values, alone }: Extract<Asked, { kind: "run" }>): Promise<Rows> {
    const client = await this.#clientOf(connection)
    const query = {
      ...this.#prepared(connection, sql),
      values: values.map(wireValue),
      rowMode: "array" as const,
    }
    if (!alone) return rowsOf(await client.query(query))
    // All of it is on its way at once: the server's turn is taken and given back with no word from here in between.
    const turn = client.query(turnSql(connection))
    const work = client.query(query)
    const done = client.query("commit")
    const [turned, worked, committed] = await Promise.allSettled([turn, work, done])
    if (turned.status === "rejected") throw turned.reason
    if (worked.status === "rejected") throw worked.reason
    if (committed.status === "rejected") throw committed.reason
    return rowsOf(worked.value)
  }

  #prepared({ prepared }: Connection, text: string): { readonly name?: string; readonly text: string } {
    let name = prepared.get(text)
    if (name === undefined) {
      if (prepared.size >= this.#limits.mostPrepared) return { text }
      name = `s${prepared.size}`
      prepared.set(text, name)
    }
    return { name, text }
  }

  async #openCursor(
    connection: Connection,
    { cursor, sql, values }: Extract<Asked, { kind: "cursor" }>,
  ): Promise<void> {
    const isOwn = !connection.inTransaction
    const client = isOwn ? await this.#connect(connection) : await this.#clientOf(connection)
    try {
      if (isOwn) await client.query(SNAPSHOT)
      await client.query({
        text: `declare c${cursor} no scroll cursor for ${sql}`,
        values: values.map(wireValue),
      })
    } catch (error) {
      if (isOwn) await client.end()
      throw error
    }
    this.#cursors.set(cursor, { client, isOwn })
  }
}

const lockOf = ({ schema }: ServerLocation): string =>
  createHash("sha256").update(`fossick ${schema}`).digest().readBigInt64BE(0).toString()

/** Nought would be without end. */
const lockTimeout = (patienceMs: number): string => `set lock_timeout = ${Math.max(1, patienceMs)}`
const synchronousCommit = (isDurable: boolean): string =>
  `set synchronous_commit = ${isDurable ? "on" : "off"}`

const lost = (): Error =>
  Object.assign(new Error("The connection to PostgreSQL was lost."), { code: "08006" })

/** A server, or a pooler before it, may repeat the password that it refuses. */
function unrepeated(error: unknown, { password }: ServerLocation): Error {
  const { message, code } = error as { message: string; code?: string }
  return Object.assign(new Error(hidden(message, [password])), { code })
}

/** A server answers a commit of a transaction that failed with `ROLLBACK`, and with no error. */
async function endTransaction(client: Client, how: "commit" | "rollback"): Promise<void> {
  const { command } = await client.query(how)
  if (how === "commit" && command !== "COMMIT") {
    throw Object.assign(new Error("The transaction had failed, and was rolled back."), { code: "25P02" })
  }
}

/** Writers take turns, as they do in SQLite: what one has read in its transaction is so until it ends. */
const turnSql = (connection: Connection): string => {
  const lock = lockOf(connection.location)
  // In a text: the plan of a function call would evaluate both.
  return connection.patienceMs === 0
    ? `begin; do $$ begin if not pg_try_advisory_xact_lock(${lock}) then raise exception 'others write' using errcode = '${BUSY}'; end if; end $$`
    : `begin; select pg_advisory_xact_lock(${lock})`
}

async function begin(client: Client, connection: Connection): Promise<void> {
  await orRollBack(client, () => client.query(turnSql(connection)))
}

/** Statements that change tables may take their time, and are on the server's disk when they are done. */
async function script(client: Client, connection: Connection, sql: string, alone: boolean): Promise<void> {
  const patient = {
    text: `set local statement_timeout = 0; set local synchronous_commit = on; ${sql}`,
    query_timeout: SCRIPT_MS,
  }
  if (!alone) {
    await client.query(patient)
    return
  }
  await begin(client, connection)
  await orRollBack(client, async () => {
    await client.query(patient)
    await endTransaction(client, "commit")
  })
}

async function orRollBack(client: Client, work: () => Promise<unknown>): Promise<void> {
  try {
    await work()
  } catch (error) {
    await client.query("rollback").catch(() => undefined)
    throw error
  }
}

/** A null character, which PostgreSQL does not store, becomes what stands for a character that cannot be shown. */
const wireValue = (value: unknown): unknown =>
  typeof value === "string" ? value.replaceAll("\0", "\u{FFFD}") : value

const rowsOf = ({ fields, rows, rowCount }: QueryArrayResult): Rows => ({
  columns: fields.map(({ name }) => name),
  rows,
  changes: rowCount ?? 0,
})
