import { readdir } from "node:fs/promises"
import path from "node:path"
import { steadyNow } from "#base/steady-time.ts"
import { manifestTwins } from "../files/manifest.ts"
import { KEEP_VERSIONS_MS } from "./old-versions.ts"

/**
 * Finds replaced versions of an index's tables that take up space although no process reads or writes them any longer,
 * so that they are deleted when the index is next opened for writing. Lists just two folders, and loads nothing that
 * takes memory.
 */
export class LeftVersions {
  readonly #steady: () => number
  #seen = ""
  #seenAt = 0
  #told = ""

  /** @param steady a clock like `steadyNow()`, which measures how long versions have been unchanged, so that a change to the system clock has no effect */
  constructor(steady: () => number = steadyNow) {
    this.#steady = steady
  }

  /**
   * Reports the same versions only once: if they couldn't be deleted, an immediate retry wouldn't help.
   * @param dir the index folder
   */
  async areDue(dir: string): Promise<boolean> {
    const names = await versionsIn(dir)
    const now = names.flat().join()
    if (now !== this.#seen) [this.#seen, this.#seenAt] = [now, this.#steady()]
    if (now === this.#told || names.every((of) => of.length < 2)) return false
    if (this.#steady() - this.#seenAt <= KEEP_VERSIONS_MS) return false
    this.#told = now
    return true
  }
}

/** File names of the versions of each table. */
async function versionsIn(dir: string): Promise<readonly string[][]> {
  const { value } = await manifestTwins(dir)
  const folders = value ? ["pages", value.vectors].map((table) => path.join(dir, `${table}.lance`)) : []
  return await Promise.all(
    folders.map(async (folder) => {
      const names = await readdir(path.join(folder, "_versions")).catch(() => [])
      return names.filter((name) => name.endsWith(".manifest")).toSorted()
    }),
  )
}
