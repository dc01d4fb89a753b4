const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** Pauses after the first, second, … attempt in vain. */
const PAUSES = [
  5 * SECOND,
  30 * SECOND,
  2 * MINUTE,
  10 * MINUTE,
  30 * MINUTE,
  HOUR,
  2 * HOUR,
  4 * HOUR,
  6 * HOUR,
  8 * HOUR,
]

/** A delivery that could not be made by then is given up. */
export const GIVE_UP_MS = 24 * HOUR

/**
 * When to try again, in milliseconds since 1970; null when it is time to give up. The last attempt is made when the
 * time is over, not a pause before.
 *
 * @param attempts made so far, at least 1
 * @param since when the delivery was first due
 * @param retryAfterMs what the receiver asked for; a longer pause of ours wins
 */
export function nextAttempt(
  attempts: number,
  since: number,
  now: number,
  retryAfterMs: number | null,
): number | null {
  if (now - since >= GIVE_UP_MS) return null
  const pause = PAUSES[Math.min(attempts, PAUSES.length) - 1] ?? HOUR
  return Math.min(now + Math.max(pause, retryAfterMs ?? 0), since + GIVE_UP_MS)
}
