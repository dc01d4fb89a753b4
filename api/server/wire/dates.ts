import { badRequest } from "../../errors.ts"

/** When pages were published, as callers write it: a time range up to now, or days of the form YYYY-MM-DD. */
export interface GivenDates {
  readonly time_range?: string | undefined
  readonly start_date?: string | undefined
  readonly end_date?: string | undefined
}

/** From `from` (inclusive) up to `before` (exclusive); a missing bound is open. */
export interface DateWindow {
  readonly from?: Date
  readonly before?: Date
}

const DAY_MS = 86_400_000

/**
 * The time window between dates. Both given days belong to it, so that a window of one day is not empty; days are in
 * UTC, as publication dates are stored.
 */
export function dateWindow(request: GivenDates, now: Date): DateWindow {
  const start = request.start_date === undefined ? undefined : day("start_date", request.start_date)
  const end = request.end_date === undefined ? undefined : day("end_date", request.end_date)
  if (request.time_range !== undefined) {
    if (start !== undefined || end !== undefined) {
      throw badRequest("Invalid time_range. Must not be given together with start_date or end_date.")
    }
    return { from: ago(request.time_range, now) }
  }
  if (start !== undefined && end !== undefined && start > end) {
    throw badRequest("Invalid start_date. Must not be after end_date.")
  }
  return {
    ...(start !== undefined && { from: start }),
    ...(end !== undefined && { before: new Date(end.getTime() + DAY_MS) }),
  }
}

function day(field: string, text: string): Date {
  const date = new Date(`${text.trim()}T00:00:00Z`)
  // Converting the date back to text detects days that do not exist: the parser reads 30 February as 2 March.
  if (Number.isNaN(date.getTime()) || date.toISOString().slice(0, 10) !== text.trim()) {
    throw badRequest(`Invalid ${field}. Must be a date of the form YYYY-MM-DD.`)
  }
  return date
}

function ago(range: string, now: Date): Date {
  const from = new Date(now)
  switch (range[0]) {
    case "d":
      return new Date(now.getTime() - DAY_MS)
    case "w":
      return new Date(now.getTime() - 7 * DAY_MS)
    case "m":
      from.setUTCMonth(from.getUTCMonth() - 1)
      // The 31st does not exist in a shorter month and would run over into the next one.
      if (from.getUTCDate() !== now.getUTCDate()) from.setUTCDate(0)
      return from
    default:
      from.setUTCFullYear(from.getUTCFullYear() - 1)
      return from
  }
}
