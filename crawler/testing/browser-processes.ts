import { readdir, readFile } from "node:fs/promises"

/**
 * Processes of the browsers that a process started for rendering, known by their profile folder. Linux only: others
 * have no /proc, and the answer is empty.
 */
export async function browserProcesses(owner = process.pid): Promise<number[]> {
  const pids = (await readdir("/proc").catch(() => [])).filter((name) => /^\d+$/.test(name))
  const found = await Promise.all(
    pids.map(async (pid) => {
      const command = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")
      return command.includes(`fossick-render-${owner}-`) ? Number(pid) : null
    }),
  )
  return found.filter((pid) => pid !== null)
}

/** Signals those of them that are there: with one of them others may end by themselves. */
export async function signalBrowsers(signal: NodeJS.Signals, owner = process.pid): Promise<void> {
  for (const pid of await browserProcesses(owner)) {
    try {
      process.kill(pid, signal)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error
    }
  }
}
