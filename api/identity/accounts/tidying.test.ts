import { expect, test } from "vitest"

import { until } from "#base/testing/until.ts"

import { memoryState } from "../../testing/serve-app.ts"
import { WriteQueue } from "./billing/write-queue.ts"
import { tidyHourly } from "./tidying.ts"

const DAY = 86_400_000
const setUp = () => ({ writes: new WriteQueue(memoryState()), guard: { mayDelete: async () => true } })

/** A table with this many expired rows. */
function rows(days: number, old: number) {
  const asked: { readonly before: number; readonly count: number; readonly at: number }[] = []
  let left = old
  const prune = async (before: number, count: number) => {
    asked.push({ before, count, at: Date.now() })
    const deleted = Math.min(left, count)
    left -= deleted
    return deleted
  }
  return { days, prune, asked, left: () => left }
}

test("expired data is deleted at once, some rows at a time, one part after another", async () => {
  const [many, few] = [rows(90, 2500), rows(7, 3)]
  const problems: unknown[] = []
  using _ = tidyHourly([many, few], { ...setUp(), onProblem: (error) => problems.push(error) })
  await until(async () => few.asked.length > 0)
  expect(many.asked.map(({ count }) => count)).toEqual([1000, 1000, 1000])
  expect([many.left(), few.left(), few.asked.length]).toEqual([0, 0, 1])
  for (const { asked, days } of [many, few]) {
    const { before, at } = asked[0]!
    expect((at - before) / DAY).toBeCloseTo(days, 1)
  }
  expect(problems).toEqual([])
})

test("deletion repeats, but not while the clock is in doubt", async () => {
  const part = rows(90, 0)
  let mayDelete = false
  let looks = 0
  const guard = {
    mayDelete: async () => {
      looks += 1
      return mayDelete
    },
  }
  using _ = tidyHourly([part], { ...setUp(), guard, onProblem: () => {}, everyMs: 1 })
  await until(async () => looks > 3)
  expect(part.asked).toEqual([])
  mayDelete = true
  await until(async () => part.asked.length > 2)
})

test("a failure is reported and retried the next time", async () => {
  const problems: unknown[] = []
  let rounds = 0
  const failing = {
    days: 1,
    prune: async () => {
      rounds += 1
      throw new Error("no room")
    },
  }
  using _ = tidyHourly([failing], {
    ...setUp(),
    onProblem: (error) => problems.push(error),
    everyMs: 1,
  })
  await until(async () => rounds > 2)
  expect(problems[0]).toMatchObject({ message: "no room" })
})

test("tidying stops when it is disposed of, and reports nothing about a closed connection", async () => {
  const part = rows(1, 5000)
  const problems: unknown[] = []
  const { guard } = setUp()
  let inHand = Promise.withResolvers<number>()
  const writes = {
    run: (work: () => Promise<number>) => work().then(() => inHand.promise),
  } as unknown as WriteQueue
  const tidying = tidyHourly([part], { writes, guard, onProblem: (error) => problems.push(error) })
  await until(async () => part.asked.length > 0)
  tidying[Symbol.dispose]()
  inHand.resolve(1000)
  await inHand.promise
  await new Promise(setImmediate)
  expect(part.asked).toHaveLength(1)

  inHand = Promise.withResolvers<number>()
  const another = tidyHourly([part], { writes, guard, onProblem: (error) => problems.push(error) })
  await until(async () => part.asked.length > 1)
  another[Symbol.dispose]()
  inHand.reject(new Error("not open"))
  await new Promise(setImmediate)
  expect([part.asked.length, problems]).toEqual([2, []])
})
