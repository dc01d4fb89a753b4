import path from "node:path"
import { DatabaseSync } from "node:sqlite"
import { EngineError } from "../errors.ts"

/**
 * Holds the one right to write to an index, among all processes of the machine.
 *
 * An SQLite file in an exclusive transaction: the operating system frees it when the process ends, however it
 * ends, so that no stale lock is ever left behind.
 *
 * @param index which of the indexes that have their locks in this folder; none when there is one only
 * @throws EngineError `INDEX_LOCKED`
 */
export function lockForWriting(dir: string, index?: string): Disposable {
  const name = index === undefined ? "writer.lock" : `writer-${index}.lock`
  const file = new DatabaseSync(path.join(dir, name), { timeout: 0 })
  try {
    file.exec("BEGIN EXCLUSIVE")
  } catch (error) {
    file.close()
    throw new EngineError(
      "INDEX_LOCKED",
      `Another process writes to the index ${index ?? `in ${dir}`}. Stop it first (a running appliance, a crawl or a re-embedding), or open the index for reading.`,
      { cause: error },
    )
  }
  return { [Symbol.dispose]: () => file.close() }
}
