const WHOLE = new Intl.NumberFormat(undefined)
const SHARE = new Intl.NumberFormat(undefined, { style: "percent", maximumFractionDigits: 0 })
const RATE = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 })
const HUNDREDTHS = new Intl.NumberFormat(undefined, { minimumFractionDigits: 2, maximumFractionDigits: 2 })
const CLOCK = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" })
const TIME = new Intl.DateTimeFormat(undefined, { timeStyle: "medium" })
const SOON = new Intl.RelativeTimeFormat(undefined, { numeric: "auto" })

/** `12,345`. */
export const whole = (count: number): string => WHOLE.format(count)

/** `1 page`, `12 pages`. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${WHOLE.format(count)} ${count === 1 ? one : many}`

/** `98%`; never 100% for an incomplete amount, and never 0% for more than nothing. */
export function share(part: number, of: number): string {
  if (of === 0) return SHARE.format(1)
  const exact = part / of
  if (part < of && exact > 0.99) return SHARE.format(0.99)
  if (part > 0 && exact < 0.01) return SHARE.format(0.01)
  return SHARE.format(exact)
}

export const rate = (perSecond: number): string => RATE.format(perSecond)

/** `0.71`. */
export const hundredths = (value: number): string => HUNDREDTHS.format(value)

/** `11 Mar 2025, 17:00`. */
export const atTime = (date: string): string => CLOCK.format(new Date(date))

/** `17:00:12`. */
export const onClock = (date: string): string => TIME.format(new Date(date))

const UNITS = [
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
] as const

/** `in 3 hours`; `now` if the time has come. */
export function until(date: string, now = Date.now()): string {
  const seconds = (new Date(date).getTime() - now) / 1000
  if (seconds < 1) return "now"
  for (const [unit, length] of UNITS) {
    if (seconds >= length) return SOON.format(Math.round(seconds / length), unit)
  }
  return SOON.format(Math.round(seconds), "second")
}

/** `2 h 5 min`, `3 min 12 s`, `8 s`: two units at most. */
export function lasting(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds))
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60), whole % 60]
  if (hours >= 48) return `${Math.round(hours / 24)} days`
  if (hours > 0) return minutes > 0 ? `${hours} h ${minutes} min` : `${hours} h`
  if (minutes > 0) return rest > 0 && minutes < 10 ? `${minutes} min ${rest} s` : `${minutes} min`
  return `${rest} s`
}

/** `04:52`, as a countdown; with hours if needed. */
export function countdown(seconds: number): string {
  const whole = Math.max(0, Math.ceil(seconds))
  const two = (part: number) => String(part).padStart(2, "0")
  const hours = Math.floor(whole / 3600)
  const rest = `${two(Math.floor((whole % 3600) / 60))}:${two(whole % 60)}`
  return hours > 0 ? `${hours}:${rest}` : rest
}

const BYTES = ["B", "kB", "MB", "GB", "TB"] as const

/** `12.3 GB`, where a GB is 1,000,000,000 bytes. */
export function size(bytes: number): string {
  const step = Math.min(BYTES.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, bytes)) / 3)))
  return `${RATE.format(bytes / 1000 ** step)} ${BYTES[step]}`
}

/** The web address in a text, with `https` if the text names no scheme; null if the text isn't a web address. */
export function addressIn(text: string): string | null {
  const given = text.trim()
  if (given === "") return null
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(given) ? given : `https://${given}`)
  return url !== null && /^https?:$/.test(url.protocol) ? url.href : null
}

/** The lines of a text, without empty ones. */
export const linesOf = (text: string): string[] =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
