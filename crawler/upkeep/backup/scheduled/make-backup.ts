import { existsSync } from "node:fs"
import { readdir, rm } from "node:fs/promises"
import path from "node:path"
import type { Engine } from "#engine"
import { fileProblem } from "#engine/lifecycle/move/file-problem.ts"
import type { FreeSpace } from "#base/free-space.ts"
import { UnwritableError, unwritableOr, DiskRoom } from "#base/disk-space.ts"
import { KnownError } from "#base/errors.ts"
import { CommandError } from "#base/run-command.ts"
import type { StateStore } from "#base/store/state-store.ts"
import { partOf, writeBackupFile } from "../backup-file.ts"
import { verifyBackup } from "../read-backup.ts"
import { writeBackup } from "../write-backup.ts"
import { missingFolder } from "./backup-folder.ts"
import { backupFileName, type BackupPlan, timeOfFile } from "../../../backup-plan.ts"
import { type Deleted, type DeleteOptions, deleteOldest } from "./delete-oldest.ts"

export interface MakeBackupOptions extends DeleteOptions {
  readonly dataDir: string
  readonly db: StateStore
  /** The engine, open for reading. */
  readonly engine: Engine
  /** Megabytes that must stay free on the folder's disk. */
  readonly minFreeMb: FreeSpace
  readonly signal: AbortSignal
  /** Free bytes in the folder. Default: as reported by the system. */
  readonly freeBytes?: () => number
}

/** A complete backup; later steps may have failed. */
export interface MadeBackup extends Deleted {
  readonly file: string
  readonly bytes: number
  readonly pages: number
}

/**
 * Makes one backup for a plan: writes it, reads all of it back, gives it its name, and deletes the oldest backups
 * beyond the plan's number. Only one process may do so at a time.
 * @throws KnownError that says what the operator can do, or the signal's reason
 */
export async function makeBackup(options: MakeBackupOptions): Promise<MadeBackup> {
  const { plan, signal } = options
  const { folder } = plan
  const missing = missingFolder(plan)
  if (missing !== null) throw new CommandError(`${missing}.`)
  const file = freeName(plan, options.now ?? new Date())
  try {
    await sweepParts(plan)
    const { bytes, pages } = await writeChecked(file, options)
    return { file, bytes, pages, ...(await deleteOldest(options, path.basename(file))) }
  } catch (error) {
    if (signal.aborted) throw signal.reason
    throw error instanceof KnownError ? error : fileProblem(unwritableOr(error, folder), file)
  }
}

async function writeChecked(
  file: string,
  { plan, dataDir, db, engine, minFreeMb, signal, freeBytes }: MakeBackupOptions,
): Promise<{ bytes: number; pages: number }> {
  const { folder } = plan
  const room = new DiskRoom(folder, minFreeMb, { free: freeBytes })
  using told = room.untilLow(signal)
  try {
    told.signal.throwIfAborted()
    const backup = writeBackup({ dataDir, db, engine, scratchDir: folder, signal: told.signal })
    let pages = 0
    const bytes = await writeBackupFile(backup, file, async (part) => {
      pages = (await verifyBackup(part)).exportedPages
      signal.throwIfAborted()
    })
    return { bytes, pages }
  } catch (error) {
    if (!told.signal.aborted || signal.aborted) throw error
    throw new UnwritableError(
      `There is too little disk space for a backup: ${Math.floor(room.freeBytes / 1e6)} MB left for ${folder}, and FOSSICK_MIN_FREE_MB keeps ${Math.floor(room.leastBytes / 1e6)} MB free. Free some space, or keep fewer backups; existing backups are safe.`,
      { cause: error },
    )
  }
}

/** The name of a backup that starts now, or a second later for each file that already has the name. */
function freeName(plan: BackupPlan, now: Date): string {
  for (let time = now.getTime(); ; time += 1000) {
    const file = path.join(plan.folder, backupFileName(plan, new Date(time)))
    if (!existsSync(file)) return file
  }
}

/** Deletes files left behind by killed backups of this plan. */
async function sweepParts(plan: BackupPlan): Promise<void> {
  const suffix = partOf("")
  for (const name of await readdir(plan.folder)) {
    if (!name.endsWith(suffix) || timeOfFile(plan, name.slice(0, -suffix.length)) === null) continue
    await rm(path.join(plan.folder, name), { force: true })
  }
}
