import { existsSync } from "node:fs"
import { dirname } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { pathToFileURL } from "node:url"
import { unwritableBecause } from "../../disk-space.ts"

/** SQLite's result code when another connection holds the lock (sqlite.org/rescode.html). */
const SQLITE_BUSY = 5
/** Longest wait for another process's transaction: theirs take milliseconds, and some seconds on a disk that is slow and busy. */
export const BUSY_MS = 10_000
/** Between two tries of what SQLite does not wait for. */
const RETRY_MS = 5

/** Whether SQLite says that another connection holds the file. */
export const isBusy = (error: unknown): boolean =>
  // The low byte is the code, the rest has details.
  ((Number((error as { errcode?: unknown }).errcode) || 0) & 0xff) === SQLITE_BUSY

/**
 * Has a file write ahead (WAL). On a new file the journal changes by a read that becomes a write, and for that SQLite does not wait
 * however long the connection's patience: of two processes that begin a folder together the second fails at once. So this one tries again.
 *
 * @throws Error of SQLite when another process holds the file for longer than `BUSY_MS`
 */
export function useWal(db: DatabaseSync): void {
  const late = performance.now() + BUSY_MS
  const cell = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
  for (;;) {
    try {
      db.exec("pragma journal_mode = wal")
      return
    } catch (error) {
      if (!isBusy(error) || performance.now() >= late) throw error
      Atomics.wait(cell, 0, 0, RETRY_MS)
    }
  }
}

/**
 * Opens a file for reading, with the same patience. SQLite creates files beside a database in WAL mode even to read it. Where it
 * may not create them, it reads the database alone if the address says that it is immutable. It can read files that a killed
 * process left there.
 */
export function openToRead(file: string, waitMs = BUSY_MS): DatabaseSync {
  const isFixed = unwritableBecause(dirname(file)) !== null && !existsSync(`${file}-wal`)
  const path = isFixed ? `${pathToFileURL(file).href}?immutable=1` : file
  return new DatabaseSync(path, { timeout: waitMs, readOnly: true })
}

/** How long a store waits for other writers: as it is set, or longer while some of its callers ask for it. */
export class Patience {
  readonly #apply: (ms: number) => void
  #ms = BUSY_MS
  readonly #longer = new Set<{ readonly ms: number }>()

  /** @param apply called with the new wait in milliseconds whenever it changes */
  constructor(apply: (ms: number) => void) {
    this.#apply = apply
  }

  get ms(): number {
    return this.#ms
  }

  set ms(ms: number) {
    this.#ms = ms
    this.#update()
  }

  async during<T>(ms: number, work: () => Promise<T>): Promise<T> {
    const wish = { ms }
    this.#longer.add(wish)
    this.#update()
    try {
      return await work()
    } finally {
      this.#longer.delete(wish)
      this.#update()
    }
  }

  #update(): void {
    this.#apply(Math.max(this.#ms, ...Array.from(this.#longer, ({ ms }) => ms)))
  }
}
