import { readFileSync } from "node:fs"

/** Milliseconds between checks. */
const LOOK_MS = 500

/**
 * Calls `onGone` when the process that runs `npm start` or `npx fossick start` has ended. npm passes SIGTERM to the
 * shell it started, not to the shell's own child (npm 10 and 11 with `sh -c`, where sh is dash), and then exits:
 * without this the appliance would live on as an orphan that holds its port. If npm did not start the appliance, only
 * signals end it.
 */
export function whenStarterGone(onGone: () => void): void {
  if (process.env["npm_lifecycle_event"] === undefined) return
  // If npm is killed with SIGKILL, processes that are only waiting for us are left behind: its shell, and the command
  // on an older Node.
  const line = [process.ppid]
  for (let pid: number | null = process.ppid; pid !== null && onlyWaits(pid);) {
    pid = parentOf(pid)
    if (pid !== null) line.push(pid)
  }
  const isWhole = () => line.every((pid, at) => (at === 0 ? process.ppid : parentOf(line[at - 1]!)) === pid)
  const timer = setInterval(() => {
    if (isWhole()) return
    clearInterval(timer)
    onGone()
  }, LOOK_MS)
  timer.unref()
}

const onlyWaits = (pid: number): boolean => isShell(pid) || isFossick(pid)
const isShell = (pid: number): boolean => /^(da|ba|a|z|k)?sh$|^busybox$/.test(statOf(pid)?.name ?? "")
const parentOf = (pid: number): number | null => statOf(pid)?.parent ?? null

/** Linux's record of a process (proc_pid_stat(5)); `null` on other systems, and when the process has ended. */
function statOf(pid: number): { readonly name: string; readonly parent: number } | null {
  try {
    const [, name, parent] = /^\d+ \((.*)\) \S (\d+) /s.exec(readFileSync(`/proc/${pid}/stat`, "utf8"))!
    return { name: name!, parent: Number(parent) }
  } catch {
    return null
  }
}

/** Whether a process is the command itself, waiting for a child on another Node because its own Node is too old. */
function isFossick(pid: number): boolean {
  try {
    const words = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0")
    return words.slice(1).some((word) => /(^|\/)fossick(\.js)?$/.test(word))
  } catch {
    return false
  }
}
