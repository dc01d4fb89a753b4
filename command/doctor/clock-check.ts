import { existsSync, readdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { clockInDoubt, DOUBT_ADVICE } from "#base/store/clock/trusted-time.ts"
import { type Check, type Found, wrong } from "./check.ts"
import type { DoctorSettings } from "./settings-checks.ts"
import { ask } from "./state-checks.ts"

/** The clocks of machines that share a disk differ by less than this. */
const AHEAD_MS = 300_000
/** Fossick did not exist before this time, so a clock that shows an earlier one is wrong. */
const EARLIEST = Date.UTC(2026, 0, 1)

/** Compares the clock with the newest file in the data folder, which cannot be from the future, and with the time stored in the state. */
export const clockCheck = ({ dataDir }: DoctorSettings): Check => ({
  name: "clock",
  async run() {
    const now = Date.now()
    const advice = "Set the clock, preferably with NTP: schedules, expiry dates and signatures depend on it."
    if (now < EARLIEST)
      return wrong(`The clock says ${new Date(now).toISOString()}, which is in the past.`, advice)
    const names = existsSync(dataDir) ? readdirSync(dataDir) : []
    const newest = Math.max(0, ...names.map((name) => statSync(join(dataDir, name)).mtimeMs))
    return newest > now + AHEAD_MS
      ? wrong(
          `A file in the data folder is dated ${new Date(newest).toISOString()}, but the clock says ${new Date(now).toISOString()}.`,
          advice,
        )
      : await inDoubt(dataDir, now)
  },
})

async function inDoubt(dataDir: string, now: number): Promise<Found> {
  const [what] = await ask(dataDir, async (db) => [await clockInDoubt(db, now)])
  return typeof what === "string" && wrong(what, DOUBT_ADVICE)
}
