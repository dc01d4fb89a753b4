import { createHash } from "node:crypto"
import type { MessagePort } from "node:worker_threads"
import { workerData } from "node:worker_threads"
import { Client, type QueryArrayResult } from "pg"
import { hidden } from "../../log/hidden.ts"
import type { Answer, Asked, Failure, Rows, ServerLocation } from "./asked.ts"
import { SQLITE_FUNCTIONS } from "./sqlite-functions.ts"
import { withPassword } from "./state-location.ts"

// The thread that holds the connections of one thread of the program, which waits while this one works: one question at a time.

const { port, signal } = workerData as { readonly port: MessagePort; readonly signal: Int32Array }

/** A server that does not answer in this time is taken for dead. */
const CONNECT_MS = 3000
/** So long after a failed attempt no other is made: whoever asks meanwhile is told at once. */
const REST_MS = 1000
/** For one statement. The longest of an appliance take a second or two; those that change tables have no such bound. */
const STATEMENT_MS = 20_000
/** Of a process that stopped amid a transaction, until the server ends it, and others may write again. */
const IDLE_IN_TRANSACTION_MS = 30_000
const PATIENCE_MS = 10_000
/** Rows that a cursor brings at a time. */
const FETCHED = 500
/** Statements that are kept prepared on a connection; an appliance has some 500. */
const MOST_PREPARED = 2000
/** What SQLite says when others write (sqlite.org/rescode.html), as callers know it. */
export const BUSY = "55P03"

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
  readonly prepared: Map<string, string>
}

const connections = new Map<number, Connection>()
/** Cursors outside of a transaction have a connection of their own. */
const cursors = new Map<number, { readonly client: Client; readonly isOwn: boolean }>()
/** Schemas that this thread has seen to. */
const ready = new Set<string>()

const lockOf = ({ schema }: ServerLocation): string =>
  createHash("sha256").update(`fossick ${schema}`).digest().readBigInt64BE(0).toString()

async function connect(connection: Connection): Promise<Client> {
  const { location } = connection
  const client = new Client({
    connectionString: withPassword(location),
    application_name: "fossick",
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: STATEMENT_MS + CONNECT_MS,
    keepAlive: true,
    pipeline: true,
    types: { getTypeParser: (oid: number) => PARSERS[oid] ?? asText },
  })
  client.on("error", () => lose(connection, client))
  client.on("end", () => lose(connection, client))
  await client.connect()
  await client.query(
    `set search_path = "${location.schema}"; set statement_timeout = ${STATEMENT_MS};
     set idle_in_transaction_session_timeout = ${IDLE_IN_TRANSACTION_MS}; set client_min_messages = warning;
     set synchronous_commit = ${connection.isDurable ? "on" : "off"}; set lock_timeout = ${Math.max(1, connection.patienceMs)}`,
  )
  const name = `${location.url} ${location.schema}`
  if (!ready.has(name)) {
    // One of several that come at once makes them, the others find them.
    await client.query(
      `begin; set local synchronous_commit = on; select pg_advisory_xact_lock(${lockOf(location)})`,
    )
    await client.query(`create schema if not exists "${location.schema}"; ${SQLITE_FUNCTIONS} commit`)
    ready.add(name)
  }
  return client
}

function lose(connection: Connection, client: Client): void {
  if (connection.client !== client) return
  connection.client = null
  connection.prepared.clear()
}

async function clientOf(connection: Connection): Promise<Client> {
  if (connection.client !== null) return connection.client
  if (connection.inTransaction) {
    throw Object.assign(new Error("The connection to PostgreSQL was lost."), { code: "08006" })
  }
  if (performance.now() - connection.failedAt < REST_MS) throw connection.failure
  try {
    connection.client = await connect(connection)
    return connection.client
  } catch (error) {
    connection.failedAt = performance.now()
    connection.failure = unrepeated(error, connection.location)
    throw connection.failure
  }
}

/** A server, or a pooler before it, may repeat the password that it refuses. */
function unrepeated(error: unknown, { password }: ServerLocation): unknown {
  const { message, code = "" } = error as { message: string; code?: string }
  const said = hidden(message, [password])
  return said === message ? error : Object.assign(new Error(said), { code })
}

