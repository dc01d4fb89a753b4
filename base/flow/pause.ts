import { setTimeout as sleep } from "node:timers/promises"

/** Waits; ends at once, and without an error, when the signal is aborted. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  await sleep(ms, undefined, signal && { signal }).catch(() => undefined)
}
