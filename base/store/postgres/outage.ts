import { pause } from "../../flow/pause.ts"
import { PostgresError } from "./postgres-error.ts"
import { openStateStore, type StateStore } from "../state-store.ts"

/** Between two tries to reach the server of the state. */
const AGAIN_MS = 1000

/** Whether something failed because the server of the state cannot be reached, by itself or its cause. It may pass. */
export function isStateAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return (error instanceof PostgresError && error.isUnreachable) || isStateAway(error.cause)
}

/**
 * Opens the state as {@link openStateStore} does, and where its server cannot be reached waits until it can: a process that ended instead
 * would be started again and again, and given up in the end.
 *
 * @param onAway told once why it waits
 * @returns null when the process was told to end before that
 */
export async function openStateOnceThere(
  dataDir: string,
  signal: AbortSignal,
  onAway: (why: string) => void,
): Promise<StateStore | null> {
  for (let isTold = false; ; isTold = true) {
    try {
      return await openStateStore(dataDir)
    } catch (error) {
      if (!isStateAway(error)) throw error
      if (!isTold) onAway(`${(error as Error).message} Waiting for it.`)
    }
    await pause(AGAIN_MS, signal)
    if (signal.aborted) return null
  }
}
