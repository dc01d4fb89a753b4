import { waitAskedFor } from "#base/text/retry-after.ts"

/**
 * How long to wait when a site asks us to wait but does not say how long. It equals the first pause for a host that
 * does not respond (FOSSICK_RETRY_DELAY_MS) and grows in the same way. When each wait was a minute, one such host
 * delayed a job by five minutes.
 */
const DEFAULT_WAIT_MS = 5000
/** The longest wait that is accepted. */
const MAX_WAIT_MS = 24 * 3_600_000

/** How long a site that is too busy wants to be left alone; `now` is wall-clock time. */
export const retryAfterMs = (header: string | undefined, now: number): number =>
  Math.min(waitAskedFor(header, now) ?? DEFAULT_WAIT_MS, MAX_WAIT_MS)
