import type { Logger } from "pino"
import { moduleBeside } from "#base/process/module-beside.ts"
import { EXIT_LOCKED, EXIT_NO_ROOM, WorkerProcess } from "#base/process/worker-process.ts"
import type { BackupTable } from "./backup-table.ts"
import { pause } from "#base/flow/pause.ts"
import { isStateAway } from "#base/store/postgres/outage.ts"

const PROGRAM = moduleBeside(import.meta.url, "./backup-worker")
const POLL_MS = 1000
const PAUSE_MS = 5000
const MAX_PAUSE_MS = 300_000

export interface FollowBackupsOptions {
  readonly backups: BackupTable
  /** Whether the clock can be trusted to say what is old. */
  readonly mayDelete: () => boolean
  readonly log: Logger
  readonly signal: AbortSignal
}

/** Has the backups that were asked for made, in a process of its own, beside the crawls. Ends with the signal. */
export async function followBackups({
  backups,
  mayDelete,
  log,
  signal,
}: FollowBackupsOptions): Promise<void> {
  let failures = 0
  while (!signal.aborted) {
    if (!hasWork(backups, log)) {
      await pause(POLL_MS, signal)
      continue
    }
    const child = new WorkerProcess(PROGRAM, mayDelete() ? [] : ["keep-all"])
    const stop = () => void child.stop()
    signal.addEventListener("abort", stop, { once: true })
    const code = await child.exited
    signal.removeEventListener("abort", stop)
    failures = code === 0 || code === EXIT_LOCKED ? 0 : failures + 1
    if (signal.aborted || code === 0) continue
    const ms = Math.min(PAUSE_MS * 2 ** Math.max(0, failures - 1), MAX_PAUSE_MS)
    if (code !== EXIT_LOCKED && code !== EXIT_NO_ROOM)
      log.error({ code, ms }, "the backup process failed and is started again")
    await pause(ms, signal)
  }
}

/** A store that cannot be read now is looked at again. */
function hasWork(backups: BackupTable, log: Logger): boolean {
  try {
    return backups.hasWork()
  } catch (error) {
    // Of a state that is away the process tells.
    if (!isStateAway(error)) log.warn({ err: error }, "the backups are looked at again")
    return false
  }
}
