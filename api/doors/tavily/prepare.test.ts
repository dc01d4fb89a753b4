import { expect, test } from "vitest"

import { freshnessOf } from "./prepare.ts"

const HOUR = 3_600_000

test("accepts both names for the age, uses the smaller one, and ignores -1", () => {
  const of = (given: object) => freshnessOf({ fetch_timeout: 10, cache_fallback: false, ...given })?.maxAgeMs
  expect([of({}), of({ max_age_hours: -1 }), of({ max_age_hours: 0 })]).toEqual([undefined, undefined, 0])
  expect([of({ max_hours: 2 }), of({ max_hours: 2, max_age_hours: 1 })]).toEqual([2 * HOUR, HOUR])
  expect(of({ max_hours: -1, max_age_hours: 3 })).toBe(3 * HOUR)
})
