import { readFileSync } from "node:fs"

/** Between two looks. */
const LOOK_MS = 500

/**
 * Calls `onGone` when what runs `npm start` has ended. npm hands SIGTERM on to the shell it started, not to what that
 * shell runs (npm 10 and 11 with `sh -c`, where sh is dash), and then is gone: without this the appliance would live on
 * as an orphan that holds its port. Not started by npm, it belongs to nobody but its signals.
 */
export function whenStarterGone(onGone: () => void): void {
  if (process.env["npm_lifecycle_event"] === undefined) return
  const parent = process.ppid
  // npm killed with SIGKILL leaves its shell behind, which knows nothing of it and waits for us.
  const grandparent = isShell(parent) ? parentOf(parent) : null
  const timer = setInterval(() => {
    if (process.ppid === parent && (grandparent === null || parentOf(parent) === grandparent)) return
    clearInterval(timer)
    onGone()
  }, LOOK_MS)
  timer.unref()
}

const isShell = (pid: number): boolean => /^(da|ba|a|z|k)?sh$|^busybox$/.test(statOf(pid)?.name ?? "")
const parentOf = (pid: number): number | null => statOf(pid)?.parent ?? null

/** What Linux says of a process (proc_pid_stat(5)); null elsewhere, and when it is gone. */
function statOf(pid: number): { readonly name: string; readonly parent: number } | null {
  try {
    const [, name, parent] = /^\d+ \((.*)\) \S (\d+) /s.exec(readFileSync(`/proc/${pid}/stat`, "utf8"))!
    return { name: name!, parent: Number(parent) }
  } catch {
    return null
  }
}
