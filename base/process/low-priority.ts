import { execFile } from "node:child_process"
import { readlinkSync } from "node:fs"
import { constants, setPriority } from "node:os"
import path from "node:path"

/**
 * Gives a thread the lowest priority on the machine: its nice value becomes 19 at once, and a moment later it runs only
 * when no other thread wants a processor (`SCHED_IDLE`, `sched(7)`), if `chrt` of util-linux is installed. Neither
 * needs a privilege, and the nice value cannot be reset. The nice value alone is not enough: a thread that wakes up for
 * an answer would wait until the low-priority thread's time slice ends.
 *
 * Only on Linux does a thread have its own nice value (`setpriority(2)`, "C library/kernel differences"), and the link
 * `/proc/thread-self` tells the thread its id (`proc(5)`).
 *
 * @param thread its id in the system; left out: the calling thread
 * @returns false if that is not possible; the thread then works at the priority of its process.
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
