import { Lru } from "../../flow/lru.ts"
import { BUSY_MS } from "../busy.ts"
import type { StateRow, StateStatement, StateStore, StateValue } from "../state-port.ts"
import type { Rows, ServerLocation } from "./asked.ts"
import { bridge } from "./bridge.ts"
import { statementsOf, translate, type Translated } from "./dialect.ts"

/** Statements are few, and each is written in the program once; a list of other texts would be a leak. */
const MOST_KNOWN = 4000

/** The state in a schema of a PostgreSQL database. */
export class PostgresStore implements StateStore {
  /** Name or address of the server, with its port if that is not the usual one. */
  readonly host: string
  readonly #connection: number
  readonly #known = new Lru<string, Translated>(MOST_KNOWN)
  #isTransaction = false
  #patienceMs = BUSY_MS
  #isClosed = false

  /** @throws PostgresError when the server cannot be reached */
  constructor(location: ServerLocation) {
    this.host = new URL(location.url).host
    this.#connection = bridge.open(location)
  }

  get isTransaction(): boolean {
    return this.#isTransaction
  }

  /** Keeps a step of a migration as SQLite takes it: copies into a file have their tables from it. */
  keepStep(sql: string): void {
    if (sql === "") return
    this.exec("create table if not exists schema_step (id integer primary key, sql text not null) strict")
    this.prepare("insert into schema_step (sql) values (?)").run(sql)
  }

  /** Runs `work` on the state as it is at one moment, while others write to it. It must not write or await. */
  snapshot<T>(work: () => T): T {
    bridge.ask({ kind: "begin", connection: this.#connection, isSnapshot: true })
    this.#isTransaction = true
    try {
      return work()
    } finally {
      this.exec("rollback")
    }
  }

  location(): null {
    return null
  }

  exec(script: string): void {
    for (const statement of statementsOf(script)) this.#exec(statement)
  }

  prepare(sql: string): StateStatement {
    if (sql === "pragma busy_timeout") return constant({ timeout: this.#patienceMs })
    const { sql: text, writes, places } = this.#translated(sql)
    const placed = (values: readonly StateValue[]) => places.map((place) => values[place] ?? null)
    const run = (values: readonly StateValue[]): Rows =>
      bridge.ask({
        kind: "run",
        connection: this.#connection,
        sql: text,
        values: placed(values),
        alone: writes && !this.#isTransaction,
      })!
    return {
      get(...values) {
        const { columns, rows } = run(values)
        return rows[0] && rowOf(columns, rows[0])
      },
      all(...values) {
        const { columns, rows } = run(values)
        return rows.map((row) => rowOf(columns, row))
      },
      iterate: (...values) => this.#iterate(text, placed(values)),
      run: (...values) => ({ changes: run(values).changes }),
    }
  }

  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#isTransaction = false
    bridge.close(this.#connection)
  }

  [Symbol.dispose](): void {
    this.close()
  }

  #translated(sql: string): Translated {
    let found = this.#known.get(sql)
    if (found === undefined) this.#known.set(sql, (found = translate(sql)))
    return found
  }

  *#iterate(sql: string, values: readonly StateValue[]): Generator<StateRow> {
    const connection = this.#connection
    const cursor = bridge.cursor()
    bridge.ask({ kind: "cursor", connection, cursor, sql, values })
    try {
      for (;;) {
        const { columns, rows } = bridge.ask({ kind: "fetch", connection, cursor })!
        if (rows.length === 0) return
        for (const row of rows) yield rowOf(columns, row)
      }
    } finally {
      if (!this.#isClosed) bridge.ask({ kind: "drop", connection, cursor })
    }
  }

  #exec(statement: string): void {
    const connection = this.#connection
    const [first, second = ""] = statement.toLowerCase().split(/\s+/, 2)
    if (first === "pragma") return this.#pragma(statement)
    if (first === "begin") {
      bridge.ask({ kind: "begin", connection, isSnapshot: false })
      this.#isTransaction = true
      return
    }
    if ((first === "commit" || first === "rollback") && second === "") {
      this.#isTransaction = false
      bridge.ask({ kind: "end", connection, how: first })
      return
    }
    const { sql, writes } = this.#translated(statement)
    bridge.ask({ kind: "script", connection, sql, alone: writes && !this.#isTransaction })
  }

  /** Those that say how to wait, and how safe a commit is; the others are SQLite's own affair. */
  #pragma(statement: string): void {
    const connection = this.#connection
    const [, name, value] = /^pragma\s+(\w+)\s*=\s*(\w+)/i.exec(statement) ?? []
    if (name === "busy_timeout") {
      this.#patienceMs = Number(value)
      bridge.ask({ kind: "patience", connection, ms: this.#patienceMs })
    }
    if (name === "synchronous") bridge.ask({ kind: "durable", connection, isDurable: value === "full" })
  }
}

const constant = (row: StateRow): StateStatement => ({
  get: () => row,
  all: () => [row],
  iterate: () => [row],
  run: () => ({ changes: 0 }),
})

function rowOf(columns: readonly string[], values: readonly unknown[]): StateRow {
  const row = Object.create(null) as StateRow
  for (let i = 0; i < columns.length; i++) row[columns[i]!] = values[i] as StateRow[string]
  return row
}
