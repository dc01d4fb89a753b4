import { describe, expect, test } from "vitest"
import { assertCron, nextTimes } from "./schedule.ts"

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const at = (text: string) => Date.parse(`${text}Z`)
const iso = (times: readonly number[]) => times.map((time) => new Date(time).toISOString().slice(0, 16))

const paris = (cron: string) => ({ cron, everyHours: null, timeZone: "Europe/Paris", jitterMinutes: 0 })

describe("the times of a schedule", () => {
  test("follow its time zone, summer and winter", () => {
    expect(iso(nextTimes(paris("15 3 * * *"), 4, at("2026-03-27T12:00"), null))).toEqual([
      "2026-03-28T02:15",
      "2026-03-29T01:15",
      "2026-03-30T01:15",
      "2026-03-31T01:15",
    ])
  })

  test("that the clock change skips come at the next existing time, and repeated ones count once", () => {
    // On 29 March 2026 the clocks in Paris go forward from 2:00 to 3:00, and on 25 October back from 3:00 to 2:00.
    expect(iso(nextTimes(paris("30 2 * * *"), 3, at("2026-03-27T12:00"), null))).toEqual([
      "2026-03-28T01:30",
      "2026-03-29T01:00",
      "2026-03-30T00:30",
    ])
    expect(iso(nextTimes(paris("30 2 * * *"), 3, at("2026-10-23T12:00"), null))).toEqual([
      "2026-10-24T00:30",
      "2026-10-25T00:30",
      "2026-10-26T01:30",
    ])
  })

  test("every half hour stay half an hour apart when the clocks change", () => {
    const times = nextTimes(paris("*/30 * * * *"), 8, at("2026-10-24T23:40"), null)
    expect(times.slice(1).map((time, index) => time - (times[index] ?? 0))).toEqual(
      Array(7).fill(30 * MINUTE),
    )
  })

  test("at an interval count from the last run, and the first is due at once", () => {
    const schedule = { cron: null, everyHours: 6, timeZone: "UTC", jitterMinutes: 0 }
    const now = at("2026-05-01T12:00")
    expect(iso(nextTimes(schedule, 2, now, null))).toEqual(["2026-05-01T12:00", "2026-05-01T18:00"])
    expect(iso(nextTimes(schedule, 2, now, now - 2 * HOUR))).toEqual(["2026-05-01T16:00", "2026-05-01T22:00"])
    expect(iso(nextTimes(schedule, 1, now, now - 20 * HOUR))).toEqual(["2026-05-01T12:00"])
  })

  test.each([
    ["61 3 * * *", "Invalid value for minute"],
    ["15 3 * *", "five fields"],
    ["0 15 3 * * *", "five fields"],
    ["@daily", "five fields"],
    ["0 0 30 2 *", "never matches a time"],
  ])("cannot be given as %s", (line, message) => {
    expect(() => assertCron(line)).toThrow(message)
  })
})
