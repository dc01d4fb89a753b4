import { writtenDate } from "#base/text/written-date.ts"
import { type DateWriting, writtenDays } from "./written-days.ts"

/** A date from structured data or an attribute. */
export interface StatedDate {
  /** Milliseconds since 1970. */
  readonly time: number
  /** The first moment, in UTC, of the day as written. */
  readonly day: number
  /** Whether the time is given in UTC, so that readers elsewhere might see the day before or after. */
  readonly isUtc: boolean
}

const DAY_MS = 86_400_000
const ISO_DAY = /^\s*(\d{4})-?(\d\d)-?(\d\d)(?!\d)/
const UTC = /\d:\d\d.*(?:Z|GMT|UTC|[+-]00:?00)\s*(?:\(.*)?$/i

/** Matches a month or a year alone. */
const PART = /^\s*\d{4}(?:[-/.]\d{1,2})?\s*$/

/** Whether a date in data includes the day. */
export const namesDay = (value: unknown): boolean => typeof value === "string" && !PART.test(value)

/** Reads a date from data or an attribute, in a standard format or as people write it. Null if it isn't a date. */
export function statedDate(value: unknown, writing: DateWriting): StatedDate | null {
  if (typeof value !== "string" || value.length > 100) return null
  const iso = ISO_DAY.exec(value)
  const written = iso === null ? writtenDays(value, writing)[0]?.time : undefined
  // The parser assumes the American order of numbers.
  if (iso === null && written === undefined && /\d[./-]\d{1,2}[./-]\d/.test(value)) return null
  const parsed = writtenDate(value)
  const day = iso === null ? written : Date.parse(`${iso[1]}-${iso[2]}-${iso[3]}`)
  if (parsed === null) return day === undefined || iso !== null ? null : { time: day, day, isUtc: false }
  const own = day ?? Math.floor(parsed / DAY_MS) * DAY_MS
  // If the time is far from the written day, it was misread.
  const time = Math.abs(parsed - own) <= 2 * DAY_MS ? parsed : own
  return { time, day: own, isUtc: UTC.test(value) }
}

export const isNextTo = (day: number, other: number): boolean => Math.abs(day - other) === DAY_MS
