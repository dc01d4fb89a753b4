import { accessSync, constants, statSync, utimesSync } from "node:fs"

/** What has a folder written to, by why it is not. */
const WRITABLE_BY = {
  EROFS: "mount its disk for writing",
  EACCES: "give it to the user who runs Fossick",
  EPERM: "give it to the user who runs Fossick",
} as const

/** Why nothing can be written to a folder. */
export type ReadOnlyBecause = keyof typeof WRITABLE_BY

/**
 * Why a folder that is there cannot be written to: it is mounted so, its file system became so after errors of its disk, or it is another
 * user's. Null: it can be, or is not there.
 */
export function readOnlyBecause(dir: string): ReadOnlyBecause | null {
  try {
    accessSync(dir, constants.W_OK)
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException
    return code in WRITABLE_BY ? (code as ReadOnlyBecause) : null
  }
  try {
    // After errors of its disk Linux has a file system say yes to that all the same. This changes nothing, and is refused then.
    const { atime, mtime } = statSync(dir)
    utimesSync(dir, atime, mtime)
    return null
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EROFS" ? "EROFS" : null
  }
}

/** What an operator can do about it, as the beginning of a sentence goes on. */
export const writableBy = (because: ReadOnlyBecause): string => WRITABLE_BY[because]

/** The one message for it, for the operator: it names the folder. */
export const readOnlyMessage = (dir: string, because: ReadOnlyBecause): string =>
  `The folder ${dir} is read-only: nothing can be kept in it. To go on, ${writableBy(because)}; what is kept there is safe.`
