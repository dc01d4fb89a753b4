import type { Logger } from "pino"
import { moduleBeside } from "#base/process/module-beside.ts"
import { EXIT_LOCKED, WorkerProcess } from "#base/process/worker-process.ts"
import type { BackupTable } from "./backup-table.ts"
import { repeatWorker } from "#base/work/repeat-worker.ts"
import { isStateAway } from "#base/store/postgres/outage.ts"

const PROGRAM = moduleBeside(import.meta.url, "./backup-worker")
const POLL_MS = 1000
const PAUSE_MS = 5000
const MAX_PAUSE_MS = 300_000

export interface FollowBackupsOptions {
  readonly backups: BackupTable
  /** Whether the clock can be trusted when deciding which backups are old. */
  readonly mayDelete: () => Promise<boolean>
  readonly log: Logger
  readonly signal: AbortSignal
}

/** Starts a separate process for requested backups, alongside the crawls, until the signal is aborted. */
export async function followBackups({
  backups,
  mayDelete,
  log,
  signal,
}: FollowBackupsOptions): Promise<void> {
  await repeatWorker({
    start: async () => new WorkerProcess(PROGRAM, (await mayDelete()) ? [] : ["keep-all"]),
    hasWork: () => hasWork(backups, log),
    isFailure: (code) => code !== EXIT_LOCKED,
    called: "the backup process",
    pollMs: POLL_MS,
    pauseMs: PAUSE_MS,
    maxPauseMs: MAX_PAUSE_MS,
    log,
    signal,
  })
}

/** Whether there is work. If the store can't be read now, it is checked again later. */
async function hasWork(backups: BackupTable, log: Logger): Promise<boolean> {
  try {
    return await backups.hasWork()
  } catch (error) {
    // The process reports an unreachable state itself.
    if (!isStateAway(error)) log.warn({ err: error }, "the backups will be checked again")
    return false
  }
}
