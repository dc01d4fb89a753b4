import path from "node:path"
import { tryLock } from "#base/store/file-lock.ts"
import { EngineError } from "../errors.ts"

/**
 * Holds the one right to write to an index, among all processes of the machine.
 *
 * @param index which of the indexes that have their locks in this folder; none when there is one only
 * @throws EngineError `INDEX_LOCKED`
 */
export function lockForWriting(dir: string, index?: string): Disposable {
  const name = index === undefined ? "writer.lock" : `writer-${index}.lock`
  const lock = tryLock(path.join(dir, name))
  if (lock !== null) return lock
  throw new EngineError(
    "INDEX_LOCKED",
    `Another process writes to the index ${index ?? `in ${dir}`}. Stop it first (a running appliance, a crawl or a re-embedding), or open the index for reading.`,
  )
}
