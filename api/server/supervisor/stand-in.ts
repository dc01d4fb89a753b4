import { copyFileSync, existsSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"

import { notWritable, remedy, type UnwritableBecause } from "#base/disk-space.ts"

/** SQLite writes next to the file it reads, so this file and its write-ahead log are copied. */
const COPIED = /^state\.db(?:-wal)?$/
/** Files that belong to processes writing to the folder; this process makes its own. */
const LEFT_OUT = /^(?:state\.db-shm|locks|compile-cache)$/
/** If there is anything to serve, at least one of these exists. */
const SERVED = ["state.db", "index", "generations"]

/** The message to the operator about a folder that has a stand-in. */
export const asItIs = (folder: string, because: UnwritableBecause): string =>
  `The folder ${folder} cannot be written to (${because}). Fossick serves it as it is; anything counted or stored meanwhile will be lost when Fossick stops. To continue, ${remedy(because)}; Fossick will notice.`

/** A writable folder with the contents of a data folder. */
export interface StandIn extends Disposable {
  readonly folder: string
}

/**
 * Makes a folder to run on instead of a data folder that cannot be written to, with a copy of its `state.db` and links
 * to everything else. Writes to the new folder are lost when it is deleted.
 * @throws SettingsError if there is nothing to serve, or no place for the folder
 */
export function standInFor(dataDir: string, because: UnwritableBecause): StandIn {
  if (!SERVED.some((name) => existsSync(join(dataDir, name))))
    throw notWritable({ code: because, message: `${because}: ${dataDir} holds no index to serve` })
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
    const instead = `no temporary folder could replace it: ${(error as Error).message}`
    throw notWritable({ code: because, message: `${because}: ${dataDir}, and ${instead}` })
  }
  return { folder, [Symbol.dispose]: remove }
}
