import { readdirSync, readFileSync } from "node:fs"

const SHARED = Symbol.for("fossick.tests.shared-processes")
const here = globalThis as { [SHARED]?: Set<number> }

/** The processes that this one started and that are still running; empty if there is no /proc. */
export function childrenOfThisProcess(): number[] {
  try {
    return readdirSync("/proc/self/task")
      .flatMap((task) => readFileSync(`/proc/self/task/${task}/children`, "utf8").split(" "))
      .filter(Boolean)
      .map(Number)
  } catch {
    return []
  }
}

/** Processes that test files share, such as a browser; the list survives module reloads. */
export const sharedProcesses = (): Set<number> => (here[SHARED] ??= new Set())
