import type { SQLInputValue, SQLOutputValue } from "node:sqlite"

/** A row by its column names. Numbers are safe integers or fractions, booleans are 0 or 1. */
export type StateRow = Record<string, SQLOutputValue>
export type StateValue = SQLInputValue

/** The SQL dialect of a store. */
export type StateDialect = "sqlite" | "postgres"

/** A statement in the SQL of its store, with `?` or `$1` for values, as `query/` writes it. */
export interface NativeStatement {
  /** @returns `changes`: the number of rows that a write inserted, updated or deleted */
  ask(values: readonly StateValue[]): Promise<{ readonly rows: StateRow[]; readonly changes: number }>
  /** The rows, read with only some of them in memory at a time. */
  iterate(values: readonly StateValue[]): AsyncIterable<StateRow>
}

/**
 * The appliance's state: keys, jobs, frontier, usage. Once a call's promise resolves, every process sees what the call wrote. Statements
 * are built with `query/`.
 */
export interface StateStore extends Disposable {
  readonly dialect: StateDialect
  /** A statement in the store's own SQL. Each text is prepared once. */
  native(sql: string): NativeStatement
  /** Runs statements in the store's own SQL that take no values and return no rows, such as `create table`. */
  script(sql: string): Promise<void>
  /**
   * Runs `work` in one write transaction: either all of its statements take effect, or none. Other statements of this
   * store wait until the transaction ends, so `work` must await nothing but the store.
   *
   * @throws Error if the caller is already in a transaction of this store
   */
  transaction<T>(work: () => Promise<T>): Promise<T>
  /**
   * Runs `work`, such as a migration, before every statement that comes after this call. When `work` fails, those
   * statements fail with its error, and the next statement tries again.
   */
  first(work: () => Promise<void>): void
  /** Waits until all `work` of {@link first} is done. */
  ready(): Promise<void>
  /** Longest wait for other processes that are writing, in milliseconds; 0: no wait. */
  patienceMs: number
  /** Sets whether a commit waits for the disk, so that it survives a power failure. Call it outside transactions. */
  setDurable(isDurable: boolean): void
  /** Runs `work` with a timeout of at least `ms` for other writers, even on a store whose own timeout is 0. */
  patiently<T>(work: () => Promise<T>, ms?: number): Promise<T>
  /** The file; null for a database in memory or on a server. */
  location(): string | null
  close(): void
}

/** The part of a store that queries need. */
export type QueriedStore = Pick<StateStore, "dialect" | "native">

/** Marks a write that is safe alongside any other write, so that it does not have to wait for its turn among writers. */
export const NO_TURN = "/* waits for no turn */"
