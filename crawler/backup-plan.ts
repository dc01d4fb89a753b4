import type { Schedule } from "./jobs/tasks/schedule.ts"

/** Scheduled backups, as the sources file declares them. */
export interface BackupPlan {
  /** Prefix of the file names: letters, digits and `._-`. */
  readonly name: string
  /** `null` if backups are made only on request. */
  readonly schedule: Schedule | null
  /** Absolute path of the folder for the files. It is never created: a folder that is missing may be a disk that is not mounted. */
  readonly folder: string
  /** Number of files kept: the newest. */
  readonly keep: number
}

export const DEFAULT_NAME = "fossick"
export const DEFAULT_KEEP = 7

/** `fossick-2026-05-01T02-30-00Z.tar`: sorts by time, and is a valid name on every system. */
export function backupFileName({ name }: Pick<BackupPlan, "name">, at: Date): string {
  return `${name}-${at.toISOString().slice(0, 19).replaceAll(":", "-")}Z.tar`
}

const TIME = /^(\d{4}-\d{2}-\d{2})T(\d{2})-(\d{2})-(\d{2})Z\.tar$/

/**
 * When the backup in the file with this name began, in milliseconds since 1970; `null` if the file is not one of this
 * plan's backups.
 */
export function timeOfFile({ name }: Pick<BackupPlan, "name">, file: string): number | null {
  if (!file.startsWith(`${name}-`)) return null
  const [, day, ...clock] = TIME.exec(file.slice(name.length + 1)) ?? []
  const time = Date.parse(`${day}T${clock.join(":")}Z`)
  return Number.isNaN(time) ? null : time
}

/**
 * The oldest files beyond the number a plan keeps, out of all names in its folder. Files dated in the future were made
 * while the clock was ahead and count as older still.
 */
export function filesBeyond(plan: BackupPlan, names: readonly string[], now: number): string[] {
  return names
    .flatMap((file) => {
      const time = timeOfFile(plan, file)
      return time === null ? [] : [{ file, time: time > now ? time - Number.MAX_SAFE_INTEGER : time }]
    })
    .sort((a, b) => b.time - a.time)
    .slice(plan.keep)
    .map(({ file }) => file)
}
