import { monitorEventLoopDelay } from "node:perf_hooks"

// Loaded into a process with `node --import`; reports to its parent how long its event loop was held up.

const RESOLUTION_MS = 1

/** Delays since the last question, in milliseconds; sent to the parent. */
export interface LoopDelay {
  readonly kind: "loop-delay"
  readonly maxMs: number
  readonly p99Ms: number
}

const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
delay.enable()
process.on("message", (message) => {
  if (message !== "loop-delay") return
  process.send?.({
    kind: "loop-delay",
    maxMs: delay.max / 1e6,
    p99Ms: delay.percentile(99) / 1e6,
  } satisfies LoopDelay)
  delay.reset()
})
