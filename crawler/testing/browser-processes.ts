import { readdir, readFile } from "node:fs/promises"

/** The prefix of the profile folder names of a process. */
export const profilesOf = (owner: number): string => `fossick-render-${owner}-`

/**
 * Process ids of rendering browsers, identified by their profile folder: those of this process by default, or those
 * whose folder name starts with the given prefix. Linux only: other systems have no /proc, and the result is empty.
 */
export async function browserProcesses(profile = profilesOf(process.pid)): Promise<number[]> {
  const pids = (await readdir("/proc").catch(() => [])).filter((name) => /^\d+$/.test(name))
  const found = await Promise.all(
    pids.map(async (pid) => {
      const command = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")
      return command.includes(profile) ? Number(pid) : null
    }),
  )
  return found.filter((pid) => pid !== null)
}

/** Signals the processes that still exist, because some may end along with others. */
export async function signalBrowsers(signal: NodeJS.Signals, profile?: string): Promise<void> {
  for (const pid of await browserProcesses(profile)) {
    try {
      process.kill(pid, signal)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error
    }
  }
}
