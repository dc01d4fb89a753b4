import { existsSync } from "node:fs"
import { mkdir, readdir, rename, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { doOnce, runCommand } from "./programs/packages.ts"

const HOUR = 3_600_000
/** How long the library may reuse the last time it read, in seconds. */
const CACHE_SECONDS = 1

/**
 * A clock that the week sets forward for the processes it starts, using Debian's libfaketime, which adds an offset to
 * the system's time. Their timers run normally; to these processes, the machine seems to have been asleep.
 */
export interface WeekClock {
  /** Environment variables that make a process use this clock. */
  readonly env: Readonly<Record<string, string>>
  /** The current time by this clock, in milliseconds since 1970. */
  now(): number
  /** Sets the clock forward to `at`. */
  setForward(at: number): Promise<void>
}

/**
 * @param folder folder of programs, to which the library is downloaded
 * @param work folder of this run, for the file with the time to add
 * @throws Error when the library is not available
 */
export async function openClock(folder: string, work: string): Promise<WeekClock> {
  const library = await faketime(folder)
  const file = join(work, "clock")
  // The week begins at eight in the morning, so that nights lie between days.
  let added = 8 * HOUR - (Date.now() % (24 * HOUR)) + 24 * HOUR
  const write = async () => {
    await writeFile(`${file}.new`, `+${Math.round(added / 1000)}\n`)
    await rename(`${file}.new`, file)
  }
  await write()
  return {
    env: {
      LD_PRELOAD: library,
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_CACHE_DURATION: String(CACHE_SECONDS),
      DONT_FAKE_MONOTONIC: "1",
    },
    now: () => Date.now() + added,
    async setForward(at) {
      added = at - Date.now()
      await write()
      await new Promise((resolve) => setTimeout(resolve, 1000 * (CACHE_SECONDS + 0.2)))
    },
  }
}

async function faketime(folder: string): Promise<string> {
  const root = join(folder, "faketime")
  await doOnce(folder, "faketime", async () => {
    await mkdir(root, { recursive: true })
    await runCommand("apt-get", ["download", "-qq", "libfaketime"], { cwd: root })
    const deb = (await readdir(root)).find((name) => name.endsWith(".deb"))
    await runCommand("dpkg-deb", ["-x", join(root, deb ?? ""), root])
  })
  for (const triplet of await readdir(join(root, "usr/lib"))) {
    const library = join(root, "usr/lib", triplet, "faketime/libfaketimeMT.so.1")
    if (existsSync(library)) return library
  }
  throw new Error("the package libfaketime has no libfaketimeMT.so.1")
}

/** The next time at which a clock shows this hour and minute (UTC), after `now`. */
export function nextTime(now: number, hour: number, minute: number): number {
  const at = new Date(now)
  at.setUTCHours(hour, minute, 0, 0)
  return at.getTime() > now ? at.getTime() : at.getTime() + 24 * HOUR
}
