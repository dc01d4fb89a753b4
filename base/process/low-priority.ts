import { readlinkSync } from "node:fs"
import { constants, getPriority, setPriority } from "node:os"
import path from "node:path"

/** A process at 0 gets three times as much of a processor that both want (`sched(7)`). */
const BEHIND = 5

/**
 * Lets processes of ordinary priority go first: the nice value of this one, and of all threads and processes that it starts from here on, becomes 5. Unlike
 * {@link yieldToOthers} it gets on, if slowly, while others are busy.
 */
export function goBehindOthers(): void {
  try {
    if (getPriority() < BEHIND) setPriority(BEHIND)
  } catch {
    // It then works as fast as all others.
  }
}

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
