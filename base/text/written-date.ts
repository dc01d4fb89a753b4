const EARLIEST = Date.UTC(1990, 0, 1)
const DAY_MS = 86_400_000
const MOST_CHARS = 100

/** A day of ISO 8601, and perhaps the time with its zone (W3C datetime, RFC 3339), or one that RFC 822 names. */
const ISO =
  /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d:\d\d(?::\d\d)?(?:\.\d+)?)\s*(?:(Z|[+-]\d\d:?\d\d)|(GMT|UTC|[ECMP][DS]T))?)?/i
/** A year, which mail of before 2000 wrote in two digits (RFC 822). Without one a parser takes 2001. */
const YEAR = /\d{4}|\d[ -][a-z]+[ -]\d\d /i
const ZONE = /(?:Z|GMT|UTC|[ECMP][DS]T|[+-]\d\d:?\d\d)\s*(?:\([^)]*\))?$/i

/**
 * A date as pages, feeds and sitemaps write it, by ISO 8601, RFC 822 or in English words, in milliseconds since 1970; text without a zone
 * counts as UTC, so that the machine's zone changes nothing. Null when it is none, begins with an ISO 8601 day that there is not (one in words
 * is the day after so many, as JavaScript reads it), or cannot be meant: before the web, or more than a day ahead.
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
  // The parser takes 30 February for 1 March.
  if (Number(day) > new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate()) return Number.NaN
  // Zones by name are none of ISO 8601; the parser takes them with a blank.
  return Date.parse(
    `${year}-${month}-${day}${named === undefined ? `T${clock}${zone}` : ` ${clock} ${named}`}`,
  )
}
