import { expect, test } from "vitest"
import { emptyState } from "../testing/empty-state.ts"
import { clockInDoubt, deletionTime, TimeGuard, trustClock } from "./trusted-time.ts"

const DAY = 86_400_000
const YEARS = 10 * 365 * DAY
const NOW = Date.UTC(2026, 10, 23)

/** A state, and processes that are started on it at some time of the wall clock. */
function appliance() {
  const db = emptyState()
  const at = { wall: NOW, steady: 0 }
  return {
    db,
    start: () =>
      new TimeGuard(
        db,
        () => at.wall,
        () => at.steady,
      ),
    pass: (ms: number) => {
      at.wall += ms
      at.steady += ms
    },
    /** The clock is set, or the machine was off: to who starts anew both look the same. */
    jump: (ms: number) => {
      at.wall += ms
    },
    doubt: () => clockInDoubt(db, at.wall),
    deletionTime: () => deletionTime(db, at.wall),
  }
}

test("who was off for some weeks goes on deleting what is too old", () => {
  const { db, start, jump, doubt } = appliance()
  using _ = db
  expect(start().mayDelete()).toBe(true)
  jump(29 * DAY)
  expect(doubt()).toBeNull()
  expect(start().mayDelete()).toBe(true)
  jump(29 * DAY)
  expect(start().mayDelete()).toBe(true)
})

test("a process that starts ten years ahead deletes nothing, however long it runs, until somebody says that the clock is right", () => {
  const { db, start, pass, jump, doubt, deletionTime } = appliance()
  using _ = db
  start().mayDelete()
  jump(YEARS)
  const guard = start()
  expect(guard.mayDelete()).toBe(false)
  pass(3 * DAY)
  expect(guard.mayDelete()).toBe(false)
  expect(start().mayDelete()).toBe(false)
  expect(doubt()).toContain("last at work on 2026-11-23")
  expect(deletionTime()).toBe(NOW + 30 * DAY)
  trustClock(db, NOW + YEARS + 3 * DAY)
  expect(doubt()).toBeNull()
  expect(guard.mayDelete()).toBe(true)
  expect(deletionTime()).toBe(NOW + YEARS + 3 * DAY)
})

test("a clock that comes back is in doubt no longer", () => {
  const { db, start, jump, doubt } = appliance()
  using _ = db
  start().mayDelete()
  jump(YEARS)
  expect(start().mayDelete()).toBe(false)
  jump(-YEARS)
  expect(doubt()).toBeNull()
  expect(start().mayDelete()).toBe(true)
})

test("a clock that begins years back, as on a machine without a battery, and is set by the network, is in no doubt", () => {
  const { db, start, pass, jump, doubt } = appliance()
  using _ = db
  start().mayDelete()
  jump(-YEARS)
  const guard = start()
  guard.mayDelete()
  pass(1000)
  jump(YEARS)
  expect(doubt()).toBeNull()
  // As after any step.
  expect(guard.mayDelete()).toBe(false)
  pass(DAY)
  expect(guard.mayDelete()).toBe(true)
})

test("a wrong clock that was trusted is forgotten after an even day", () => {
  const { db, start, pass, jump, doubt } = appliance()
  using _ = db
  jump(YEARS)
  start().mayDelete()
  jump(-YEARS)
  const guard = start()
  guard.mayDelete()
  pass(DAY)
  guard.mayDelete()
  jump(YEARS)
  expect(doubt()).not.toBeNull()
})

test("a new state trusts the clock that it is begun with", () => {
  const { db, start, doubt } = appliance()
  using _ = db
  expect(doubt()).toBeNull()
  expect(start().mayDelete()).toBe(true)
})
