import path from "node:path"
import { repeat } from "#base/flow/repeat.ts"
import { makeFolder } from "#base/folder.ts"
import type { Logger } from "pino"
import type { Engine } from "#engine"
import type { FreeSpace } from "#base/free-space.ts"
import { KnownError } from "#base/errors.ts"
import { tryLock } from "#base/store/file-lock.ts"
import type { StateStore } from "#base/store/state-store.ts"
import { steadyNow } from "#base/steady-time.ts"
import { BEAT_MS } from "../../../job.ts"
import type { BackupRun, BackupTable } from "./backup-table.ts"
import { makeBackup } from "./make-backup.ts"

export interface RunBackupsOptions {
  readonly backups: BackupTable
  readonly db: StateStore
  readonly dataDir: string
  readonly minFreeMb: FreeSpace
  /** Opens the index for reading; called for each run. */
  readonly openEngine: () => Promise<Engine>
  readonly mayDelete: boolean
  readonly log: Pick<Logger, "info" | "warn" | "error">
  readonly signal: AbortSignal
}

/**
 * Makes the requested backups, one after the other, in this process. A backup that is stopped, or whose process is
 * lost, is started again by the next process.
 * @returns false when another process is making backups
 */
export async function runBackups(options: RunBackupsOptions): Promise<boolean> {
  const { backups, dataDir, log, signal } = options
  const folder = path.join(dataDir, "locks")
  makeFolder(folder)
  using lock = tryLock(path.join(folder, "backup.lock"))
  if (lock === null) return false
  for (const { id, error } of await backups.recover()) log.error({ run: id }, `the backup failed: ${error}`)
  for (let run = await backups.start(); run !== null && !signal.aborted; run = await backups.start()) {
    await runOne(run, options)
  }
  return true
}

async function runOne({ id, trigger }: BackupRun, options: RunBackupsOptions): Promise<void> {
  const { backups, log, signal, openEngine } = options
  const plan = (await backups.plan())?.plan
  if (plan === undefined) {
    await backups.fail(id, "it is no longer declared")
    return
  }
  const startedAt = steadyNow()
  await using _ = keepAlive(id, options)
  try {
    await using engine = await openEngine()
    const { deleted, note, ...made } = await makeBackup({ ...options, plan, engine })
    await backups.finish(id, { ...made, note })
    const seconds = Math.round((steadyNow() - startedAt) / 1000)
    log.info(
      { backup: plan.name, run: id, ...made, deleted: deleted.length, seconds },
      "backup {backup} finished: {seconds} s",
    )
    if (note !== null) log.warn({ backup: plan.name, run: id }, note)
  } catch (error) {
    if (signal.aborted) {
      // The user who started the backup with a command has stopped it.
      if (trigger === "command") await backups.fail(id, "it was stopped before it finished")
      else await backups.requeue(id)
      return
    }
    await backups.fail(id, (error as Error).message)
    const known = error instanceof KnownError ? {} : { err: error }
    log.error({ backup: plan.name, run: id, ...known }, `backup {backup} failed: ${(error as Error).message}`)
  }
}

/** Keeps recording that a run is alive, until disposed of. */
const keepAlive = (id: number, { backups, log }: RunBackupsOptions): AsyncDisposable =>
  repeat(
    () =>
      backups
        .beat(id)
        .catch((err: unknown) => log.warn({ err }, "a backup could not report that it is still running")),
    BEAT_MS,
  )
