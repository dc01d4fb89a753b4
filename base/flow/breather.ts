import { setImmediate } from "node:timers/promises"

/** Maximum number of milliseconds to hold the event loop. */
const HOLD_MS = 12

/**
 * For work in many small steps whose number others control: awaited between the steps, it lets other work run if the
 * event loop was held for a while, and costs next to nothing otherwise.
 */
export function breather(): () => Promise<void> {
  let since = performance.now()
  return async () => {
    if (performance.now() - since < HOLD_MS) return
    await setImmediate()
    since = performance.now()
  }
}
