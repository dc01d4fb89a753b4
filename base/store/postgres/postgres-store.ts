import { Lru } from "../../flow/memory/lru.ts"
import { Serial } from "../../flow/serial.ts"
import type { StateRow, StateStatement, StateStore, StateValue } from "../state-port.ts"
import { BUSY_MS, Patience } from "../sqlite/busy.ts"
import { Turns } from "../turns.ts"
import { statementsOf, translate, type Translated } from "./dialect.ts"
import { CLOSED, type Rows, type Session, Sessions } from "./sessions.ts"
import { type ServerLocation, sharedBy } from "./state-location.ts"

/** Statements are few, and each is written in the program once; a list of other texts would be a leak. */
const MOST_KNOWN = 4000
/** Rows that a cursor brings at a time. */
const FETCHED = 500

/**
 * Writers of this thread on each schema. They wait for each other here, so that the server's turn is asked for by one of them at a time: also a
 * store without patience waits for its own process, and readers have the other sessions.
 */
const writersOf = sharedBy(() => new Serial())

/** The state in a schema of a PostgreSQL database. It connects with the first statement. All methods throw PostgresError. */
export class PostgresStore implements StateStore {
  /** Name or address of the server, with its port if that is not the usual one. */
  readonly host: string
  readonly #sessions: Sessions
  readonly #known = new Lru<string, Translated>(MOST_KNOWN)
  readonly #turns = new Turns()
  readonly #writers: Serial
  readonly #patience: Patience
  /** That of the open transaction. */
  #session: Session | null = null
  #isClosed = false

  constructor(location: ServerLocation) {
    this.host = new URL(location.url).host
    this.#sessions = new Sessions(location)
    this.#writers = writersOf(location)
    this.#patience = new Patience((patienceMs) => {
      this.#sessions.mode = { ...this.#sessions.mode, patienceMs }
    })
  }

  get patienceMs(): number {
    return this.#patience.ms
  }

  set patienceMs(ms: number) {
    this.#patience.ms = ms
  }

  async patiently<T>(work: () => Promise<T>, ms = BUSY_MS): Promise<T> {
    return await this.#patience.during(ms, work)
  }

  /** Keeps a step of a migration as SQLite takes it: copies into a file have their tables from it. */
  async keepStep(sql: string): Promise<void> {
    if (sql === "") return
    await this.exec(
      "create table if not exists schema_step (id integer primary key, sql text not null) strict",
    )
    await this.prepare("insert into schema_step (sql) values (?)").run(sql)
  }

  /** Runs `work` on the state as it is at one moment, while others write to it. It must not write. */
  async snapshot<T>(work: () => Promise<T>): Promise<T> {
    return await this.#transaction("snapshot", work)
  }

  async transaction<T>(work: () => Promise<T>): Promise<T> {
    return await this.#transaction("write", work)
  }

  first(work: () => Promise<void>): void {
    this.#turns.first(work)
  }

  async ready(): Promise<void> {
    await this.#turns.ready()
  }

  location(): null {
    return null
  }

  async exec(script: string): Promise<void> {
    for (const statement of statementsOf(script)) await this.#exec(statement)
  }

  prepare(sql: string): StateStatement {
    const statement = this.#translated(sql)
    return {
      get: async (...values) => {
        const { columns, rows } = await this.#run(statement, values)
        return rows[0] && rowOf(columns, rows[0])
      },
      all: async (...values) => {
        const { columns, rows } = await this.#run(statement, values)
        return rows.map((row) => rowOf(columns, row))
      },
      iterate: (...values) => this.#iterate(statement, values),
      run: async (...values) => ({ changes: (await this.#run(statement, values)).changes }),
    }
  }

  close(): void {
    if (!this.#isClosed) this.#sessions.close()
    this.#isClosed = true
  }

  [Symbol.dispose](): void {
    this.close()
  }

  #translated(sql: string): Translated {
    let found = this.#known.get(sql)
    if (found === undefined) this.#known.set(sql, (found = translate(sql)))
    return found
  }

  /** The session of the transaction that the caller is in. */
  #own(): Session | null {
    return this.#turns.isInside ? this.#session : null
  }

  async #run({ sql, writes, places }: Translated, given: readonly StateValue[]): Promise<Rows> {
    await this.#begun()
    const values = placed(places, given)
    const own = this.#own()
    if (own !== null) return await own.run(sql, values)
    if (!writes) return await this.#sessions.use((session) => session.run(sql, values))
    return await this.#writers.run(() => this.#sessions.use((session) => session.runAlone(sql, values)))
  }

  /** @throws Error when the store is closed */
  async #begun(): Promise<void> {
    if (this.#isClosed) throw new Error(CLOSED)
    if (this.#turns.isDue) await this.#turns.ready()
  }

  async #transaction<T>(kind: "write" | "snapshot", work: () => Promise<T>): Promise<T> {
    await this.#begun()
    const inSession = () =>
      this.#sessions.use((session) =>
        session.transaction(kind, async () => {
          this.#session = session
          try {
            return await work()
          } finally {
            this.#session = null
          }
        }),
      )
    return await this.#turns.take(() => (kind === "write" ? this.#writers.run(inSession) : inSession()))
  }

  async *#iterate({ sql, places }: Translated, given: readonly StateValue[]): AsyncGenerator<StateRow> {
    await this.#begun()
    const values = placed(places, given)
    const own = this.#own()
    if (own !== null) {
      yield* rowsOneByOne(own.cursor(sql, values, FETCHED))
      return
    }
    using session = await this.#sessions.openSnapshot()
    yield* rowsOneByOne(session.cursor(sql, values, FETCHED))
  }

  async #exec(statement: string): Promise<void> {
    if (/^pragma\b/i.test(statement)) return this.#pragma(statement)
    await this.#begun()
    const { sql } = this.#translated(statement)
    const own = this.#own()
    if (own !== null) await own.script(sql)
    else await this.#transaction("write", async () => await this.#session!.script(sql))
  }

  /** Says whether a commit is safe; SQLite's other pragmas mean nothing here. */
  #pragma(statement: string): void {
    const [, value] = /^pragma\s+synchronous\s*=\s*(\w+)/i.exec(statement) ?? []
    if (value !== undefined) this.#sessions.mode = { ...this.#sessions.mode, isDurable: value === "full" }
  }
}

const placed = (places: readonly number[], values: readonly StateValue[]): StateValue[] =>
  places.map((place) => values[place] ?? null)

async function* rowsOneByOne(lists: AsyncIterable<Rows>): AsyncGenerator<StateRow> {
  for await (const { columns, rows } of lists) for (const row of rows) yield rowOf(columns, row)
}

function rowOf(columns: readonly string[], values: readonly unknown[]): StateRow {
  const row = Object.create(null) as StateRow
  for (let i = 0; i < columns.length; i++) row[columns[i]!] = values[i] as StateRow[string]
  return row
}
