import { expect, test } from "vitest"
import { DeletionGuard, steadyNow, StepWatch } from "./steady-time.ts"

const MINUTE = 60_000
const DAY = 86_400_000

/** A wall clock that a test can set, and a steady clock that a test can advance. */
function clocks() {
  const at = { wall: 1_000_000_000_000, steady: 1_000_000_000_000 }
  return {
    wall: () => at.wall,
    steady: () => at.steady,
    pass: (ms: number) => {
      at.wall += ms
      at.steady += ms
    },
    set: (by: number) => {
      at.wall += by
    },
  }
}

test("steady time is in whole milliseconds since 1970", () => {
  expect(Number.isInteger(steadyNow())).toBe(true)
  expect(Math.abs(steadyNow() - Date.now())).toBeLessThan(DAY)
  const [before, since] = [steadyNow(), performance.now()]
  while (performance.now() - since < 2);
  expect(steadyNow()).toBeGreaterThan(before)
})

test.each([MINUTE, -MINUTE, 10 * DAY, -10 * DAY])(
  "a wall clock that is set by %d ms is noticed, once",
  (by) => {
    const { wall, steady, pass, set } = clocks()
    const watch = new StepWatch(wall, steady)
    pass(10 * DAY)
    expect(watch.hasStepped()).toBe(false)
    set(by)
    expect(watch.hasStepped()).toBe(true)
    expect(watch.hasStepped()).toBe(false)
    // Setting the clock back counts as another step.
    set(-by)
    expect(watch.hasStepped()).toBe(true)
  },
)

test("drifting clocks do not count as set, unless they drift by a minute in total", () => {
  const { wall, steady, set } = clocks()
  const watch = new StepWatch(wall, steady)
  set(MINUTE - 1)
  expect(watch.hasStepped()).toBe(false)
  set(1)
  expect(watch.hasStepped()).toBe(true)
})

test("entries that are old by the wall clock can be deleted, but not within a day after the clock was set", () => {
  const { wall, steady, pass, set } = clocks()
  const guard = new DeletionGuard(wall, steady)
  expect(guard.mayDelete()).toBe(true)
  pass(10 * DAY)
  expect(guard.mayDelete()).toBe(true)
  set(365 * DAY)
  expect(guard.mayDelete()).toBe(false)
  pass(DAY - 1)
  expect(guard.mayDelete()).toBe(false)
  pass(1)
  expect(guard.mayDelete()).toBe(true)
  // A corrected clock may still be wrong, so another day has to pass.
  set(-365 * DAY)
  expect(guard.mayDelete()).toBe(false)
  pass(DAY)
  expect(guard.mayDelete()).toBe(true)
})
