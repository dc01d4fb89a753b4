import { dirname } from "node:path"
import type { DatabaseSync, StatementSync } from "node:sqlite"
import { unwritableOr } from "../../disk-space.ts"
import { Lru } from "../../flow/memory/lru.ts"
import { Serial } from "../../flow/serial.ts"
import { BUSY_MS, openToRead, Patience } from "./busy.ts"
import type { NativeStatement, StateRow, StateStore, StateValue } from "../state-port.ts"
import { isRead, Turns } from "../turns.ts"

/** Runs `work` in one write transaction on a file that is accessed synchronously. */
export function fileTransaction<T>(file: DatabaseSync, work: () => T): T {
  file.exec("begin immediate")
  try {
    const result = work()
    file.exec("commit")
    return result
  } catch (error) {
    rollBack(file)
    throw error
  }
}

/** Maximum number of prepared statements kept. There are few distinct statements, except those with lists whose values are separate parameters. */
const MOST_PREPARED = 2000

/**
 * This thread's writers on each file. SQLite blocks the calling thread while it waits for a writer on another
 * connection, which is a deadlock if that writer is in the same thread.
 */
const writers = new Map<string, Serial>()

function writersOf(path: string | null): Serial {
  if (path === null) return new Serial()
  let line = writers.get(path)
  if (line === undefined) writers.set(path, (line = new Serial()))
  return line
}

/** The state in an SQLite file, or in memory. SQLite answers in the calling thread, in microseconds. */
export class SqliteStore implements StateStore {
  /** For features that only SQLite has, such as its backups. This store's transactions do not cover direct calls to it. */
  readonly file: DatabaseSync
  readonly dialect = "sqlite"
  readonly #native = new Lru<string, NativeStatement>(MOST_PREPARED)
  readonly #turns: Turns
  readonly #patience: Patience

  constructor(file: DatabaseSync) {
    this.file = file
    this.#turns = new Turns(writersOf(file.location()))
    this.#patience = new Patience((ms) => file.exec(`pragma busy_timeout = ${ms}`))
  }

  get patienceMs(): number {
    return this.#patience.ms
  }

  set patienceMs(ms: number) {
    this.#patience.ms = ms
  }

  setDurable(isDurable: boolean): void {
    this.file.exec(`pragma synchronous = ${isDurable ? "full" : "normal"}`)
  }

  async patiently<T>(work: () => Promise<T>, ms = BUSY_MS): Promise<T> {
    return await this.#patience.during(ms, work)
  }

  async script(sql: string): Promise<void> {
    await this.#asked(() => this.file.exec(sql), true)
  }

  native(sql: string): NativeStatement {
    let statement = this.#native.get(sql)
    if (statement === undefined) this.#native.set(sql, (statement = this.#newNative(sql)))
    return statement
  }

  #newNative(sql: string): NativeStatement {
    const writes = !isRead(sql)
    let prepared: StatementSync | undefined
    let hasRows = false
    const ask = (values: readonly StateValue[]) => {
      if (prepared === undefined) {
        prepared = this.file.prepare(sql)
        hasRows = prepared.columns().length > 0
      }
      if (!hasRows) return { rows: [], changes: Number(prepared.run(...values).changes) }
      const rows = prepared.all(...values)
      return { rows, changes: writes ? rows.length : 0 }
    }
    return {
      ask: (values) => this.#asked(() => ask(values), writes),
      iterate: (values) => this.#iterate(sql, values),
    }
  }

  async transaction<T>(work: () => Promise<T>): Promise<T> {
    return await this.#turns.take(() =>
      this.#turns.write(async () => {
        this.file.exec("begin immediate")
        try {
          const result = await work()
          this.file.exec("commit")
          return result
        } catch (error) {
          rollBack(this.file)
          const file = this.location()
          throw file === null ? error : unwritableOr(error, dirname(file))
        }
      }),
    )
  }

  first(work: () => Promise<void>): void {
    this.#turns.first(work)
  }

  async ready(): Promise<void> {
    await this.#turns.ready()
  }

  location(): string | null {
    return this.file.location()
  }

  close(): void {
    if (this.file.isOpen) this.file.close()
  }

  [Symbol.dispose](): void {
    this.close()
  }

  async #asked<T>(ask: () => T, writes: boolean): Promise<T> {
    const turns = this.#turns
    if (turns.isInside || (turns.isFree && (!writes || turns.isUnwritten))) return ask()
    return await turns.pass(() => (writes ? turns.write(async () => ask()) : ask()))
  }

  /**
   * Outside a transaction, rows are read over a separate connection: an open read statement would prevent this
   * connection from writing once another process has written.
   */
  async *#iterate(sql: string, values: readonly StateValue[]): AsyncGenerator<StateRow> {
    if (this.#turns.isInside) {
      yield* this.file.prepare(sql).iterate(...values)
      return
    }
    if (this.#turns.isDue) await this.#turns.ready()
    const path = this.location()
    if (path === null) {
      yield* (await this.native(sql).ask(values)).rows
      return
    }
    using reader = openToRead(path)
    yield* reader.prepare(sql).iterate(...values)
  }
}

/** Rolls back, unless SQLite has already done so, as it does if the disk is full. */
function rollBack(file: DatabaseSync): void {
  if (file.isOpen && file.isTransaction) file.exec("rollback")
}
