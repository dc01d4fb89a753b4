import { expect, test } from "vitest"

import { FairGate } from "./fair-gate.ts"

/** Tasks that end when they are told to, and the order they began in. */
function tasks() {
  const begun: string[] = []
  const ends: (() => void)[] = []
  return {
    begun,
    task: (name: string) => () => {
      begun.push(name)
      return new Promise<void>((resolve) => ends.push(resolve))
    },
    /** Ends the oldest task under way, and lets what waits begin. */
    endOne: async () => {
      ends.shift()?.()
      await new Promise((resolve) => setImmediate(resolve))
    },
  }
}

test("who waits is served by turns, whoever came first", async () => {
  const { begun, task, endOne } = tasks()
  const gate = new FairGate(2)
  const all = ["a1", "a2", "a3", "a4", "a5", "b1", "b2", "c1"].map((name) => gate.run(name[0]!, task(name)))
  expect(begun).toEqual(["a1", "a2"])
  for (let i = 0; i < 8; i++) await endOne()
  await Promise.all(all)
  expect(begun).toEqual(["a1", "a2", "a3", "b1", "c1", "a4", "b2", "a5"])
})

test("who gives up is passed over, and a failed task makes room", async () => {
  const { begun, task, endOne } = tasks()
  const gate = new FairGate(1)
  const first = gate.run("a", task("a1"))
  const gone = new AbortController()
  const second = gate.run("a", task("a2"), gone.signal)
  const third = gate.run("b", () => Promise.reject(new Error("failed")))
  const fourth = gate.run("b", task("b2"))
  third.catch(() => {})
  gone.abort(new Error("gave up"))
  await expect(second).rejects.toThrow("gave up")
  await expect(gate.run("a", task("a3"), gone.signal)).rejects.toThrow("gave up")
  await endOne()
  await first
  await expect(third).rejects.toThrow("failed")
  await endOne()
  await fourth
  expect(begun).toEqual(["a1", "b2"])
})
