import { waitAskedFor } from "#base/text/retry-after.ts"

/** Asked to wait without a date, and the longest wait believed. */
const DEFAULT_WAIT_MS = 60_000
const MAX_WAIT_MS = 24 * 3_600_000

/** How long a site that is too busy wants to be left alone; `now`: by the wall clock. */
export const retryAfterMs = (header: string | undefined, now: number): number =>
  Math.min(waitAskedFor(header, now) ?? DEFAULT_WAIT_MS, MAX_WAIT_MS)
