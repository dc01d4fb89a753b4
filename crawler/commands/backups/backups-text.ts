import { bytesText, counted } from "#engine/commands/command-progress.ts"
import type { BackupRun, StoredPlan } from "../../upkeep/backup/scheduled/backup-table.ts"
import type { BackupChange } from "../../sources/file/plan.ts"
import { scheduleText, table, timeText } from "../sources/sources-text.ts"

/** The changes that a plan makes to the backups; empty if there are none. */
export function backupLines(change: BackupChange | null): string[] {
  switch (change?.kind) {
    case "new":
      return ["+ backup: new"]
    case "removed":
      return ["- backup: no longer declared; existing backup files are kept"]
    case "changed":
      return [
        "~ backup: changed",
        ...change.fields.map(
          ({ field, from, to }) => `    ${field}: ${JSON.stringify(from)} -> ${JSON.stringify(to)}`,
        ),
      ]
    default:
      return []
  }
}

/** The backups, on one line. */
export function backupLine({ nextRun }: StoredPlan, last: BackupRun | null): string {
  const next = nextRun === null ? "on request" : timeText(nextRun)
  const was = last === null ? "never" : `${last.state} ${timeText(last.endedAt)}`
  return `Backup: next run ${next}, last run ${was}${last?.error ? `: ${last.error}` : ""}. For details, run fossick backups list.`
}

/** The plan, and its newest runs. */
export function planAndRuns({ plan, nextRun }: StoredPlan, runs: readonly BackupRun[]): string[] {
  const { name, folder, schedule, keep } = plan
  const rows = runs.map((run) => [
    String(run.id),
    run.state,
    run.trigger,
    timeText(run.startedAt ?? run.askedAt),
    timeText(run.endedAt),
    run.file === null ? "" : `${run.file} (${bytesText(run.bytes ?? 0)}, ${counted(run.pages ?? 0, "page")})`,
  ])
  const troubles = runs.flatMap(({ id, error, note }) => {
    const said = error ?? note
    return said === null ? [] : [`${id}: ${said}`]
  })
  return [
    `files       ${folder}, named ${name}-<time>.tar; the newest ${keep} are kept`,
    `schedule    ${schedule === null ? "none" : scheduleText(schedule)}`,
    `next run    ${nextRun === null ? "on request" : timeText(nextRun)}`,
    ...(rows.length === 0
      ? ["No backups yet."]
      : ["", ...table([["BACKUP", "STATE", "TRIGGER", "BEGAN", "ENDED", "FILE"], ...rows]), ...troubles]),
  ]
}
