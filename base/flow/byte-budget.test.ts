import { expect, test } from "vitest"
import { ByteBudget } from "./byte-budget.ts"

test("accounts reserve from one budget, each up to its own limit, and give back what they held", () => {
  const budget = new ByteBudget(100)
  const first = budget.open(60)
  const second = budget.open(60)
  expect([first.reserve(60), first.reserve(1)]).toEqual([true, false])
  expect([second.reserve(41), second.reserve(40)]).toEqual([false, true])
  expect(budget.left).toBe(0)
  first.release(20)
  expect(second.reserve(20)).toBe(true)
  first[Symbol.dispose]()
  first[Symbol.dispose]()
  expect(first.reserve(1)).toBe(false)
  second.release(1000)
  expect([second.held, budget.left]).toEqual([0, 100])
})
