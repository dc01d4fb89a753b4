import { copyFileSync, existsSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"

import { notWritable, remedy, type UnwritableBecause } from "#base/disk-space.ts"

/** SQLite writes beside what it reads: this, and what it had not brought into it yet, is copied. */
const COPIED = /^state\.db(?:-wal)?$/
/** Of those who write; what is here is made anew. */
const LEFT_OUT = /^(?:state\.db-shm|locks|compile-cache)$/
/** One of these is there where there is something to be served. */
const SERVED = ["state.db", "index", "generations"]

/** What the operator is told of a folder that something stands in for. */
export const asItIs = (folder: string, because: UnwritableBecause): string =>
  `The folder ${folder} cannot be written to (${because}). It is served as it is; what is counted and kept meanwhile is lost at the end. To go on, ${remedy(because)}: the rest happens by itself.`

/** A folder that holds what a data folder holds, and can be written to. */
export interface StandIn extends Disposable {
  readonly folder: string
}

/**
 * Makes a folder to run on instead of a data folder that cannot be written to: with a copy of its `state.db`, and with links to all else.
 * What is written to it is lost with it.
 * @throws SettingsError when there is nothing to be served, or no place for it
 */
export function standInFor(dataDir: string, because: UnwritableBecause): StandIn {
  if (!SERVED.some((name) => existsSync(join(dataDir, name))))
    throw notWritable({ code: because, message: `${because}: ${dataDir} holds no index to be served` })
  let folder: string | undefined
  const remove = () => folder !== undefined && rmSync(folder, { recursive: true, force: true })
  try {
    folder = mkdtempSync(join(tmpdir(), "fossick-read-only-"))
    for (const name of readdirSync(dataDir)) {
      if (COPIED.test(name)) copyFileSync(join(dataDir, name), join(folder, name))
      else if (!LEFT_OUT.test(name)) symlinkSync(resolve(dataDir, name), join(folder, name))
    }
  } catch (error) {
    remove()
    const instead = `nothing can stand in for it: ${(error as Error).message}`
    throw notWritable({ code: because, message: `${because}: ${dataDir}, and ${instead}` })
  }
  return { folder, [Symbol.dispose]: remove }
}
