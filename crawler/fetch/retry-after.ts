/** Asked to wait without a date, and the longest wait believed. */
const DEFAULT_WAIT_MS = 60_000
const MAX_WAIT_MS = 24 * 3_600_000

/** How long a Retry-After header (RFC 9110 §10.2.3: seconds or a date) asks to stay away; `now`: by the wall clock. */
export function retryAfterMs(header: string | undefined, now: number): number {
  const value = header?.trim() ?? ""
  const wait = /^\d+$/.test(value)
    ? Number(value) * 1000
    : value === ""
      ? DEFAULT_WAIT_MS
      : Date.parse(value) - now
  const sane = Number.isNaN(wait) ? DEFAULT_WAIT_MS : wait
  return Math.min(Math.max(sane, 0), MAX_WAIT_MS)
}
