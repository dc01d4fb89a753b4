import type { Logger } from "pino"
import type { DiskRoom } from "#base/disk-space.ts"
import { WorkerProcess } from "#base/process/worker-process.ts"
import type { Jobs } from "../../jobs/jobs.ts"
import type { ImageStore } from "./image-store.ts"
import { moduleBeside } from "#base/process/module-beside.ts"
import { repeatWorker } from "#base/work/repeat-worker.ts"
import { isStateAway } from "#base/store/postgres/outage.ts"

const PROGRAM = moduleBeside(import.meta.url, "./image-worker")
const POLL_MS = 500
const PAUSE_MS = 5000
const MAX_PAUSE_MS = 300_000

export interface FollowImagesOptions {
  readonly store: ImageStore
  readonly jobs: Jobs
  readonly room: DiskRoom
  readonly log: Logger
  readonly signal: AbortSignal
}

/**
 * Examines images in a separate process whenever there are any and no crawl is queued or running: pages take
 * precedence, and a host is never visited for both at once. Ends when the signal is aborted.
 */
export async function followImages({ store, jobs, room, log, signal }: FollowImagesOptions): Promise<void> {
  await store.remakeLost()
  /** While the state is unreachable, a crawl might be running, so this counts as busy. */
  const isBusy = async () => (await unlessAway(async () => !(await jobs.isIdle()), true)) || room.isLow()
  await repeatWorker({
    start: async () => new WorkerProcess(PROGRAM),
    hasWork: async () => !(await isBusy()) && (await unlessAway(() => store.hasWork(), false)),
    isBusy,
    called: "the image process",
    pollMs: POLL_MS,
    pauseMs: PAUSE_MS,
    maxPauseMs: MAX_PAUSE_MS,
    log,
    signal,
  })
}

async function unlessAway(look: () => Promise<boolean>, otherwise: boolean): Promise<boolean> {
  try {
    return await look()
  } catch (error) {
    if (!isStateAway(error)) throw error
    return otherwise
  }
}
