import type { Logger } from "pino"
import type { DiskRoom } from "#base/disk-space.ts"
import { pause } from "#base/flow/pause.ts"
import { moduleBeside } from "#base/process/module-beside.ts"
import { WorkerProcess } from "#base/process/worker-process.ts"
import { isStateAway } from "#base/store/postgres/outage.ts"
import { repeatWorker } from "#base/work/repeat-worker.ts"
import { findRecognition, recognitionFolder } from "../../page/scans/installed.ts"
import { ScanShelf } from "../../page/scans/scan-shelf.ts"

const PROGRAM = moduleBeside(import.meta.url, "./scan-worker")
const POLL_MS = 2000
const PAUSE_MS = 5000
const MAX_PAUSE_MS = 300_000
/** Minimum time between a source's runs while more scans are waiting: each run makes more requests to its site than just the scanned pages. */
const RUN_MS = 1_800_000

export interface FollowScansOptions {
  readonly dataDir: string
  /** Starts a run of a source that visits its due pages. @returns false when it can't run now */
  readonly run: (source: string) => Promise<boolean>
  readonly room: DiskRoom
  readonly log: Logger
  readonly signal: AbortSignal
}

/**
 * Starts a process that recognises the text of waiting scans, and then starts runs of their sources. Crawls continue in
 * the meantime, since that process sends no requests and yields its processor to others. Ends when the signal aborts.
 */
export async function followScans({ dataDir, run, room, log, signal }: FollowScansOptions): Promise<void> {
  const shelf = new ScanShelf(dataDir)
  const hasWaiting = () => shelf.allWaiting().length > 0
  const reading = repeatWorker({
    start: async () => new WorkerProcess(PROGRAM),
    // Text recognition can be installed at any time.
    hasWork: async () =>
      hasWaiting() && !room.isLow() && findRecognition(recognitionFolder(dataDir)) !== null,
    isBusy: async () => room.isLow(),
    called: "the process that reads scans",
    pollMs: POLL_MS,
    pauseMs: PAUSE_MS,
    maxPauseMs: MAX_PAUSE_MS,
    log,
    signal,
  })
  while (!signal.aborted) {
    for (const { source, since } of shelf.askedRuns()) {
      if (hasWaiting() && Date.now() - since < RUN_MS) continue
      if (await ranOrLater(source, run)) shelf.ran(source)
    }
    await pause(POLL_MS, signal)
  }
  await reading
}

async function ranOrLater(source: string, run: FollowScansOptions["run"]): Promise<boolean> {
  try {
    return await run(source)
  } catch (error) {
    if (!isStateAway(error)) throw error
    return false
  }
}
