const EARLIEST = Date.UTC(1990, 0, 1)
const DAY_MS = 86_400_000
const MOST_CHARS = 100

/** An ISO 8601 date, optionally with a time and time zone (W3C datetime, RFC 3339), or a time zone by name as in RFC 822. */
const ISO =
  /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d:\d\d(?::\d\d)?(?:\.\d+)?)\s*(?:(Z|[+-]\d\d:?\d\d)|(GMT|UTC|[ECMP][DS]T))?)?/i
/** A year; mail from before 2000 wrote it with two digits (RFC 822). Without a year, the parser assumes 2001. */
const YEAR = /\d{4}|\d[ -][a-z]+[ -]\d\d /i
const ZONE = /(?:Z|GMT|UTC|[ECMP][DS]T|[+-]\d\d:?\d\d)\s*(?:\([^)]*\))?$/i

/**
 * A date as pages, feeds and sitemaps write it, in ISO 8601, RFC 822 or English words, in milliseconds since 1970; text
 * without a zone counts as UTC, so that the machine's zone does not matter. `null` if it is not a date, begins with an
 * ISO 8601 day that does not exist (one in words overflows into the next month, as in JavaScript), or is implausible:
 * before the web, or more than a day ahead.
 */
export function writtenDate(written: string): number | null {
  const text = written.trim()
  if (text.length > MOST_CHARS || !YEAR.test(text)) return null
  const time = timeOf(text)
  return time >= EARLIEST && time <= Date.now() + DAY_MS ? time : null
}

function timeOf(text: string): number {
  const iso = ISO.exec(text)
  if (iso === null) return Date.parse(ZONE.test(text) ? text : `${text} UTC`)
  const [, year, month, day, clock = "00:00", zone = "Z", named] = iso
  // The parser reads 30 February as 1 March.
  if (Number(day) > new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate()) return Number.NaN
  // ISO 8601 has no named zones; the parser accepts them after a blank.
  return Date.parse(
    `${year}-${month}-${day}${named === undefined ? `T${clock}${zone}` : ` ${clock} ${named}`}`,
  )
}
