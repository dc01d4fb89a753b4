import { afterEach, expect, test, vi } from "vitest"

import { tellDays } from "./tell-days.ts"

afterEach(() => {
  vi.useRealTimers()
})

test("each new day is logged once, at midnight, even if the clock was set in between", () => {
  vi.useFakeTimers({ now: new Date(2026, 10, 22, 23, 30) })
  const lines: unknown[] = []
  tellDays((_, message, fields) => lines.push([message, fields, new Date().getHours()]))
  vi.advanceTimersByTime(29 * 60_000)
  expect(lines).toEqual([])
  vi.advanceTimersByTime(60_000)
  expect(lines).toEqual([["it is {day}", { day: "2026-11-23" }, 0]])
  vi.setSystemTime(new Date(2026, 10, 25, 4, 0))
  vi.advanceTimersByTime(3_600_000)
  expect(lines.slice(1)).toEqual([["it is {day}", { day: "2026-11-25" }, 5]])
})
