import { Cron } from "croner"
import type { Schedule } from "../source.ts"

const HOUR_MS = 3_600_000

/** @throws Error saying what is expected, also for a line that never comes true. */
export function assertCron(line: string): void {
  let next: Date | null = null
  try {
    if (line.trim().split(/\s+/).length !== 5) throw new Error("five fields are wanted")
    next = cronOf(line, "UTC").nextRun()
  } catch (error) {
    const reason = (error as Error).message.replace(/^Cron\w*: /, "")
    throw new Error(`must be five fields such as "15 3 * * *" (${reason})`, { cause: error })
  }
  if (next === null) throw new Error("never comes true")
}

/** @throws Error saying what is expected. */
export function assertTimeZone(name: string): void {
  try {
    Intl.DateTimeFormat("en", { timeZone: name })
  } catch (error) {
    throw new Error(
      `must be the name of a time zone, such as Europe/Paris; ${JSON.stringify(name)} is none`,
      {
        cause: error,
      },
    )
  }
}

/**
 * The first `count` times after `after` at which a schedule has a run, as milliseconds since 1970, without jitter.
 * Across a change of the clocks, a cron time that is left out comes at the next that there is, and one that comes
 * twice counts once; lines with `*` in their hours or minutes go by what has passed.
 * `last`: when the last run was; null: never, and then `everyHours` is due at once.
 */
export function nextTimes(schedule: Schedule, count: number, after: number, last: number | null): number[] {
  const { cron, everyHours, timeZone } = schedule
  if (cron !== null) {
    return cronOf(cron, timeZone)
      .nextRuns(count, new Date(after))
      .map((date) => date.getTime())
  }
  if (everyHours === null) return []
  const step = everyHours * HOUR_MS
  const first = last === null ? after : Math.max(last + step, after)
  return Array.from({ length: count }, (_, index) => first + index * step)
}

/** Without a function to call it sets no timer. */
function cronOf(line: string, timezone: string): Cron {
  return new Cron(line, { timezone, mode: "5-part", paused: true })
}
