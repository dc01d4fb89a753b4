import { execFile } from "node:child_process"
import { readlinkSync } from "node:fs"
import { constants, setPriority } from "node:os"
import path from "node:path"

/**
 * Gives a thread the lowest priority on the machine: its nice value becomes 19 at once, and a moment later it is scheduled only
 * where nothing else wants a processor (`SCHED_IDLE`, `sched(7)`), if `chrt` of util-linux is installed. Neither needs a
 * privilege, and the nice value cannot be taken back. That value alone is not enough: a thread that wakes up for an answer waits
 * until the slice of such a thread is over.
 *
 * On Linux alone a thread has a nice value of its own (`setpriority(2)`, "C library/kernel differences"), and the link
 * `/proc/thread-self` tells the thread its id (`proc(5)`).
 *
 * @param thread its id in the system; left out: of the thread that calls this
 * @returns false where that cannot be done; the thread then works at the priority of its process.
 */
export function yieldToOthers(thread?: number): boolean {
  if (process.platform !== "linux") return false
  try {
    const id = thread ?? Number(path.basename(readlinkSync("/proc/thread-self")))
    setPriority(id, constants.priority.PRIORITY_LOW)
    execFile("chrt", ["--idle", "--pid", "0", String(id)], () => undefined)
    return true
  } catch {
    return false
  }
}
