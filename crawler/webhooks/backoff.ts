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

/** A delivery that could not be made by then is given up. No pause is longer. */
export const GIVE_UP_MS = 24 * HOUR

/**
 * - `waiting`: to be sent, or to be sent again.
 * - `delivered`: the receiver took it.
 * - `given-up`: not taken for a day, or refused for good.
 */
export type DeliveryState = "waiting" | "delivered" | "given-up"

/** How an attempt ended. `final`: there is no use in trying again. `retryAfterMs`: the pause that the receiver asks for. */
export type AttemptEnd =
  | { readonly error: null }
  | { readonly error: string; readonly final: boolean; readonly retryAfterMs?: number | null }

/** How a delivery stands after an attempt; times in milliseconds since 1970. */
export interface Attempted {
  readonly state: DeliveryState
  readonly attempts: number
  /** When it is tried again; null: it is over. */
  readonly dueAt: number | null
  readonly firstDueAt: number
}

/** @param row of the delivery, before the attempt: `attempts` and `first_due_at` */
export function afterAttempt(
  row: Readonly<Record<string, unknown>>,
  ended: AttemptEnd,
  now: number,
): Attempted {
  const attempts = Number(row["attempts"]) + 1
  // First due while the clock was ahead: its day begins now.
  const firstDueAt = Math.min(Number(row["first_due_at"]), now)
  if (ended.error === null) return { state: "delivered", attempts, dueAt: null, firstDueAt }
  const dueAt = ended.final ? null : nextAttempt(attempts, firstDueAt, now, ended.retryAfterMs ?? null)
  return { state: dueAt === null ? "given-up" : "waiting", attempts, dueAt, firstDueAt }
}

/**
 * SQL: whether the time of a delivery has come, by its column `due_at`. What is due later than any pause was put off while the
 * clock was ahead.
 * @param now a parameter of the statement
 */
export const hasComeSql = (now: string): string =>
  `(due_at <= ${now} or due_at > cast(${now} as integer) + ${GIVE_UP_MS})`

/**
 * When to try again, in milliseconds since 1970; null when it is time to give up. The last attempt is made when the
 * time is over, not a pause before.
 *
 * @param attempts made so far, at least 1
 * @param since when the delivery was first due
 * @param retryAfterMs what the receiver asked for; a longer pause of ours wins
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
