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

test("a part reserves from the whole too, and both count their refusals", () => {
  let beside = 0
  const whole = new ByteBudget(100, { beside: () => beside })
  const part = new ByteBudget(80, { parent: whole })
  const other = new ByteBudget(80, { parent: whole })
  const [mine, theirs] = [part.open(), other.open()]
  expect([mine.reserve(70), theirs.reserve(40), theirs.reserve(20)]).toEqual([true, false, true])
  expect([whole.held, part.held, other.held, part.left, other.left]).toEqual([90, 70, 20, 10, 10])
  // Unreserved bytes are counted only in the parent.
  beside = 10
  expect([whole.held, part.held, mine.reserve(1)]).toEqual([100, 70, false])
  beside = 500
  expect([whole.left, part.left]).toEqual([0, 0])
  // Releasing bytes never fails, however many unreserved bytes are held.
  mine.release(30)
  theirs[Symbol.dispose]()
  beside = 0
  expect([whole.held, part.held, other.held]).toEqual([40, 40, 0])
  expect([part.refused, other.refused, whole.refused]).toEqual([1, 1, 0])
})

test("a shrunken budget refuses what no longer fits, and accepts it again once it grows", () => {
  let total = 100
  const budget = new ByteBudget(() => total)
  const account = budget.open(100)
  expect(account.reserve(50)).toBe(true)
  total = 60
  expect([budget.total, budget.left, account.reserve(20)]).toEqual([60, 10, false])
  total = 40
  expect([budget.left, account.reserve(1)]).toEqual([0, false])
  total = 100
  expect([budget.left, account.reserve(50)]).toEqual([50, true])
})
