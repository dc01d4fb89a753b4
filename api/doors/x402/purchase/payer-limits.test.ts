import { afterEach, beforeEach, expect, test, vi } from "vitest"

import { steadyNow } from "#base/steady-time.ts"

import { PayerLimits } from "./payer-limits.ts"

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["performance", "Date"] })
})
afterEach(() => {
  vi.useRealTimers()
})

/** How many payments from a payer are admitted at once. */
function atOnce(limits: PayerLimits, payer: string): number {
  let entered = 0
  while (entered < 20 && limits.enter(payer)) entered += 1
  for (let left = 0; left < entered; left++) limits.leave(payer)
  return entered
}

test("a payer can have many concurrent payments until one has no cover; then one, doubled with each settled payment", () => {
  const limits = new PayerLimits()
  expect(atOnce(limits, "a")).toBe(20)
  limits.settled("a", steadyNow())
  expect(atOnce(limits, "a")).toBe(20)
  limits.withoutCover("a")
  const counts = [atOnce(limits, "a")]
  for (let settled = 0; settled < 4; settled++) {
    limits.settled("a", steadyNow())
    counts.push(atOnce(limits, "a"))
  }
  // Once sixteen are allowed, the payer is trusted again.
  expect(counts).toEqual([1, 2, 4, 8, 20])
  limits.withoutCover("a")
  limits.settled("a", steadyNow())
  limits.withoutCover("a")
  expect(atOnce(limits, "a")).toBe(1)
})

test("payments in progress count, and make room when they end", () => {
  const limits = new PayerLimits()
  expect([limits.enter("a"), limits.enter("a")]).toEqual([true, true])
  limits.withoutCover("a")
  expect(limits.enter("a")).toBe(false)
  limits.leave("a")
  expect(limits.enter("a")).toBe(false)
  limits.leave("a")
  expect([limits.enter("a"), limits.enter("a")]).toEqual([true, false])
  // Another payer is not affected.
  expect(atOnce(limits, "b")).toBe(20)
})

test("forgets a failure after an hour", () => {
  const limits = new PayerLimits()
  limits.withoutCover("a")
  vi.advanceTimersByTime(3_600_000)
  expect(atOnce(limits, "a")).toBe(1)
  vi.advanceTimersByTime(1)
  expect(atOnce(limits, "a")).toBe(20)
})

test("forgets the oldest failure first when there are very many payers", () => {
  const limits = new PayerLimits()
  for (let payer = 0; payer < 10_000; payer++) limits.withoutCover(`p${payer}`)
  // A second failure makes this payer the most recent.
  limits.withoutCover("p0")
  expect(["p0", "p1"].map((payer) => atOnce(limits, payer))).toEqual([1, 1])
  limits.withoutCover("another")
  expect(["p0", "p1", "p2", "another"].map((payer) => atOnce(limits, payer))).toEqual([1, 20, 1, 1])
})

test("a settlement that began before another payment had no cover does not raise trust", () => {
  const limits = new PayerLimits()
  const began = steadyNow()
  vi.advanceTimersByTime(5)
  limits.withoutCover("a")
  limits.settled("a", began)
  expect(atOnce(limits, "a")).toBe(1)
})
