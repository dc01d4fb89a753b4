import { readdir, rm } from "node:fs/promises"
import path from "node:path"

import { type BackupPlan, filesBeyond } from "../../../backup-plan.ts"

export interface DeleteOptions {
  readonly plan: BackupPlan
  /** Whether backups beyond the plan's number may be deleted; this is false for a while after the clock was changed. */
  readonly mayDelete: boolean
  readonly now?: Date
}

export interface Deleted {
  /** Names of the deleted files. */
  readonly deleted: readonly string[]
  /** Why older files are kept; `null` if they aren't. */
  readonly note: string | null
}

/** Deletes the oldest backups beyond the plan's number; never the one that was just made, whatever its date. */
export async function deleteOldest(
  { plan, mayDelete, now = new Date() }: DeleteOptions,
  made: string,
): Promise<Deleted> {
  if (!mayDelete)
    return { deleted: [], note: "the clock was changed: older backups are kept until the next one" }
  const entries = await readdir(plan.folder, { withFileTypes: true })
  const others = entries.filter((entry) => entry.isFile() && entry.name !== made).map(({ name }) => name)
  const deleted: string[] = []
  try {
    for (const name of filesBeyond({ ...plan, keep: plan.keep - 1 }, others, now.getTime())) {
      await rm(path.join(plan.folder, name))
      deleted.push(name)
    }
  } catch (error) {
    return { deleted, note: `an older backup could not be deleted: ${(error as Error).message}` }
  }
  return { deleted, note: null }
}
