import { createHash } from "node:crypto"
import {
  Client,
  type ClientBase,
  type ClientConfig,
  Pool,
  type PoolClient,
  type QueryArrayConfig,
  type QueryArrayResult,
} from "pg"
import { hidden } from "../../telemetry/log/hidden.ts"
import type { StateValue } from "../state-port.ts"
import { PostgresError } from "./postgres-error.ts"
import { type ServerLocation, sharedBy, withPassword } from "./state-location.ts"
import { SQLITE_FUNCTIONS } from "./sqlite-functions.ts"

/** Limits for sessions, in milliseconds unless stated otherwise. */
export interface SessionLimits {
  /** A server that does not answer within this time is considered down. */
  readonly connectMs: number
  /** How long calls fail at once, with the same error, after a failed attempt to connect. */
  readonly restMs: number
  /** Maximum wait for a server's response to a statement; the server itself should have ended the statement before then. */
  readonly silentMs: number
  /** Maximum idle time of a process in a transaction; after that the server ends the session, and others can write again. 0: no limit. */
  readonly idleInTransactionMs: number
  /** Maximum number of prepared statements in a session; an appliance has about 500. */
  readonly mostPrepared: number
  /** Maximum number of sessions of one store at a time. */
  readonly most: number
}

export const LIMITS: SessionLimits = {
  connectMs: 3000,
  restMs: 1000,
  silentMs: 23_000,
  idleInTransactionMs: 30_000,
  mostPrepared: 2000,
  most: 4,
}
/** Time limit for one statement. An appliance's longest statements take a second or two; statements that change tables have no such limit. */
const STATEMENT_MS = 20_000
/** Time limit for statements that change tables of any size. */
const SCRIPT_MS = 3_600_000
const PATIENCE_MS = 10_000
const IDLE_MS = 30_000
/** PostgreSQL's equivalent of SQLite's error when others are writing (sqlite.org/rescode.html). */
const BUSY = "55P03"
const SNAPSHOT = "begin isolation level repeatable read read only"
export const CLOSED = "The state store is not open."

const UNSAFE = "A number in the state is too large to represent exactly."
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

/** Rows as lists, with the column names given once. */
export interface Rows {
  readonly columns: readonly string[]
  readonly rows: readonly (readonly unknown[])[]
  readonly changes: number
}

/** How the sessions of one store wait and commit. */
export interface SessionMode {
  /** Maximum wait for other writers, in milliseconds; 0: no wait. */
  readonly patienceMs: number
  /** Whether a commit waits for the server's disk. */
  readonly isDurable: boolean
}

/** What is known about a server, shared by the stores of a thread, so that a call that uses several stores waits for a silent server only once. */
interface Reach {
  /** Time and error of the last failed attempt to connect. */
  failedAt: number
  failure: unknown
  /** When a session was last found to be lost. */
  lostAt: number
}

const reachOf = sharedBy((): Reach => ({
  failedAt: Number.NEGATIVE_INFINITY,
  failure: null,
  lostAt: Number.NEGATIVE_INFINITY,
}))

type Connecting = (client: Client, connect: () => Promise<unknown>) => Promise<void>

/** A client that is prepared for use by the state once it is connected. */
class StateClient extends Client {
  readonly #connecting: Connecting

  constructor(config: ClientConfig, connecting: Connecting) {
    super(config)
    this.#connecting = connecting
    // Without a listener, losing a session that is in use would end the process. The error needs no handling here,
    // because the session's queries fail as well.
    this.on("error", () => undefined)
  }

  override connect(): Promise<Client>
  override connect(tell: (error: Error | null) => void): void
  override connect(tell?: (error: Error | null) => void): Promise<Client> | void {
    const connected = this.#connecting(this, () => super.connect())
    if (tell === undefined) return connected.then(() => this)
    connected.then(() => tell(null), tell)
  }
}

