import { rmSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"

/** SQLite's code for a file that is not a database (https://sqlite.org/rescode.html#notadb). */
const SQLITE_NOTADB = 26
const SQLITE_CORRUPT = 11

/**
 * Acquires a lock among all processes on the machine: an SQLite file in an exclusive transaction. The operating system
 * releases it when the process ends, however it ends, so no stale lock is left behind. A damaged file, which no process
 * can lock, is replaced.
 *
 * @throws SQLite's Error when another process holds the lock for longer than `waitMs`
 */
export function lockFile(path: string, waitMs: number): Disposable {
  try {
    return lock(path, waitMs)
  } catch (error) {
    if (!isDamagedSqlite(error)) throw error
    rmSync(path, { force: true })
    return lock(path, waitMs)
  }
}

/** Whether SQLite reports that the file is damaged, or not a database. */
export function isDamagedSqlite(error: unknown): boolean {
  const { code, errcode } = error as { code?: unknown; errcode?: unknown }
  if (code !== "ERR_SQLITE_ERROR" || typeof errcode !== "number") return false
  // The low byte is the code; the other bytes are details.
  return [SQLITE_CORRUPT, SQLITE_NOTADB].includes(errcode & 0xff)
}

function lock(path: string, waitMs: number): Disposable {
  const db = new DatabaseSync(path, { timeout: waitMs })
  try {
    db.exec("begin exclusive")
  } catch (error) {
    db.close()
    throw error
  }
  return { [Symbol.dispose]: () => db.close() }
}
