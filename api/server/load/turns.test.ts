import { setImmediate as nextTurn } from "node:timers/promises"

import { expect, test } from "vitest"

import { Turns } from "./turns.ts"

/** Starts no work, but records which requests were started, in order. */
function noting() {
  const turns = new Turns()
  const begun: string[] = []
  return {
    turns,
    begun,
    take: (lane: string, name: string, isAhead = false) =>
      turns.take(lane, isAhead, () => void begun.push(name)),
    all: async () => {
      while (turns.waiting > 0) await nextTurn()
    },
  }
}

test("a single request starts at once", async () => {
  const { take, begun } = noting()
  take("a", "first")
  expect(begun).toEqual(["first"])
  for (let turn = 0; turn < 2; turn++) await nextTurn()
  take("a", "second")
  expect(begun).toEqual(["first", "second"])
})

test("callers of concurrent requests take turns, whoever sent more", async () => {
  const { turns, take, begun, all } = noting()
  for (let n = 0; n < 1000; n++) take("flood", `flood ${n}`)
  take("other", "other 0")
  take("other", "other 1")
  expect([begun.length, turns.waiting]).toEqual([1, 1001])
  await all()
  expect(begun.slice(0, 6)).toEqual(["flood 0", "flood 1", "other 0", "flood 2", "other 1", "flood 3"])
  expect(begun.at(-1)).toBe("flood 999")
})

test("others get the event loop after a few requests of one caller", async () => {
  const { take, turns } = noting()
  for (let n = 0; n < 1000; n++) take("flood", String(n))
  let before = turns.waiting
  let turnsTaken = 0
  for (; turns.waiting > 0; turnsTaken++) {
    await nextTurn()
    expect(before - turns.waiting).toBeLessThanOrEqual(16)
    before = turns.waiting
  }
  expect(turnsTaken).toBeGreaterThanOrEqual(1000 / 16)
})

test("synchronous work of a request finishes before the next begins", async () => {
  const turns = new Turns()
  const seen: string[] = []
  for (let n = 0; n < 5; n++) {
    turns.take("a", false, () => {
      seen.push(`begun ${n}`)
      void Promise.resolve().then(() => Promise.resolve().then(() => seen.push(`done ${n}`)))
    })
  }
  while (seen.length < 10) await nextTurn()
  expect(seen).toEqual([0, 1, 2, 3, 4].flatMap((n) => [`begun ${n}`, `done ${n}`]))
})

test("pipelined requests wait for the first requests of the caller's other connections", async () => {
  const { take, begun, all } = noting()
  take("a", "begun at once")
  for (let n = 0; n < 3; n++) take("a", `ahead ${n}`, true)
  take("a", "fresh")
  await all()
  expect(begun).toEqual(["begun at once", "fresh", "ahead 0", "ahead 1", "ahead 2"])
})