/** The sessions of one store on a server: a pool that opens them as they are needed. All methods throw PostgresError. */
export class Sessions {
  readonly #location: ServerLocation
  readonly #limits: SessionLimits
  readonly #reach: Reach
  readonly #pool: Pool
  readonly #client: () => StateClient
  #mode: SessionMode = { patienceMs: PATIENCE_MS, isDurable: false }
  /** The mode that each session was last set to. */
  readonly #set = new WeakMap<ClientBase, SessionMode>()
  /** Names of prepared statements, the same in all sessions. */
  readonly #names = new Map<string, string>()
  #hasSchema = false
  /** When each session in the pool was last used. */
  readonly #usedAt = new WeakMap<ClientBase, number>()
  /** Number of callers that are using a session from the pool or waiting for one. */
  #users = 0
  #isClosed = false

  constructor(location: ServerLocation, limits: Partial<SessionLimits> = {}) {
    this.#location = location
    this.#limits = { ...LIMITS, ...limits }
    this.#reach = reachOf(location)
    const config: ClientConfig = {
      connectionString: withPassword(location),
      application_name: "fossick",
      connectionTimeoutMillis: this.#limits.connectMs,
      query_timeout: this.#limits.silentMs,
      keepAlive: true,
      pipeline: true,
      types: { getTypeParser: (oid: number) => PARSERS[oid] ?? asText },
    }
    const connecting = this.#connecting.bind(this)
    this.#client = () => new StateClient(config, connecting)
    this.#pool = new Pool({
      max: this.#limits.most,
      idleTimeoutMillis: IDLE_MS,
      allowExitOnIdle: true,
      // Time limits are set on each client, because the pool's own connection timeout would also end the wait for a
      // session that is in use.
      Client: class extends StateClient {
        constructor() {
          super(config, connecting)
        }
      },
    })
    // The pool drops idle sessions that end, so the error needs no handling.
    this.#pool.on("error", () => undefined)
  }

  get mode(): SessionMode {
    return this.#mode
  }

  /** Sessions switch to the new mode before their next use. */
  set mode(mode: SessionMode) {
    this.#mode = mode
  }

  /**
   * Runs `work` with its own session.
   *
   * @throws Error when the sessions are closed
   */
  async use<T>(work: (session: Session) => Promise<T>): Promise<T> {
    if (this.#isClosed) throw new Error(CLOSED)
    this.#users += 1
    try {
      const client = await this.#trusted()
      const session = this.#session(client)
      try {
        if (this.#set.get(client) !== this.#mode) await this.#setMode(session, client)
        return await work(session)
      } finally {
        this.#usedAt.set(client, performance.now())
        if (session.isLost) this.#reach.lostAt = performance.now()
        client.release(session.isLost)
      }
    } finally {
      this.#users -= 1
      if (this.#isClosed) this.#endUnused()
    }
  }

  /** Opens a session outside the pool, for a caller that keeps it for a long time. The session reads the state as it is now. */
  async openSnapshot(): Promise<Session & Disposable> {
    if (this.#isClosed) throw new Error(CLOSED)
    const client = this.#client()
    await client.connect()
    const session = Object.assign(this.#session(client), { [Symbol.dispose]: () => endSoon(client) })
    try {
      await session.ask(SNAPSHOT)
    } catch (error) {
      endSoon(client)
      throw error
    }
    return session
  }

  /** Accepts no more callers, and ends all sessions once earlier callers have finished. */
  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#endUnused()
  }

  /** A session that can be trusted. Closes sessions not used since another was lost: they are probably lost too, and would fail only after `silentMs`. */
  async #trusted(): Promise<PoolClient> {
    for (;;) {
      const client = await this.#pool.connect()
      if ((this.#usedAt.get(client) ?? Number.POSITIVE_INFINITY) >= this.#reach.lostAt) return client
      client.release(true)
    }
  }

  /** Ends the pool only once it is unused, because a pool that is ending forgets callers that are waiting for a session. */
  #endUnused(): void {
    if (this.#users === 0) this.#pool.end().catch(() => undefined)
  }

  #session(client: ClientBase): Session {
    return new Session(client, this.#turnSql(), (sql) => this.#named(sql))
  }

  /** Connects a client and prepares it. Shortly after a failure, new attempts fail at once, so that callers waiting for a session fail at once, too. */
  async #connecting(client: Client, connect: () => Promise<unknown>): Promise<void> {
    const reach = this.#reach
    if (performance.now() - reach.failedAt < this.#limits.restMs) throw reach.failure
    try {
      await connect()
      await this.#begin(client)
    } catch (error) {
      endSoon(client)
      const { message, code = "" } = error as { message: string; code?: string }
      // The message of a server, or of a pooler in front of it, may repeat the password that was refused.
      reach.failure = new PostgresError({ message: hidden(message, [this.#location.password]), code })
      reach.failedAt = performance.now()
      throw reach.failure
    }
  }

  /** Prepares a new session for the state. */
  async #begin(client: Client): Promise<void> {
    const { schema } = this.#location
    const mode = this.#mode
    await client.query(
      `set search_path = "${schema}"; set statement_timeout = ${STATEMENT_MS};
       set idle_in_transaction_session_timeout = ${this.#limits.idleInTransactionMs}; set client_min_messages = warning;
       ${modeSql(mode)}`,
    )
    this.#set.set(client, mode)
    this.#hasSchema ||= await isUpToDate(client, schema)
    if (this.#hasSchema) return
    // If several sessions are opened at once, one creates the functions and the others find them.
    await client.query(
      `begin; set local synchronous_commit = on; select pg_advisory_xact_lock(${lockOf(this.#location)})`,
    )
    await client.query(
      `create schema if not exists "${schema}"; ${SQLITE_FUNCTIONS} comment on schema "${schema}" is '${FUNCTIONS}'; commit`,
    )
    this.#hasSchema = true
  }

  async #setMode(session: Session, client: ClientBase): Promise<void> {
    const mode = this.#mode
    await session.ask(modeSql(mode))
    this.#set.set(client, mode)
  }

  #named(text: string): { readonly name?: string; readonly text: string } {
    let name = this.#names.get(text)
    if (name === undefined) {
      if (this.#names.size >= this.#limits.mostPrepared) return { text }
      name = `s${this.#names.size}`
      this.#names.set(text, name)
    }
    return { name, text }
  }

  /** SQL that takes a writer's turn: writers take turns, as in SQLite, so data that a writer has read in its transaction stays valid until the transaction ends. */
  #turnSql(): string {
    const lock = lockOf(this.#location)
    // The SQL text is chosen here: if one function call contained both alternatives, its plan would evaluate both.
    return this.#mode.patienceMs === 0
      ? `begin; do $$ begin if not pg_try_advisory_xact_lock(${lock}) then raise exception 'others write' using errcode = '${BUSY}'; end if; end $$`
      : `begin; select pg_advisory_xact_lock(${lock})`
  }
}

/** A session while one caller uses it. All methods throw PostgresError. */
export class Session {
  readonly #client: ClientBase
  readonly #turnSql: string
  readonly #named: (sql: string) => { readonly name?: string; readonly text: string }
  #cursors = 0
  #isLost = false

  constructor(
    client: ClientBase,
    turnSql: string,
    named: (sql: string) => { readonly name?: string; readonly text: string },
  ) {
    this.#client = client
    this.#turnSql = turnSql
    this.#named = named
  }

  /** Whether the server stopped answering, so that the session must be closed. */
  get isLost(): boolean {
    return this.#isLost
  }

  async run(sql: string, values: readonly StateValue[]): Promise<Rows> {
    return rowsOf(await this.ask(this.#query(sql, values)))
  }

  /**
   * Runs a write outside any transaction in one round trip: the messages that take and release the server's turn are
   * sent along with it, without waiting for responses in between.
   */
  async runAlone(sql: string, values: readonly StateValue[]): Promise<Rows> {
    const turn = this.ask(this.#turnSql)
    const work = this.ask(this.#query(sql, values))
    const done = this.ask("commit")
    const [turned, worked, committed] = await Promise.allSettled([turn, work, done])
    if (turned.status === "rejected") throw turned.reason
    if (worked.status === "rejected") throw worked.reason
    if (committed.status === "rejected") throw committed.reason
    return rowsOf(worked.value)
  }

  /** Runs statements that change tables: they have no time limit, and are on the server's disk when they are done. Must run in a transaction. */
  async script(sql: string): Promise<void> {
    await this.ask({
      text: `set local statement_timeout = 0; set local synchronous_commit = on; ${sql}`,
      query_timeout: SCRIPT_MS,
    })
  }

  /** Runs `work` in a transaction: as a writer, which waits for its turn, or on a snapshot, which writes do not affect. */
  async transaction<T>(kind: "write" | "snapshot", work: () => Promise<T>): Promise<T> {
    try {
      await this.ask(kind === "write" ? this.#turnSql : SNAPSHOT)
      const result = await work()
      await this.#commit()
      return result
    } catch (error) {
      // On a lost session, a rollback would wait for a response that never comes; the session is ended instead.
      if (!this.#isLost) await this.ask("rollback").catch(() => undefined)
      throw error
    }
  }

  /** Yields lists of up to `fetched` rows. Must run in a transaction. */
  async *cursor(sql: string, values: readonly StateValue[], fetched: number): AsyncGenerator<Rows> {
    const name = `c${++this.#cursors}`
    await this.ask({ text: `declare ${name} no scroll cursor for ${sql}`, values: values.map(wireValue) })
    try {
      for (;;) {
        const rows = rowsOf(await this.ask({ text: `fetch ${fetched} from ${name}`, rowMode: "array" }))
        if (rows.rows.length === 0) return
        yield rows
      }
    } finally {
      // In a failed transaction the cursor is already gone.
      if (!this.#isLost) await this.ask(`close ${name}`).catch(() => undefined)
    }
  }

  /** Sends one query through `pg`. */
  async ask(query: string | object): Promise<QueryArrayResult> {
    try {
      return await this.#client.query(query as QueryArrayConfig)
    } catch (error) {
      const { message, code = "" } = error as { message: string; code?: string }
      const failure = new PostgresError({ message, code })
      if (failure.isUnreachable) this.#isLost = true
      throw failure
    }
  }

  /** A server answers the commit of a failed transaction with `ROLLBACK`, without an error. */
  async #commit(): Promise<void> {
    const { command } = await this.ask("commit")
    if (command !== "COMMIT")
      throw new PostgresError({ message: "The transaction failed and was rolled back.", code: "25P02" })
  }

  #query(sql: string, values: readonly StateValue[]): object {
    return { ...this.#named(sql), values: values.map(wireValue), rowMode: "array" }
  }
}

/** Identifies the version of a schema's functions, as a comment on the schema. */
const FUNCTIONS = `Functions ${createHash("sha256").update(SQLITE_FUNCTIONS).digest("hex").slice(0, 16)}`

async function isUpToDate(client: ClientBase, schema: string): Promise<boolean> {
  const { rows } = await client.query({
    text: "select obj_description(oid, 'pg_namespace') from pg_namespace where nspname = $1",
    values: [schema],
    rowMode: "array",
  })
  return (rows as unknown[][])[0]?.[0] === FUNCTIONS
}

/** Ends a client without waiting, because that could mean waiting for a silent server. */
function endSoon(client: Client): void {
  client.end().catch(() => undefined)
}

const lockOf = ({ schema }: ServerLocation): string =>
  createHash("sha256").update(`fossick ${schema}`).digest().readBigInt64BE(0).toString()

/** A `lock_timeout` of 0 would mean no limit. */
const modeSql = ({ patienceMs, isDurable }: SessionMode): string =>
  `set lock_timeout = ${Math.max(1, patienceMs)}; set synchronous_commit = ${isDurable ? "on" : "off"}`

/** PostgreSQL cannot store null characters, so each is replaced with the replacement character. */
const wireValue = (value: unknown): unknown =>
  typeof value === "string" ? value.replaceAll("\0", "\u{FFFD}") : value

const rowsOf = ({ fields, rows, rowCount }: QueryArrayResult): Rows => ({
  columns: fields.map(({ name }) => name),
  rows,
  changes: rowCount ?? 0,
})
