import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"

/** A browser's folder. Disposing of it removes it. */
export interface Profile extends AsyncDisposable {
  readonly folder: string
  /** Records which browser the folder belongs to, for {@link removeLeftovers}. */
  belongsTo(browser: number): Promise<void>
}

const PREFIX = "fossick-render-"
/** Name of the file that contains the process id of the browser. */
const BROWSER_FILE = "fossick-browser-pid"

/** Names of the folders that belong to this process. */
const own = new Set<string>()

export async function createProfile(): Promise<Profile> {
  const folder = await mkdtemp(join(tmpdir(), `${PREFIX}${process.pid}-`))
  own.add(basename(folder))
  return {
    folder,
    belongsTo: (browser) => writeFile(join(folder, BROWSER_FILE), String(browser)),
    async [Symbol.asyncDispose]() {
      await rm(folder, { recursive: true, force: true, maxRetries: 5 })
      own.delete(basename(folder))
    },
  }
}

/**
 * Removes the folders of processes that were killed, and kills a browser that outlived its process, for example because
 * it hangs. Folders of live processes are left alone.
 */
export async function removeLeftovers(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const owner = Number(new RegExp(`^${PREFIX}(\\d+)-`).exec(name)?.[1] ?? Number.NaN)
    // In a container, this process may well have the same id as the lost one.
    const isInUse = owner === process.pid ? own.has(name) : isAlive(owner)
    if (Number.isNaN(owner) || isInUse) continue
    const folder = join(tmpdir(), name)
    const browser = Number(await readFile(join(folder, BROWSER_FILE), "utf8").catch(() => "0"))
    if (browser > 1 && (await runsIn(browser, folder))) killGroup(browser)
    // The folder may belong to another user, who will remove it.
    await rm(folder, { recursive: true, force: true, maxRetries: 3 }).catch(() => undefined)
  }
}

/** Whether the process is still the browser of that folder; its id may have been reused long ago. */
async function runsIn(pid: number, folder: string): Promise<boolean> {
  const command = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")
  return command.includes(folder)
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM"
  }
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL")
  } catch {
    // The process ended in the meantime.
  }
}
