import { setImmediate } from "node:timers/promises"

/** Maximum number of milliseconds to block the event loop. */
const HOLD_MS = 12

/**
 * Returns a function for work in many small steps whose number others control. Awaited between the steps, the function
 * lets other work run if the event loop was blocked for a while, and costs next to nothing otherwise.
 */
export function breather(): () => Promise<void> {
  let since = performance.now()
  return async () => {
    if (performance.now() - since < HOLD_MS) return
    await setImmediate()
    since = performance.now()
  }
}
