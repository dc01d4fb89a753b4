import { expect, test } from "vitest"
import { type EndedVisit, nextVisit } from "./revisit.ts"

const HOUR = 3_600_000
const DAY = 24 * HOUR
const RULES = { minHours: 1, maxHours: 720 }
const at = 1000 * DAY
const visit = (more: Partial<EndedVisit> = {}): EndedVisit => ({
  at,
  ending: "same",
  changedAt: null,
  listedAt: null,
  ...more,
})
const before = (intervalMs: number, misses = 0, away = intervalMs) => ({
  intervalMs,
  misses,
  visitedAt: at - away,
})
const intervalAfter = (...[then, now]: [ReturnType<typeof before> | null, EndedVisit]) =>
  nextVisit(RULES, then, now).intervalMs

test("a new page is checked after a day, or sooner or later depending on its age", () => {
  expect(intervalAfter(null, visit({ ending: "changed" }))).toBe(DAY)
  expect(intervalAfter(null, visit({ ending: "changed", changedAt: at - 20 * HOUR }))).toBe(2 * HOUR)
  expect(intervalAfter(null, visit({ ending: "changed", changedAt: at - 900 * DAY }))).toBe(7 * DAY)
  expect(intervalAfter(null, visit({ ending: "changed", changedAt: at - HOUR }))).toBe(HOUR)
  expect(intervalAfter(null, visit({ ending: "changed", changedAt: at + DAY }))).toBe(DAY)
  expect(intervalAfter(null, visit({ ending: "changed", changedAt: at }))).toBe(HOUR)
})

test("the interval halves after a change, grows by half after none, and stays within its bounds", () => {
  expect(intervalAfter(before(DAY), visit({ ending: "changed" }))).toBe(DAY / 2)
  expect(intervalAfter(before(DAY), visit())).toBe(1.5 * DAY)
  expect(intervalAfter(before(HOUR), visit({ ending: "changed" }))).toBe(HOUR)
  expect(intervalAfter(before(700 * HOUR), visit())).toBe(720 * HOUR)
})

test("finding no change proves nothing soon after a visit, and more after a long time, up to a limit", () => {
  expect(intervalAfter(before(DAY, 0, 60_000), visit())).toBe(DAY)
  expect(intervalAfter(before(DAY, 0, 2 * DAY), visit())).toBe(3 * DAY)
  expect(intervalAfter(before(DAY, 0, 100 * DAY), visit())).toBe(4 * DAY)
  expect(intervalAfter(before(DAY, 0, 4 * HOUR), visit({ ending: "changed" }))).toBe(2 * HOUR)
})

test("a page is due a tenth of its interval early, so that a daily run finds it", () => {
  expect(nextVisit(RULES, before(DAY, 0, 60_000), visit()).dueAt).toBe(at + 0.9 * DAY)
})

test("a page that its sitemap dates before the visit waits for the longest interval", () => {
  const { dueAt, intervalMs } = nextVisit(RULES, before(DAY), visit({ listedAt: at - DAY }))
  expect(intervalMs).toBe(1.5 * DAY)
  expect(dueAt).toBe(at + 0.9 * 720 * HOUR)
  expect(nextVisit(RULES, before(DAY), visit({ listedAt: at })).dueAt).toBe(dueAt)
  expect(nextVisit(RULES, before(DAY), visit({ listedAt: at + 1 })).dueAt).toBe(at + 0.9 * 1.5 * DAY)
})

test("a page that changes twice a day is visited often enough, though its sitemap has missed its changes", () => {
  let [now, then] = [at, before(DAY)]
  const seen = { changes: 0, visits: 0 }
  for (let edition = 0; now < at + 14 * DAY; seen.visits += 1) {
    const latest = Math.floor(now / (12 * HOUR))
    const ending = latest === edition ? "same" : "changed"
    edition = latest
    seen.changes += ending === "changed" ? 1 : 0
    const listedAt = ending === "changed" ? at - DAY : null
    const next = nextVisit(RULES, then, { at: now, ending, changedAt: null, listedAt })
    then = { intervalMs: next.intervalMs, misses: 0, visitedAt: now }
    now = next.dueAt
  }
  expect(seen.changes).toBeGreaterThan(24)
  expect(seen.visits).toBeLessThan(110)
})

test("a missing page is checked again soon, and a dead address less and less often", () => {
  const waits = (ending: EndedVisit["ending"]) =>
    [0, 1, 2, 3, 10, 100].map((misses) => {
      const next = nextVisit(RULES, before(DAY, misses), visit({ ending }))
      expect(next).toMatchObject({ misses: misses + 1, intervalMs: DAY })
      return (next.dueAt - at) / HOUR / 0.9
    })
  expect(waits("lost")).toEqual([1, 2, 4, 8, 24, 24])
  expect(waits("failed")).toEqual([1, 2, 4, 8, 24, 24])
  expect(waits("none")).toEqual([24, 48, 96, 192, 720, 720])
})

test("equal minimum and maximum intervals are respected", () => {
  const rules = { minHours: 48, maxHours: 48 }
  for (const ending of ["changed", "same", "lost", "failed", "none"] as const) {
    expect(nextVisit(rules, before(DAY), visit({ ending })).dueAt).toBe(at + 0.9 * 48 * HOUR)
  }
})
