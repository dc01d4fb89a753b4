import { setInterval } from "node:timers"

import type { WriteQueue } from "../../identity/accounts/billing/write-queue.ts"
import { type History, STEP_MS } from "./history.ts"

/** Keeps a sample at the end of each step, until it is disposed of. */
export function keepHistory(
  history: History,
  {
    writes,
    onProblem,
    everyMs = STEP_MS,
  }: {
    readonly writes: Pick<WriteQueue, "run">
    /** Called when a sample could not be stored. */
    readonly onProblem: (error: unknown) => void
    readonly everyMs?: number
  },
): Disposable {
  let isOver = false
  const timer = setInterval(() => {
    history
      .keep((work) => writes.run(work))
      .catch((error: unknown) => {
        // The connection might have been closed in the meantime.
        if (!isOver) onProblem(error)
      })
  }, everyMs)
  timer.unref()
  return {
    [Symbol.dispose]() {
      isOver = true
      clearInterval(timer)
    },
  }
}
