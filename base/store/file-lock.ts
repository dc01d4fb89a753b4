import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { hostname } from "node:os"
import path from "node:path"
import { DatabaseSync } from "node:sqlite"
import { setTimeout as sleep } from "node:timers/promises"
import { KnownError } from "../errors.ts"
import { isBusy } from "./busy.ts"
import { isDamagedSqlite } from "./lock-file.ts"

const LOOK_MS = 250
/** Folder of locks in the data folder. */
const LOCKS = "locks"

/**
 * Holds a lock among all processes of the machine: an SQLite file in an exclusive transaction. The operating system frees
 * it when the process ends, however it ends, so that no stale lock is ever left behind.
 *
 * @returns null when another process holds it
 */
export function tryLock(file: string): Disposable | null {
  try {
    return lockAtOnce(file)
  } catch (error) {
    if (!isDamagedSqlite(error)) throw error
    // Nobody can hold it.
    rmSync(file, { force: true })
    return lockAtOnce(file)
  }
}

function lockAtOnce(file: string): Disposable | null {
  const lock = new DatabaseSync(file, { timeout: 0 })
  try {
    lock.exec("begin exclusive")
  } catch (error) {
    lock.close()
    if (isBusy(error)) return null
    throw error
  }
  return { [Symbol.dispose]: () => lock.close() }
}

/** What may run once on a data folder. The crawler of an appliance has a lock of its own, since containers run it alone. */
export type FolderRole = "appliance" | "crawler"

const TAKEN: Readonly<Record<FolderRole, (by: string, dataDir: string) => string>> = {
  appliance: (by, dataDir) =>
    `Another appliance${by} runs on ${dataDir}. Stop it first, or give this one a folder of its own with FOSSICK_DATA_DIR.`,
  crawler: (by, dataDir) =>
    `Another crawler${by} works on ${dataDir}. Stop it first, or give this appliance a folder of its own with FOSSICK_DATA_DIR.`,
}

/** Kept, since a lock that is collected is closed. */
const held = new Set<Disposable>()

/**
 * Takes a data folder, which is there, for this process, to its end.
 *
 * @param patienceMs how long another one may take to end
 * @throws KnownError that names the process which has it
 */
export async function takeFolder(dataDir: string, role: FolderRole, patienceMs = 0): Promise<void> {
  const folder = path.join(dataDir, LOCKS)
  mkdirSync(folder, { recursive: true })
  const holder = path.join(folder, `${role}.pid`)
  const late = performance.now() + patienceMs
  for (;;) {
    const lock = tryLock(path.join(folder, `${role}.lock`))
    if (lock !== null) {
      // For people alone: the lock is the truth.
      writeFileSync(holder, `${process.pid} ${hostname()}\n`)
      held.add(lock)
      return
    }
    if (performance.now() >= late) throw new KnownError(TAKEN[role](nameOf(holder), dataDir))
    await sleep(LOOK_MS)
  }
}

/** Ids of processes are those of a container: the host's name is what `docker ps` shows. */
function nameOf(holder: string): string {
  try {
    const [pid, host] = readFileSync(holder, "utf8").trim().split(" ")
    if (!pid) return ""
    return host === hostname() ? ` (process ${pid})` : ` (process ${pid} on ${host})`
  } catch {
    return ""
  }
}
