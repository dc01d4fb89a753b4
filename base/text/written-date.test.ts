import * as fc from "fast-check"
import { expect, test } from "vitest"
import { madeUp } from "../testing/made-up.ts"
import { writtenDate } from "./written-date.ts"

/** A time to the second, in the range of dates that pages can have. */
const anyTime = fc
  .integer({ min: Date.UTC(1990, 0, 2) / 1000, max: Date.UTC(2026, 0, 1) / 1000 })
  .map((seconds) => seconds * 1000)
const two = (number: number): string => String(number).padStart(2, "0")

const rfc822 = (there: string, zone: string) => new Date(`${there}Z`).toUTCString().replace("GMT", zone)

test("reads a date in every format that pages use, in any time zone", () => {
  fc.assert(
    fc.property(
      anyTime,
      fc.integer({ min: -12, max: 14 }),
      fc.constantFrom(0, 30, 45),
      (time, hours, minutes) => {
        const date = new Date(time)
        const iso = date.toISOString()
        const sign = hours < 0 ? "-" : "+"
        const offset = (Math.abs(hours) * 60 + minutes) * 60_000 * (hours < 0 ? -1 : 1)
        const there = new Date(time + offset).toISOString().slice(0, 19)
        const zone = `${sign}${two(Math.abs(hours))}`
        for (const text of [
          iso,
          iso.replace("T", " "),
          iso.slice(0, 19),
          iso.toLowerCase(),
          ` ${iso} `,
          `${there}${zone}:${two(minutes)}`,
          `${there}${zone}${two(minutes)}`,
          `${there}.000${zone}:${two(minutes)}`,
          `${there.replace("T", " ")} ${zone}${two(minutes)}`,
          rfc822(there, `${zone}${two(minutes)}`),
          rfc822(there, `${zone}${two(minutes)} (local time)`),
          date.toUTCString(),
          date.toUTCString().replace("GMT", "+0000"),
          date.toUTCString().replace(" GMT", ""),
          `${date.toUTCString()} (Coordinated Universal Time)`,
        ])
          expect([text, writtenDate(text)]).toEqual([text, time])
        const day = Date.parse(iso.slice(0, 10))
        expect(writtenDate(iso.slice(0, 10))).toBe(day)
        expect(writtenDate(date.toUTCString().slice(5, 16))).toBe(day)
        expect(writtenDate(iso.slice(0, 7))).toBe(Date.parse(`${iso.slice(0, 7)}-01`))
        expect(writtenDate(iso.slice(0, 4))).toBe(Date.parse(`${iso.slice(0, 4)}-01-01`))
      },
    ),
    madeUp(100),
  )
})

test("accepts only days that exist in the calendar", () => {
  const isLeap = (year: number) => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0
  const daysOf = (year: number) => [31, isLeap(year) ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
  /** Computed by counting days from 1970, without using Date. */
  const naive = (year: number, month: number, day: number): number | null => {
    if (year < 1990 || month < 1 || month > 12 || day < 1 || day > daysOf(year)[month - 1]!) return null
    let days = day - 1
    for (let one = 1970; one < year; one++) days += isLeap(one) ? 366 : 365
    for (let one = 0; one < month - 1; one++) days += daysOf(year)[one]!
    return days * 86_400_000
  }
  fc.assert(
    fc.property(fc.integer({ min: 1980, max: 2025 }), fc.nat(14), fc.nat(33), (year, month, day) => {
      const text = `${year}-${two(month)}-${two(day)}`
      expect([text, writtenDate(text)]).toEqual([text, naive(year, month, day)])
      expect(writtenDate(`${text}T00:00:00Z`)).toBe(naive(year, month, day))
    }),
    madeUp(1000),
  )
})

test.each([
  "2023-02-29",
  "2024-02-30T10:00:00Z",
  "2024-04-31",
  "2024-13-01",
  "2024-00-10",
  "2024-13",
  "3024-01-01",
  "0001-01-01",
  "",
  "soon",
  "page 7",
  "2024-01-01T25:00Z",
  "2024-02-30 10:00 EST",
  "2024-01-01 25:00 GMT",
])("rejects %j as an impossible date", (text) => {
  expect(writtenDate(text)).toBeNull()
})

test.each([
  // A two-digit year, as in mail from before 2000 (RFC 822).
  ["Fri, 02 Jan 15 03:05:05 GMT", "2015-01-02T03:05:05Z"],
  ["Friday, 02-Jan-15 03:05:05 GMT", "2015-01-02T03:05:05Z"],
  ["Fri, 02 Jan 2015 03:05:05 EST", "2015-01-02T08:05:05Z"],
  ["2 Jan 2015", "2015-01-02T00:00:00Z"],
  ["January 2, 2015", "2015-01-02T00:00:00Z"],
  ["2015/01/02", "2015-01-02T00:00:00Z"],
  ["2015 January 2", "2015-01-02T00:00:00Z"],
  // A Z that is not a time zone.
  ["Zuletzt: 2 Jan 2015", "2015-01-02T00:00:00Z"],
  ["2015-01-02T03:05:05.25+01:00", "2015-01-02T02:05:05.250Z"],
  ["2015-01-02 03:05 EST", "2015-01-02T08:05:00Z"],
  ["2015-01-02T03:05:05.25 utc", "2015-01-02T03:05:05.250Z"],
  ["Updated 2015-01-02 03:05 EST", "2015-01-02T08:05:00Z"],
  // If there are two numbers, the first one is used.
  ["2 Jan 2015 (2016-03-04)", "2015-01-02T00:00:00Z"],
])("%s is %s", (text, time) => {
  expect(writtenDate(text)).toBe(Date.parse(time))
})

test.each(["5 Jan 10:30", "Monday, Jan 5 10:30", "10:30", "Jan 5"])(
  "does not guess a year for %s",
  (text) => {
    expect(writtenDate(text)).toBeNull()
  },
)

test("accepts a date a few hours ahead, as in eastern time zones, but not days ahead, and no text longer than a date", () => {
  const ahead = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString()
  expect([0, 12].map((hours) => writtenDate(ahead(hours)))).toEqual([expect.any(Number), expect.any(Number)])
  expect(writtenDate(ahead(48))).toBeNull()
  const long = (chars: number) => `2015-01-02${" and so on".repeat(9)}`.slice(0, chars).padEnd(chars, ".")
  expect([100, 101].map((chars) => writtenDate(long(chars)))).toEqual([Date.UTC(2015, 0, 2), null])
})

test("never fails on odd text", () => {
  const odd = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.string({ unit: fc.constantFrom(...Array.from("0123456789-+:TZ. /,GMT()")), maxLength: 40 }),
    fc.string({ unit: fc.constantFrom("2024", "Jan", "-", " ", ":", "12", "99", "Z", "GMT"), maxLength: 12 }),
  )
  fc.assert(
    fc.property(odd, (text) => {
      const time = writtenDate(text)
      expect(time === null || (time >= Date.UTC(1990, 0, 1) && time <= Date.now() + 86_400_000)).toBe(true)
    }),
    madeUp(2000),
  )
})
