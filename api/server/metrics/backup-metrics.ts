import { Gauge, type Registry } from "prom-client"

import type { BackupTable } from "#crawler/upkeep/backup/scheduled/backup-table.ts"

export type BackupResults = Pick<BackupTable, "plan" | "last">

/** The result of the last scheduled backup, if a schedule is declared. */
export function registerBackups(registry: Registry, backups: BackupResults): void {
  const made: Gauge = new Gauge({
    name: "fossick_backup_last_success_timestamp_seconds",
    help: "When the last scheduled backup finished, in seconds since 1970.",
    labelNames: ["backup"],
    registers: [],
    async collect() {
      const name = (await backups.plan())?.plan.name
      const endedAt = (await backups.last("finished"))?.endedAt
      this.reset()
      if (name !== undefined && endedAt) this.set({ backup: name }, endedAt.getTime() / 1000)
    },
  })
  const failed: Gauge = new Gauge({
    name: "fossick_backup_failed",
    help: "1 if the last scheduled backup failed.",
    labelNames: ["backup"],
    registers: [],
    async collect() {
      const name = (await backups.plan())?.plan.name
      const last = await backups.last()
      this.reset()
      if (name !== undefined) this.set({ backup: name }, last?.state === "failed" ? 1 : 0)
    },
  })
  for (const gauge of [made, failed]) registry.registerMetric(gauge)
}
