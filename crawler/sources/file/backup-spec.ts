import { existsSync, realpathSync } from "node:fs"
import path from "node:path"
import { type BackupPlan, DEFAULT_KEEP, DEFAULT_NAME } from "../../backup-plan.ts"
import { defineSchedule, type Schedule, scheduleProblems } from "../../jobs/tasks/schedule.ts"
import { SourceError, type SourceProblem } from "../written/source-problem.ts"

/** The `backup` block of a sources file, as defined by its schema. */
export interface WrittenBackup {
  readonly folder: string
  readonly schedule?: string | Partial<Schedule> | null
  readonly keep?: number
  readonly name?: string
}

/**
 * A backup schedule as written, with its defaults.
 * @param base the folder that relative paths start from
 * @param dataDir the data folder, which no backup may be in
 * @throws SourceError
 */
export function readBackupPlan(written: WrittenBackup, base: string, dataDir: string | null): BackupPlan {
  const { schedule: times = null, keep = DEFAULT_KEEP, name = DEFAULT_NAME } = written
  const schedule = typeof times === "string" ? { cron: times } : times
  const problems: SourceProblem[] = []
  if (schedule !== null) {
    for (const { path: field, message } of scheduleProblems(schedule))
      problems.push({ path: ["schedule", ...field], message })
  }
  if (written.folder.includes("\0"))
    problems.push({ path: ["folder"], message: "must not contain a null character" })
  const folder = path.resolve(base, written.folder)
  if (dataDir !== null && isInside(real(folder), real(dataDir))) {
    problems.push({
      path: ["folder"],
      message: `must not be in the data folder (${dataDir}), because a backup there is lost with it and moved aside by a restore`,
    })
  }
  if (problems.length > 0) throw new SourceError(problems)
  return { name, folder, schedule: schedule && defineSchedule(schedule), keep }
}

const isInside = (folder: string, other: string): boolean => {
  const way = path.relative(other, folder)
  return way === "" || (way !== ".." && !way.startsWith(`..${path.sep}`) && !path.isAbsolute(way))
}

/** The folder's path, with links resolved in the part that exists. */
function real(folder: string): string {
  const whole = path.resolve(folder)
  const parent = path.dirname(whole)
  if (existsSync(whole)) return realpathSync(whole)
  return parent === whole ? whole : path.join(real(parent), path.basename(whole))
}
