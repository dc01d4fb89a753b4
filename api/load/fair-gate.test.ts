import { setTimeout as sleep } from "node:timers/promises"

import { expect, test } from "vitest"

import { until } from "#base/testing/until.ts"

import { ApiError } from "../errors.ts"
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
  const gate = new FairGate({ places: 2 })
  const all = ["a1", "a2", "a3", "a4", "a5", "b1", "b2", "c1"].map((name) => gate.run(name[0]!, task(name)))
  expect(begun).toEqual(["a1", "a2"])
  for (let i = 0; i < 8; i++) await endOne()
  await Promise.all(all)
  expect(begun).toEqual(["a1", "a2", "a3", "b1", "c1", "a4", "b2", "a5"])
})

test("who gives up is passed over, and a failed task makes room", async () => {
  const { begun, task, endOne } = tasks()
  const gate = new FairGate({ places: 1 })
  const first = gate.run("a", task("a1"))
  const gone = new AbortController()
  const second = gate.run("a", task("a2"), { signal: gone.signal })
  const third = gate.run("b", () => Promise.reject(new Error("failed")))
  const fourth = gate.run("b", task("b2"))
  third.catch(() => {})
  gone.abort(new Error("gave up"))
  await expect(second).rejects.toThrow("gave up")
  await expect(gate.run("a", task("a3"), { signal: gone.signal })).rejects.toThrow("gave up")
  await endOne()
  await first
  await expect(third).rejects.toThrow("failed")
  await endOne()
  await fourth
  expect(begun).toEqual(["a1", "b2"])
})

const refused = { status: 429, headers: { "Retry-After": expect.stringMatching(/^\d+$/) } }

test("when too many wait, the next is refused, and the longest line loses its last to a shorter one", async () => {
  const { begun, task, endOne } = tasks()
  const gate = new FairGate({ places: 1, queue: 3 })
  const all = ["a1", "a2", "a3", "a4"].map((name) => gate.run("a", task(name)))
  expect(gate.waiting).toBe(3)
  expect(() => gate.check("a")).toThrow("more to do than it can answer in time")
  await expect(gate.run("a", task("a5"))).rejects.toMatchObject(refused)
  all.push(gate.run("b", task("b1")))
  await expect(all[3]).rejects.toMatchObject(refused)
  await expect(gate.run("b", task("b2"))).rejects.toMatchObject(refused)
  // One that nobody waits for is let in all the same, and loses its turn to nobody.
  all.push(gate.run("c", task("c1"), { isPatient: true }))
  for (let i = 0; i < 6; i++) await endOne()
  await Promise.allSettled(all)
  expect(begun).toEqual(["a1", "a2", "b1", "c1", "a3"])
  expect([gate.waiting, gate.shed]).toEqual([0, 4])
})

test("who would wait too long by the time that tasks take is refused at once, another key is not", async () => {
  const { begun, task, endOne } = tasks()
  const gate = new FairGate({ places: 1, waitMs: 60_000 })
  await gate.run("a", () => sleep(50))
  const all = [gate.run("a", task("running"))]
  const patient = { isPatient: true }
  for (let i = 0; i < 2000; i++) all.push(gate.run("a", task("a"), patient))
  // 2,000 tasks of 50 ms and more before it.
  await expect(gate.run("a", task("late"))).rejects.toMatchObject({
    ...refused,
    headers: { "Retry-After": "60" },
  })
  all.push(gate.run("b", task("b")))
  for (let i = 0; i < 2002; i++) await endOne()
  await Promise.all(all)
  expect(begun.slice(0, 3)).toEqual(["running", "a", "b"])
})

test("who has waited too long is sent away", async () => {
  const { begun, task, endOne } = tasks()
  const gate = new FairGate({ places: 1, waitMs: 20 })
  const first = gate.run("a", task("a1"))
  await expect(gate.run("a", task("a2"))).rejects.toMatchObject(refused)
  await endOne()
  await first
  expect([begun, gate.waiting, gate.shed]).toEqual([["a1"], 0, 1])
})

function isRefused(gate: FairGate, key: string): boolean {
  try {
    gate.check(key)
    return false
  } catch (error) {
    return error instanceof ApiError && error.status === 429
  }
}

test("tasks that have become slow are known before the first of them has ended", async () => {
  const { task, endOne } = tasks()
  const gate = new FairGate({ places: 1, waitMs: 50 })
  const first = gate.run("a", task("a1"))
  expect(isRefused(gate, "b")).toBe(false)
  await until(() => isRefused(gate, "b"))
  await endOne()
  await first
  // With a free place nobody waits, however long the last one took.
  expect(isRefused(gate, "b")).toBe(false)
})
