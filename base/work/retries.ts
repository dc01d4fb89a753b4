const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** Pauses after the first, second, … failed attempt. */
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

/** A message that could not be sent within this time is abandoned. No pause is longer. */
export const GIVE_UP_MS = 24 * HOUR

/**
 * - `waiting`: to be sent, or to be sent again.
 * - `delivered`: the receiver accepted it.
 * - `given-up`: not accepted for a day, or refused for good.
 */
export type DeliveryState = "waiting" | "delivered" | "given-up"

/** The result of an attempt to send a message. `status`: status of the answer; null if there was no answer, or it has no status. */
export type Attempt =
  | { readonly error: null; readonly status: number | null }
  | {
      readonly error: string
      readonly status: number | null
      /** For the log: the part of the error that callers of the API must not see. Default: `error` contains everything. */
      readonly reason?: string
      /** Whether another attempt would end the same way. */
      readonly final: boolean
      /** The pause that the receiver requested. */
      readonly retryAfterMs?: number | null
    }

/** A message after an attempt; times in milliseconds since 1970. */
export interface Attempted {
  readonly state: DeliveryState
  readonly attempts: number
  /** When the next attempt is due; `null` if the message was delivered or abandoned. */
  readonly dueAt: number | null
  readonly firstDueAt: number
}

/** @param before the message's row as it was before the attempt */
export function afterAttempt(
  before: { readonly attempts: number; readonly first_due_at: number },
  ended: Attempt,
  now: number,
): Attempted {
  const attempts = before.attempts + 1
  // If the message first became due while the clock was ahead, its day begins now.
  const firstDueAt = Math.min(before.first_due_at, now)
  if (ended.error === null) return { state: "delivered", attempts, dueAt: null, firstDueAt }
  const dueAt = ended.final ? null : nextAttempt(attempts, firstDueAt, now, ended.retryAfterMs ?? null)
  return { state: dueAt === null ? "given-up" : "waiting", attempts, dueAt, firstDueAt }
}

/**
 * When to try again, in milliseconds since 1970; null if it is time to give up. The last attempt is made at the end of
 * the time limit, not one pause earlier.
 *
 * @param attempts attempts made so far, at least 1
 * @param since when the message was first due
 * @param retryAfterMs the pause that the receiver asked for; if our own pause is longer, it wins
 */
function nextAttempt(
  attempts: number,
  since: number,
  now: number,
  retryAfterMs: number | null,
): number | null {
  if (now - since >= GIVE_UP_MS) return null
  const pause = PAUSES[Math.min(attempts, PAUSES.length) - 1] ?? HOUR
  return Math.min(now + Math.max(pause, retryAfterMs ?? 0), since + GIVE_UP_MS)
}
