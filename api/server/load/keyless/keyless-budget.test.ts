import { expect, test } from "vitest"

import { KeylessBudget } from "./keyless-budget.ts"

function budgetOf(perMinute: number) {
  const clock = { ms: 0 }
  return { clock, budget: new KeylessBudget(perMinute, () => clock.ms) }
}
const takes = (budget: KeylessBudget, address: string, tries: number): number =>
  Array.from({ length: tries }, () => budget.take(address)).filter(Boolean).length

test("an address can send a minute's requests at once, and then as they are refilled", () => {
  const { budget, clock } = budgetOf(60)
  expect(takes(budget, "a", 100)).toBe(60)
  expect(takes(budget, "b", 10)).toBe(10)
  clock.ms += 10_000
  expect(takes(budget, "a", 100)).toBe(10)
  clock.ms += 3_600_000
  expect(takes(budget, "a", 100)).toBe(60)
})

test("requests with a key are free", () => {
  const { budget } = budgetOf(5)
  for (let n = 0; n < 100; n++) {
    expect(budget.take("a")).toBe(true)
    budget.giveBack("a")
  }
  expect(takes(budget, "a", 9)).toBe(5)
  budget.giveBack("nobody")
  expect(budget.used).toBe(5)
})

test("says how long to wait, and counts what it refused", () => {
  const { budget } = budgetOf(10)
  takes(budget, "a", 11)
  expect([budget.refuse(), budget.refused, budget.used]).toEqual([6, 1, 10])
})

test("remembers the ten thousand addresses seen last", () => {
  const { budget } = budgetOf(1)
  expect(takes(budget, "first", 1)).toBe(1)
  for (let n = 0; n < 9999; n++) budget.take(`other ${n}`)
  expect(takes(budget, "first", 1)).toBe(0)
  for (let n = 0; n < 10_000; n++) budget.take(`more ${n}`)
  expect(takes(budget, "first", 1)).toBe(1)
})

test("without a limit refuses nothing", () => {
  const { budget } = budgetOf(Infinity)
  expect([takes(budget, "a", 10_000), budget.used]).toEqual([10_000, 0])
})
