import { setImmediate } from "node:timers/promises"

import { expect, test } from "vitest"

import { ends, fails, isAtOnce, waitsForOthers } from "../../testing/blocking-work.ts"
import { AT_ONCE_CHARS, offLoop } from "./off-loop.ts"
import { WorkError } from "./work-threads.ts"

const WORK = new URL("../../testing/blocking-work.ts", import.meta.url).href
const MUCH = { chars: AT_ONCE_CHARS + 1 }
const newCell = () => new Int32Array(new SharedArrayBuffer(4))

/** Sets the cell from the event loop, which runs only while nothing blocks it. */
async function setLater(cell: Int32Array<SharedArrayBuffer>): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await setImmediate()
  Atomics.store(cell, 0, 1)
  Atomics.notify(cell, 0)
}

test("large texts are processed while the event loop keeps running", async () => {
  const cell = newCell()
  const [done] = await Promise.all([offLoop(WORK, waitsForOthers)(MUCH, cell, "x"), setLater(cell)])
  expect(done).toBe(true)
})

test("small texts are processed at once without copying", async () => {
  const cell = new Int32Array(1)
  expect(await offLoop(WORK, isAtOnce)({ chars: AT_ONCE_CHARS }, cell, "x")).toBe(cell)
  expect(await offLoop(WORK, isAtOnce)(MUCH, cell, "x")).not.toBe(cell)
})

test("work that fails, or takes its thread along, fails alone", async () => {
  await expect(offLoop(WORK, fails)(MUCH, "x")).rejects.toThrow(new WorkError("fails: it cannot be done"))
  await expect(offLoop(WORK, ends)(MUCH, "x")).rejects.toThrow(WorkError)
  expect(await offLoop(WORK, isAtOnce)(MUCH, new Int32Array(1), "x")).toEqual(new Int32Array(1))
})

test("work that nobody waits for is dropped, and the work behind it gets its turn", async () => {
  const controller = new AbortController()
  const stuck = Array.from({ length: 8 }, () =>
    offLoop(WORK, waitsForOthers)({ ...MUCH, signal: controller.signal }, newCell(), "x"),
  )
  const next = offLoop(WORK, isAtOnce)(MUCH, new Int32Array(1), "x")
  controller.abort(new Error("gone"))
  expect((await Promise.allSettled(stuck)).map(({ status }) => status)).toEqual(Array(8).fill("rejected"))
  await expect(stuck[0]).rejects.toThrow("gone")
  expect(await next).toEqual(new Int32Array(1))
})
