/** How dates begin: as defined in RFC 9110 §5.6.7, or as some programs write them instead (ISO 8601). */
const DATE = /^(?:[a-z]{3,9},? |\d{4}-)/i

/**
 * How long a Retry-After header (RFC 9110 §10.2.3: seconds or a date) asks clients to wait, in milliseconds; null if
 * there is none, or it cannot be read.
 *
 * @param now the time by the wall clock, in milliseconds
 */
export function waitAskedFor(header: string | undefined, now: number): number | null {
  const value = header?.trim() ?? ""
  if (/^\d+$/.test(value)) return Number(value) * 1000
  // Date.parse() even finds a date in "in 7".
  const wait = DATE.test(value) ? Date.parse(value) - now : Number.NaN
  return Number.isNaN(wait) ? null : Math.max(0, wait)
}
