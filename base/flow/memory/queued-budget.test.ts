import { expect, test } from "vitest"
import { QueuedBudget } from "./queued-budget.ts"

const begun = (waiting: Promise<void> | null) => {
  const state = { isBegun: false }
  void waiting?.then(() => (state.isBegun = true))
  return state
}
const turn = () => new Promise((done) => setImmediate(done))

test("tasks that share bytes wait for each other, except the first, and all finish", async () => {
  const budget = new QueuedBudget(100)
  const [first, second, third] = [budget.open(), budget.open(), budget.open()]
  expect(first.reserve(60)).toBeNull()
  expect(second.reserve(40)).toBeNull()
  const more = begun(second.reserve(10))
  const last = begun(third.reserve(5))
  await turn()
  expect([more.isBegun, last.isBegun]).toEqual([false, false])
  // The first account may exceed what is left; otherwise the accounts would wait for each other forever.
  expect(first.reserve(30)).toBeNull()
  expect(budget.held).toBe(130)
  first.release(90)
  await turn()
  expect([more.isBegun, last.isBegun]).toEqual([true, true])
  expect(budget.held).toBe(55)
  for (const account of [first, second, third]) account[Symbol.dispose]()
  expect(budget.held).toBe(0)
})

test("a waiting account becomes the first when those before it have ended", async () => {
  const budget = new QueuedBudget(10)
  const [first, second] = [budget.open(), budget.open()]
  expect(first.reserve(5)).toBeNull()
  const large = begun(second.reserve(50))
  first[Symbol.dispose]()
  await turn()
  expect(large.isBegun).toBe(true)
  expect(budget.held).toBe(50)
  second[Symbol.dispose]()
  expect(budget.held).toBe(0)
})

test("a closed account waits no longer and holds nothing", async () => {
  const budget = new QueuedBudget(10)
  using first = budget.open()
  expect(first.reserve(10)).toBeNull()
  const second = budget.open()
  const waiting = begun(second.reserve(1))
  second[Symbol.dispose]()
  await turn()
  expect(waiting.isBegun).toBe(true)
  expect(second.reserve(5)).toBeNull()
  expect(budget.held).toBe(10)
})
