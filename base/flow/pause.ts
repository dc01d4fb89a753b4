import { setTimeout as sleep } from "node:timers/promises"

/** Waits; if the signal is aborted, returns at once and without an error. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  await sleep(ms, undefined, signal && { signal }).catch(() => undefined)
}
