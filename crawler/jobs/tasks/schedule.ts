import { Cron } from "croner"

const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000

/** When a task runs. Either `cron` or `everyHours` is set. */
export interface Schedule {
  /** A cron line with five fields, `minute hour day month weekday`. */
  readonly cron: string | null
  /** Hours from the start of one run to the start of the next. */
  readonly everyHours: number | null
  /** The time zone that `cron` refers to: an IANA name, such as `Europe/Paris`. */
  readonly timeZone: string
  /** Maximum number of minutes by which a run is delayed, at random, so that tasks do not start together. */
  readonly jitterMinutes: number
}

/** A schedule as written, with short forms expanded; omitted parts have their defaults. */
export const defineSchedule = (spec: Partial<Schedule>): Schedule => ({
  cron: null,
  everyHours: null,
  timeZone: "UTC",
  jitterMinutes: 0,
  ...spec,
})

/** Errors in a schedule that validation against a schema cannot find: each wrong field (empty: the whole schedule), with the values that are expected. */
export function scheduleProblems(
  spec: Partial<Schedule>,
): { readonly path: readonly string[]; readonly message: string }[] {
  const { cron = null, everyHours = null, timeZone } = spec
  const problems: { path: string[]; message: string }[] = []
  const check = (field: string, test: () => void) => {
    try {
      test()
    } catch (error) {
      problems.push({ path: [field], message: (error as Error).message })
    }
  }
  if ((cron === null) === (everyHours === null)) {
    problems.push({ path: [], message: "must have either cron or everyHours" })
  }
  if (timeZone !== undefined) check("timeZone", () => assertTimeZone(timeZone))
  if (cron !== null) check("cron", () => assertCron(cron))
  return problems
}

/** @throws Error saying what is expected; also for a line that never matches any time */
export function assertCron(line: string): void {
  if (line.trim().split(/\s+/).length !== 5) throw new Error('must have five fields, such as "15 3 * * *"')
  let next: Date | null = null
  try {
    next = cronOf(line, "UTC").nextRun()
  } catch (error) {
    const reason = (error as Error).message.replace(/^Cron\w*: /, "")
    throw new Error(`is not a schedule such as "15 3 * * *" (${reason})`, { cause: error })
  }
  if (next === null) throw new Error("never matches a time")
}

/** @throws Error saying what is expected */
function assertTimeZone(name: string): void {
  try {
    Intl.DateTimeFormat("en", { timeZone: name })
  } catch (error) {
    throw new Error(
      `must be the name of a time zone, such as Europe/Paris; ${JSON.stringify(name)} isn't one`,
      {
        cause: error,
      },
    )
  }
}

/**
 * The first `count` times after `after` at which a schedule has a run, as milliseconds since 1970, without jitter. When
 * the clocks change, a skipped cron time moves to the next existing time, and a repeated time is used once; lines with
 * `*` in their hours or minutes are based on elapsed time. `last`: the time of the last run; if it is null, there was
 * none, and `everyHours` is due at once. A last run later than `after` is treated as if it were at `after`, because the
 * clock was ahead at that time.
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
  const first = last === null ? after : Math.max(Math.min(last, after) + step, after)
  return Array.from({ length: count }, (_, index) => first + index * step)
}

/** When a task runs next, jitter included, or null if it never runs on its own. `random`: from 0 to 1. */
export function nextRun(
  schedule: Schedule,
  after: number,
  last: number | null,
  random: () => number,
): number | null {
  const [time] = nextTimes(schedule, 1, after, last)
  return time === undefined ? null : Math.round(time + random() * jitterMs(schedule))
}

/**
 * When a task runs next after someone requested a run at `now`. The requested run replaces the scheduled run if the
 * scheduled run is due or is only delayed by its jitter. Null if it does not replace the scheduled run, which then
 * stays as planned.
 */
export function timesAfterRun(
  schedule: Schedule | null,
  planned: number | null,
  now: number,
  random: () => number,
): { readonly nextRun: number | null; readonly lastRun: number } | null {
  if (schedule === null || planned === null || planned > now + jitterMs(schedule)) return null
  return { nextRun: nextRun(schedule, now, now, random), lastRun: now }
}

/** The maximum delay of a run caused by its jitter, in milliseconds. */
export const jitterMs = ({ jitterMinutes }: Schedule): number => jitterMinutes * MINUTE_MS

/** The parsed cron line. Without a callback, `Cron` sets no timer. */
function cronOf(line: string, timezone: string): Cron {
  return new Cron(line, { timezone, mode: "5-part", paused: true })
}
