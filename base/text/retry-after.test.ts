import { expect, test } from "vitest"
import { waitAskedFor } from "./retry-after.ts"

const NOW = Date.parse("2026-01-02T03:04:05Z")

test.each([
  ["7", 7000],
  [" 7 ", 7000],
  ["Fri, 02 Jan 2026 03:05:05 GMT", 60_000],
  ["Fri, 02 Jan 2026 03:00:00 GMT", 0],
  ["soon", null],
  ["120", 120_000],
  // Neither a number of seconds nor a date.
  ["7 s", null],
  ["in 7", null],
  ["-7x", null],
  ["in Jan 7", null],
  ["Friday, 02-Jan-26 03:05:05 GMT", 60_000],
  ["Fri Jan  2 03:05:05 2026 GMT", 60_000],
  ["2026-01-02T03:05:05Z", 60_000],
  ["Fri, 99 Foo", null],
  ["", null],
  [undefined, null],
])("a server that sends %j is left alone for %j ms", (header, ms) => {
  expect(waitAskedFor(header, NOW)).toBe(ms)
})
