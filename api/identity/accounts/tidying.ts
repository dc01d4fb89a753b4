import { setInterval } from "node:timers"

import type { TimeGuard } from "#base/store/clock/trusted-time.ts"

import type { WriteQueue } from "./billing/write-queue.ts"

const DAY_MS = 86_400_000
const TIDY_MS = 3_600_000
/** Maximum number of rows deleted in one transaction, because others want to write, too. */
const ROWS_AT_ONCE = 1000

/** Rows that are kept for some days. */
export interface KeptForDays {
  readonly days: number
  /** Deletes up to `count` rows from before `time`, within a write transaction. @returns how many were deleted */
  readonly prune: (time: number, count: number) => Promise<number>
}

/**
 * Deletes rows older than their retention period, now and every hour, until it is disposed of.
 * @param onProblem called with each failure; the next round tries again
 */
export function tidyHourly(
  parts: readonly KeptForDays[],
  {
    writes,
    guard,
    onProblem,
    everyMs = TIDY_MS,
  }: {
    readonly writes: WriteQueue
    readonly guard: Pick<TimeGuard, "mayDelete">
    readonly onProblem: (error: unknown) => void
    readonly everyMs?: number
  },
): Disposable {
  const closed = new AbortController()
  async function tidy(): Promise<void> {
    if (!(await guard.mayDelete())) return
    for (const { days, prune } of parts) {
      const before = Date.now() - days * DAY_MS
      let deleted = ROWS_AT_ONCE
      while (deleted === ROWS_AT_ONCE) {
        if (closed.signal.aborted) return
        deleted = await writes.run(() => prune(before, ROWS_AT_ONCE))
      }
    }
  }
  const tidyUp = () =>
    void tidy().catch((error: unknown) => {
      // The connection might have been closed in the meantime.
      if (!closed.signal.aborted) onProblem(error)
    })
  tidyUp()
  const timer = setInterval(tidyUp, everyMs)
  timer.unref()
  return {
    [Symbol.dispose]() {
      clearInterval(timer)
      closed.abort()
    },
  }
}
