import { lastEnded } from "#crawler/upkeep/backup/scheduled/backup-table.ts"
import { type Check, type Found, wrong } from "./check.ts"
import type { DoctorSettings } from "./settings-checks.ts"
import { ask } from "./state-checks.ts"

export const backupsCheck = ({ dataDir }: DoctorSettings): Check => ({
  name: "backups",
  async run(): Promise<Found> {
    const [last] = await ask(dataDir, lastEnded)
    if (last?.state !== "failed") return []
    return wrong(
      `The last scheduled backup failed: ${String(last.error)}`,
      "Correct the cause, then run fossick backups run. See docs/backup-and-restore.md.",
    )
  },
})
