const DAY = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" })
const AGO = new Intl.RelativeTimeFormat(undefined, { numeric: "auto" })

const UNITS = [
  ["year", 365 * 86_400_000],
  ["month", 30 * 86_400_000],
  ["week", 7 * 86_400_000],
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
] as const

/** `11 Mar 2025`, in the user's locale. */
export const onDay = (date: string): string => DAY.format(new Date(date))

/** `3 days ago`. */
export function since(date: string, now = Date.now()): string {
  const passed = now - new Date(date).getTime()
  for (const [unit, ms] of UNITS) if (passed >= ms) return AGO.format(-Math.floor(passed / ms), unit)
  return "just now"
}
