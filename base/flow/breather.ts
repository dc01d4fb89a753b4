import { setImmediate } from "node:timers/promises"

/** Milliseconds for which the event loop may be held. */
const HOLD_MS = 12

/**
 * For work in many small steps whose number strangers decide: awaited between the steps, it lets others have
 * their turn whenever the loop was held for a while, and costs next to nothing otherwise.
 */
export function breather(): () => Promise<void> {
  let since = performance.now()
  return async () => {
    if (performance.now() - since < HOLD_MS) return
    await setImmediate()
    since = performance.now()
  }
}
