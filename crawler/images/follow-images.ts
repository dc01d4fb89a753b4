import { setTimeout as sleep } from "node:timers/promises"
import type { Logger } from "pino"
import type { DiskRoom } from "#base/disk-space.ts"
import { WorkerProcess } from "#base/process/worker-process.ts"
import type { Jobs } from "../jobs/jobs.ts"
import type { ImageStore } from "./image-store.ts"
import { moduleBeside } from "#base/process/module-beside.ts"
import { pause } from "#base/flow/pause.ts"
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
 * Has images looked at, in a process of its own, whenever there are any and no crawl waits or runs: pages go first,
 * and a host never has both at its door. Ends with the signal.
 */
export async function followImages({ store, jobs, room, log, signal }: FollowImagesOptions): Promise<void> {
  let failures = 0
  store.remakeLost()
  /** While the state is away nobody knows what a crawl does. */
  const isBusy = () => unlessAway(() => !jobs.isIdle(), true) || room.isLow()
  while (!signal.aborted) {
    if (isBusy() || !unlessAway(() => store.hasWork(), false)) {
      await pause(POLL_MS, signal)
      continue
    }
    const child = new WorkerProcess(PROGRAM)
    const code = await untilBusy(child, isBusy, signal)
    failures = code === 0 ? 0 : failures + 1
    if (failures === 0 || signal.aborted) continue
    const ms = Math.min(PAUSE_MS * 2 ** (failures - 1), MAX_PAUSE_MS)
    log.error({ code, ms }, "the image process failed and is started again in {ms} ms")
    await pause(ms, signal)
  }
}

function unlessAway(look: () => boolean, otherwise: boolean): boolean {
  try {
    return look()
  } catch (error) {
    if (!isStateAway(error)) throw error
    return otherwise
  }
}

async function untilBusy(
  child: WorkerProcess,
  isBusy: () => boolean,
  signal: AbortSignal,
): Promise<number | null> {
  const ended = child.exited.then(() => true)
  while (!(await Promise.race([ended, sleep(POLL_MS, false)]))) {
    if (!signal.aborted && !isBusy()) continue
    await child.stop()
    return 0
  }
  return await child.exited
}
