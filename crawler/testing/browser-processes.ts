import { readdir, readFile } from "node:fs/promises"

/** How the names of the profile folders of a process begin. */
export const profilesOf = (owner: number): string => `fossick-render-${owner}-`

/**
 * Processes of browsers that render, known by their profile folder: those of this process, or those whose folder's name begins as given.
 * Linux only: others have no /proc, and the answer is empty.
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

/** Signals the ones that exist: when one of them ends, others may end too. */
export async function signalBrowsers(signal: NodeJS.Signals, profile?: string): Promise<void> {
  for (const pid of await browserProcesses(profile)) {
    try {
      process.kill(pid, signal)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error
    }
  }
}