async function answer(asked: Asked): Promise<Rows | null> {
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
    connections.set(asked.connection, connection)
    await clientOf(connection)
    return null
  }
  const connection = connections.get(asked.connection)
  if (connection === undefined) throw new Error("The state store is not open.")
  switch (asked.kind) {
    case "close":
      connections.delete(asked.connection)
      await end(connection.client)
      return null
    case "patience":
      connection.patienceMs = asked.ms
      await connection.client?.query(`set lock_timeout = ${Math.max(1, asked.ms)}`)
      return null
    case "durable":
      connection.isDurable = asked.isDurable
      await connection.client?.query(`set synchronous_commit = ${asked.isDurable ? "on" : "off"}`)
      return null
    case "begin":
      if (asked.isSnapshot) await (await clientOf(connection)).query(SNAPSHOT)
      else await begin(connection)
      connection.inTransaction = true
      return null
    case "end": {
      const client = connection.client
      const wasLost = client === null
      connection.inTransaction = false
      if (asked.how === "commit" && wasLost) {
        throw Object.assign(new Error("The connection to PostgreSQL was lost."), { code: "08006" })
      }
      if (client) await endTransaction(client, asked.how)
      return null
    }
    case "script":
      return await script(connection, asked.sql, asked.alone)
    case "run":
      return await run(connection, asked)
    case "cursor":
      await openCursor(connection, asked)
      return null
    case "fetch": {
      const { client } = cursors.get(asked.cursor)!
      return rowsOf(await client.query({ text: `fetch ${FETCHED} from c${asked.cursor}`, rowMode: "array" }))
    }
    case "drop": {
      const cursor = cursors.get(asked.cursor)
      cursors.delete(asked.cursor)
      if (cursor?.isOwn === true) await end(cursor.client)
      else if (connection.inTransaction) await cursor?.client.query(`close c${asked.cursor}`)
    }
  }
  return null
}

async function end(client: Client | null): Promise<void> {
  await client?.end().catch(() => undefined)
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

async function begin(connection: Connection): Promise<void> {
  const client = await clientOf(connection)
  try {
    await client.query(turnSql(connection))
  } catch (error) {
    await client.query("rollback").catch(() => undefined)
    throw error
  }
}

/** Statements that change tables may take their time, and are on the server's disk when they are done. */
async function script(connection: Connection, sql: string, alone: boolean): Promise<null> {
  const client = await clientOf(connection)
  const patient = `set local statement_timeout = 0; set local synchronous_commit = on; ${sql}`
  if (!alone) {
    await client.query(patient)
    return null
  }
  await begin(connection)
  try {
    await client.query(patient)
    await endTransaction(client, "commit")
  } catch (error) {
    await client.query("rollback").catch(() => undefined)
    throw error
  }
  return null
}

async function run(
  connection: Connection,
  { sql, values, mode, alone }: Extract<Asked, { kind: "run" }>,
): Promise<Rows> {
  const client = await clientOf(connection)
  const query = {
    ...prepared(connection, sql),
    values: values.map(wireValue),
    rowMode: "array" as const,
  }
  if (!alone) return rowsOf(await client.query(query), mode)
  // All of it is on its way at once: the server's turn is taken and given back with no word from here in between.
  const turn = client.query(turnSql(connection))
  const work = client.query(query)
  const done = client.query("commit")
  const [turned, worked, committed] = await Promise.allSettled([turn, work, done])
  if (turned.status === "rejected") throw turned.reason
  if (worked.status === "rejected") throw worked.reason
  if (committed.status === "rejected") throw committed.reason
  return rowsOf(worked.value, mode)
}

function prepared(connection: Connection, text: string): { readonly name?: string; readonly text: string } {
  let name = connection.prepared.get(text)
  if (name === undefined) {
    if (connection.prepared.size >= MOST_PREPARED) return { text }
    name = `s${connection.prepared.size}`
    connection.prepared.set(text, name)
  }
  return { name, text }
}

async function openCursor(
  connection: Connection,
  { cursor, sql, values }: Extract<Asked, { kind: "cursor" }>,
): Promise<void> {
  const isOwn = !connection.inTransaction
  const client = isOwn ? await connect({ ...connection, client: null }) : await clientOf(connection)
  try {
    if (isOwn) await client.query(SNAPSHOT)
    await client.query({
      text: `declare c${cursor} no scroll cursor for ${sql}`,
      values: values.map(wireValue),
    })
  } catch (error) {
    if (isOwn) await end(client)
    throw error
  }
  cursors.set(cursor, { client, isOwn })
}

/** A null character, which PostgreSQL does not store, becomes what stands for a character that cannot be shown. */
function wireValue(value: unknown): unknown {
  if (typeof value === "string") return value.includes("\0") ? value.replaceAll("\0", "\u{FFFD}") : value
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength)
  return typeof value === "bigint" ? value.toString() : value
}

function rowsOf(result: QueryArrayResult, mode: "get" | "all" | "run" = "all"): Rows {
  const rows = mode === "run" ? [] : mode === "get" ? result.rows.slice(0, 1) : result.rows
  return { columns: result.fields.map(({ name }) => name), rows, changes: result.rowCount ?? 0 }
}

/** What a server, or the lack of one, said. Classes 08 and 57P: it is not there. */
function failureOf(error: unknown, asked: Asked): Failure {
  const { message, code = "" } = error as { message: string; code?: string }
  const connection = connections.get(asked.connection)
  return { message, code, isLost: connection?.client == null }
}

function tell(answer: Answer): void {
  port.postMessage(answer)
  Atomics.add(signal, 0, 1)
  Atomics.notify(signal, 0)
}

port.on("message", (asked: Asked) => {
  answer(asked).then(
    (value) => tell({ value }),
    (error: unknown) => tell({ failure: failureOf(error, asked) }),
  )
})
