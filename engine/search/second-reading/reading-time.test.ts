import { expect, test } from "vitest"
import { FairPool } from "#base/flow/fair-pool.ts"
import { readingMs } from "./reading-time.ts"

test("a question with an empty queue gets one second, and nothing once it is 1.5 seconds old", () => {
  expect(readingMs(20, 0, 2)).toBe(1000)
  expect(readingMs(1400, 0, 2)).toBe(100)
  expect(readingMs(2000, 0, 2)).toBeLessThanOrEqual(0)
})

test("the more questions wait per processor, the less time each gets", () => {
  expect(readingMs(20, 2, 2)).toBe(500)
  expect(readingMs(20, 28, 2)).toBeCloseTo(66.7, 1)
  expect(readingMs(20, 28, 16)).toBeGreaterThan(300)
})

test("the count includes those waiting for a search or for the index", async () => {
  const held = Promise.withResolvers<void>()
  const pools = (["searches", "index-searches", "images"] as const).map(
    (name) => new FairPool(name, { places: 1 }),
  )
  const tasks = pools.flatMap((pool) => [0, 1].map(() => pool.run(() => held.promise)))
  expect(readingMs(0, undefined, 1)).toBeCloseTo(1000 / 3)
  held.resolve()
  await Promise.all(tasks)
  expect(readingMs(0, undefined, 1)).toBe(1000)
})
