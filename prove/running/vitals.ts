import { readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"

import { memoryOf, processTree } from "../../bench/measure.ts"

/** The resources that an appliance uses at one point in time. */
export interface Vitals {
  readonly processes: number
  /** Bytes of memory that its processes use, counting each memory page shared by several only once (PSS, proc(5)). */
  readonly memory: number
  /** Bytes of memory not backed by a file, which the system can't reclaim (`Anonymous`); pages shared after a fork count for each process. */
  readonly anonymous: number
  readonly threads: number
  /** Number of open files, including sockets. */
  readonly handles: number
  /** Size of all files below the data folder, in bytes. */
  readonly disk: number
}

const NOTHING: Vitals = { processes: 0, memory: 0, anonymous: 0, threads: 0, handles: 0, disk: 0 }

/** The resources used by a process with all its descendants, and by a folder. */
export function vitalsOf(pid: number, folder: string): Vitals {
  return processTree(pid).reduce<Vitals>(
    (sum, one) => {
      const own = ofProcess(one)
      return own === null
        ? sum
        : {
            processes: sum.processes + 1,
            memory: sum.memory + own.memory,
            anonymous: sum.anonymous + own.anonymous,
            threads: sum.threads + own.threads,
            handles: sum.handles + own.handles,
            disk: sum.disk,
          }
    },
    { ...NOTHING, disk: bytesBelow(folder) },
  )
}

/** Null for a process that has ended. */
function ofProcess(pid: number): Pick<Vitals, "memory" | "anonymous" | "threads" | "handles"> | null {
  try {
    const { pss, anonymous } = memoryOf(pid)
    return {
      memory: pss,
      anonymous,
      threads: Number(/^Threads:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1]),
      handles: readdirSync(`/proc/${pid}/fd`).length,
    }
  } catch {
    return null
  }
}

/** The command line of a process, its words separated by null characters; empty for a process that is gone or a zombie. */
export function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8")
  } catch {
    return ""
  }
}

/** The size of a file, or of all files below a folder; files that vanish in the meantime count as 0. */
export function bytesBelow(path: string): number {
  try {
    const found = statSync(path)
    if (!found.isDirectory()) return found.size
    return readdirSync(path).reduce((sum, name) => sum + bytesBelow(join(path, name)), 0)
  } catch {
    return 0
  }
}
