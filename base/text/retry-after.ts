/**
 * How long a Retry-After header (RFC 9110 §10.2.3: seconds or a date) asks to stay away, in milliseconds; null when there is none,
 * or none that can be read.
 *
 * @param now by the wall clock, in milliseconds
 */
export function waitAskedFor(header: string | undefined, now: number): number | null {
  const value = header?.trim() ?? ""
  const wait = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - now
  return Number.isNaN(wait) ? null : Math.max(0, wait)
}
