import { expect, test } from "vitest"
import { FairQueue } from "./fair-queue.ts"

test("parties take turns, however much one of them has waiting", () => {
  const queue = new FairQueue<string>()
  const [many, few] = [{}, {}]
  for (const item of ["a1", "a2", "a3", "a4"]) queue.push(many, item)
  expect(queue.shift()).toBe("a1")
  queue.push(few, "b1")
  queue.push(few, "b2")
  expect([queue.shift(), queue.shift(), queue.shift()]).toEqual(["a2", "b1", "a3"])
  expect(queue.delete(few, "b2")).toBe(true)
  expect(queue.delete(few, "b2")).toBe(false)
  expect(queue.length).toBe(1)
  expect([queue.shift(), queue.shift(), queue.length]).toEqual(["a4", undefined, 0])
})

test("an item waiting behind others can be removed", () => {
  const queue = new FairQueue<string>()
  const party = {}
  for (const item of ["a", "b", "c"]) queue.push(party, item)
  expect(queue.delete(party, "b")).toBe(true)
  expect([queue.length, queue.clear()]).toEqual([2, ["a", "c"]])
})
