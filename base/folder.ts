import { accessSync, constants, existsSync, mkdirSync, statSync, utimesSync } from "node:fs"
import { dirname } from "node:path"

/** How to make a folder writable, by the reason why it is not. */
const WRITABLE_BY = {
  EROFS: "mount its disk for writing",
  EACCES: "give it to the user who runs Fossick",
  EPERM: "give it to the user who runs Fossick",
} as const

/** Why nothing can be written to a folder. */
export type ReadOnlyBecause = keyof typeof WRITABLE_BY

/**
 * Why a folder cannot be written to, or created if it does not exist: its file system is mounted read-only, or became
 * read-only after disk errors, or the folder belongs to another user. `null` if it is writable.
 */
export function readOnlyBecause(dir: string): ReadOnlyBecause | null {
  try {
    accessSync(dir, constants.W_OK)
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException
    if (code === "ENOENT" && dir !== dirname(dir)) return readOnlyBecause(dirname(dir))
    return code in WRITABLE_BY ? (code as ReadOnlyBecause) : null
  }
  try {
    // After disk errors, Linux still reports the file system as writable. This call changes nothing, and fails in that case.
    const { atime, mtime } = statSync(dir)
    utimesSync(dir, atime, mtime)
    return null
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EROFS" ? "EROFS" : null
  }
}

/** What an operator can do, as the rest of a sentence. */
export const writableBy = (because: ReadOnlyBecause): string => WRITABLE_BY[because]

/** The only message about an unwritable folder, for the operator; it names the folder. */
export const readOnlyMessage = (dir: string, because: ReadOnlyBecause): string =>
  `The folder ${dir} is read-only: nothing can be stored in it. To fix this, ${writableBy(because)}; the data in it is safe.`

/**
 * Creates a folder and its missing parents. Node's own `recursive` never returns if the system reports ENOENT although
 * the parent exists, as in `/proc`.
 *
 * @param mode mode of every folder created; the default is the system's
 * @throws Error of the system, such as ENOENT, EACCES or ENOTDIR
 */
export function makeFolder(path: string, mode?: number): void {
  const above = dirname(path)
  if (above !== path && !existsSync(above)) makeFolder(above, mode)
  try {
    mkdirSync(path, mode)
  } catch (error) {
    const isThere = (error as NodeJS.ErrnoException).code === "EEXIST"
    // Another process may have created the folder in the meantime. A read-only root reports EROFS for existing folders.
    if (!isThere && !existsSync(path)) throw error
    if (!statSync(path).isDirectory()) throw error
  }
}
