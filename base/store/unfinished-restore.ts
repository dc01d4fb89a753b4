import { existsSync } from "node:fs"
import { join } from "node:path"
import { SettingsError } from "../settings.ts"

/** The folder in which a restore assembles its files. While it exists, nothing else may start. */
export const RESTORING = "restoring"

/** File that is in that folder once all files there are complete and only have to be moved into place. */
export const PLAN = "plan.json"

/** @throws SettingsError if a restore into the data folder began but did not finish. */
export function refuseUnfinishedRestore(dataDir: string): void {
  const folder = join(dataDir, RESTORING)
  if (!existsSync(folder)) return
  const instead = existsSync(join(folder, PLAN)) ? "" : `, or remove ${folder} to keep the earlier data`
  throw new SettingsError([
    `A restore into FOSSICK_DATA_DIR is running or was interrupted: run fossick restore again${instead}`,
  ])
}
