import type { PlainLog } from "#base/telemetry/log/plain-log.ts"

/** Milliseconds between checks: short enough that a changed clock is noticed within the hour; Node would also shorten very long timers to a millisecond. */
const LOOK_MS = 3_600_000

/** Logs the beginning of each day, because log lines contain only the time. Doesn't keep the process alive. */
export function tellDays(say: PlainLog, now: () => Date = () => new Date()): void {
  let told = dayOf(now())
  const next = () => {
    const date = now()
    const midnight = new Date(date.getFullYear(), date.getMonth(), date.getDate() + 1)
    setTimeout(look, Math.min(LOOK_MS, midnight.getTime() - date.getTime())).unref()
  }
  const look = () => {
    const day = dayOf(now())
    if (day !== told) say("info", "it is {day}", { day })
    told = day
    next()
  }
  next()
}

const dayOf = (date: Date): string =>
  [date.getFullYear(), date.getMonth() + 1, date.getDate()]
    .map((part) => String(part).padStart(2, "0"))
    .join("-")
