import path from "node:path"
import { holderOf, noteHolder, tryLock } from "#base/store/file-lock.ts"
import { EngineError } from "../errors.ts"

/**
 * Holds the exclusive right to write to an index, among all processes on the machine.
 *
 * @param index which of the indexes with locks in this folder; omitted if there is only one
 * @throws EngineError `INDEX_LOCKED`
 */
export function lockForWriting(dir: string, index?: string): Disposable {
  const place = path.join(dir, index === undefined ? "writer" : `writer-${index}`)
  const lock = tryLock(`${place}.lock`)
  if (lock === null) {
    throw new EngineError(
      "INDEX_LOCKED",
      `Another process${holderOf(place)} is writing to the index ${index ?? `in ${dir}`}: an appliance, a crawl or a rebuild. Wait until it ends, or stop it.`,
    )
  }
  noteHolder(place)
  return lock
}
