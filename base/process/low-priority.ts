import { readlinkSync } from "node:fs"
import { constants, setPriority } from "node:os"
import path from "node:path"

/**
 * Lets all else on the machine go before the thread that calls this: its nice value becomes 19, which takes no right and cannot
 * be taken back.
 *
 * On Linux alone a thread has a nice value of its own (`setpriority(2)`, "C library/kernel differences"), and the link
 * `/proc/thread-self` tells the thread its id (`proc(5)`).
 *
 * @returns false where that cannot be done; the thread then works at the priority of its process.
 */
export function yieldToOthers(): boolean {
  if (process.platform !== "linux") return false
  try {
    const id = Number(path.basename(readlinkSync("/proc/thread-self")))
    setPriority(id, constants.priority.PRIORITY_LOW)
    return true
  } catch {
    return false
  }
}
