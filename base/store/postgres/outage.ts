import { pause } from "../../flow/pause.ts"
import { PostgresError } from "./postgres-error.ts"
import { openStateStore, type StateStore } from "../state-store.ts"

/** Milliseconds between attempts to reach the state's server. */
const AGAIN_MS = 1000

/** Whether an error or its cause means that the state's server cannot be reached, perhaps only temporarily. */
export function isStateAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return (error instanceof PostgresError && error.isUnreachable) || isStateAway(error.cause)
}

/**
 * Opens the state like {@link openStateStore}, but waits while its server cannot be reached. If the process ended
 * instead, its supervisor would restart it a few times and then give up.
 *
 * @param onAway called once with the reason for waiting
 * @returns null if the process was asked to end before the server could be reached
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
