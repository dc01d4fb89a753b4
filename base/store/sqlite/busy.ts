import { existsSync } from "node:fs"
import { dirname } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { pathToFileURL } from "node:url"
import { unwritableBecause } from "../../disk-space.ts"

/** SQLite's result code when another connection holds the lock (sqlite.org/rescode.html). */
const SQLITE_BUSY = 5
/** Longest wait for another process's transaction; transactions take milliseconds, or a few seconds on a slow, busy disk. */
export const BUSY_MS = 10_000
/** Milliseconds between attempts at operations that SQLite does not wait for. */
const RETRY_MS = 5

/** Whether SQLite says that another connection holds the file. */
export const isBusy = (error: unknown): boolean =>
  // The low byte is the code; the other bytes are details.
  ((Number((error as { errcode?: unknown }).errcode) || 0) & 0xff) === SQLITE_BUSY

/**
 * Puts a file into write-ahead mode (WAL). On a new file, changing the journal mode is a read that becomes a write, and
 * SQLite never waits for that, whatever the connection's timeout: if two processes create a folder's state at the same
 * time, the second one fails at once. So this function retries.
 *
 * @throws SQLite's Error if another process holds the file for longer than `BUSY_MS`
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
 * Opens a file for reading; if another process holds it, waits for up to `waitMs`. SQLite creates files beside a
 * database in WAL mode even to read it. Where SQLite cannot create these files, it reads only the database, provided
 * the address declares the database immutable. If a killed process left such files behind, SQLite can read them.
 */
export function openToRead(file: string, waitMs = BUSY_MS): DatabaseSync {
  const isFixed = unwritableBecause(dirname(file)) !== null && !existsSync(`${file}-wal`)
  const path = isFixed ? `${pathToFileURL(file).href}?immutable=1` : file
  return new DatabaseSync(path, { timeout: waitMs, readOnly: true })
}

/** How long a store waits for other writers: as configured, or longer while some of its callers request it. */
export class Patience {
  readonly #apply: (ms: number) => void
  #ms = BUSY_MS
  readonly #longer = new Set<{ readonly ms: number }>()

  /** @param apply called with the new timeout in milliseconds whenever it changes */
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
