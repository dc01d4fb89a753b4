import { expect, test } from "vitest"

import { Unsettled } from "./unsettled.ts"

const call = (keyId: string, credits = 1) => ({ keyId, credits, write: async () => {} })
const FULL = "the limit on calls waiting to be counted"

test("waiting and reserved credits count against their key and the plan", () => {
  const unsettled = new Unsettled()
  expect([unsettled.size, unsettled.credits(), unsettled.credits("a")]).toEqual([0, 0, 0])
  unsettled.hold("1", "a", 5)
  unsettled.hold("2", "b", 7)
  expect([
    unsettled.credits(),
    unsettled.credits("a"),
    unsettled.credits("b"),
    unsettled.credits("c"),
  ]).toEqual([12, 5, 7, 0])
  // The call cost less than the credits reserved for it.
  unsettled.add("1", call("a", 2))
  unsettled.release("2")
  unsettled.release("none")
  unsettled.add("3", call("b", 4))
  expect([unsettled.size, unsettled.credits(), unsettled.credits("a"), unsettled.credits("b")]).toEqual([
    2, 6, 2, 4,
  ])
})

test("the oldest calls are counted first, and counted ones make room", () => {
  const unsettled = new Unsettled()
  const [one, two, three] = [call("a", 1), call("b", 2), call("a", 4)]
  for (const [index, each] of [one, two, three].entries()) unsettled.add(String(index), each)
  expect(unsettled.next(2)).toEqual([one, two])
  unsettled.settled([one, two])
  expect(unsettled.next(9)).toEqual([three])
  expect([unsettled.size, unsettled.credits(), unsettled.credits("a"), unsettled.credits("b")]).toEqual([
    1, 4, 4, 0,
  ])
  unsettled.settled([three])
  expect([unsettled.size, unsettled.credits(), unsettled.credits("a")]).toEqual([0, 0, 0])
})

test("the waiting calls of a key are limited in number and cost", () => {
  const many = new Unsettled()
  expect([many.most, many.mostOfKey, many.mostCreditsOfKey]).toEqual([10_000, 1000, 2000])
  for (let at = 0; at < 1000; at++) {
    many.assertRoom("a")
    many.add(String(at), call("a"))
  }
  expect(() => many.assertRoom("a")).toThrow(FULL)
  expect(() => many.add("one more", call("a"))).toThrow(FULL)
  expect(() => many.assertRoom("b")).not.toThrow()
  expect(many.size).toBe(1000)
  many.settled(many.next(1))
  expect(() => many.assertRoom("a")).not.toThrow()

  const dear = new Unsettled()
  dear.add("1", call("a", 1999))
  expect(() => dear.assertRoom("a")).not.toThrow()
  dear.add("2", call("a"))
  expect(() => dear.assertRoom("a")).toThrow(expect.objectContaining({ status: 503 }))
})

test("the waiting calls of all keys are limited in number", () => {
  const unsettled = new Unsettled(15)
  expect([unsettled.most, unsettled.mostOfKey, unsettled.mostCreditsOfKey]).toEqual([15, 2, 4])
  for (let at = 0; at < 15; at++) {
    unsettled.assertRoom("new")
    unsettled.add(String(at), call(`k${at}`))
  }
  expect(() => unsettled.assertRoom("new")).toThrow(FULL)
})
