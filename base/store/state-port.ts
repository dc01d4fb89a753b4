import type { SQLInputValue, SQLOutputValue } from "node:sqlite"

/** A row by the names of its columns. Numbers are safe integers or fractions, booleans are 0 or 1. */
export type StateRow = Record<string, SQLOutputValue>
export type StateValue = SQLInputValue

/** A prepared statement; parameters are `?`, or `?1`, `?2` where one stands twice. */
export interface StateStatement {
  get(...values: StateValue[]): StateRow | undefined
  all(...values: StateValue[]): StateRow[]
  /** As {@link all}, with some rows in memory at a time. */
  iterate(...values: StateValue[]): Iterable<StateRow>
  run(...values: StateValue[]): { readonly changes: number | bigint }
}

/**
 * The appliance's state: keys, jobs, frontier, usage. All calls are synchronous: what a call wrote is there for every process
 * when it returns. SQL is what SQLite and PostgreSQL both understand, or what `postgres/` translates.
 */
export interface StateStore extends Disposable {
  /** Runs statements that give no rows. */
  exec(sql: string): void
  prepare(sql: string): StateStatement
  readonly isTransaction: boolean
  /** The file, null of a database in memory or on a server. */
  location(): string | null
  close(): void
}

/**
 * An `insert` that takes the place of the row with the same key.
 *
 * @param key columns of a primary key or unique index, all of them among `columns`
 */
export function replaceSql(table: string, columns: readonly string[], key: readonly string[]): string {
  const rest = columns.filter((column) => !key.includes(column))
  return `insert into ${table} (${columns.join(", ")}) values (${columns.map(() => "?").join(", ")})
    on conflict (${key.join(", ")}) do update set ${rest.map((column) => `${column} = excluded.${column}`).join(", ")}`
}

/**
 * Stands at the end of a `select` in brackets whose rows an `update` takes for its process: of several processes that ask at once each
 * gets other rows, and none waits for another (`for update skip locked`). SQLite has one writer at a time, so that nothing is to be said
 * there. Such a statement waits for no turn among writers: what it decides is in the rows that it takes.
 */
export const SKIP_LOCKED = "/* for update skip locked */"

/** Stands before a write that is right whatever others write at the same moment, and so waits for no turn among writers. */
export const NO_TURN = "/* waits for no turn */"
