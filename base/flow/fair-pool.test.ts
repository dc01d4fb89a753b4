import { setImmediate, setTimeout as sleep } from "node:timers/promises"

import { describe, expect, test } from "vitest"

import { until } from "../testing/until.ts"
import { callerHere, waitedHere } from "./caller.ts"
import { FairPool, poolCounts } from "./fair-pool.ts"

/** Tasks that end when told to, and the order in which they began. */
function tasks() {
  const begun: string[] = []
  const ends: { readonly name: string; readonly end: () => void }[] = []
  const settle = async (at: number) => {
    for (const { end } of ends.splice(at, 1)) end()
    await setImmediate()
  }
  return {
    begun,
    running: () => ends.map(({ name }) => name).join(" "),
    task: (name: string) => () => {
      begun.push(name)
      return new Promise<void>((resolve) => ends.push({ name, end: resolve }))
    },
    /** Ends the oldest running task, and lets waiting tasks begin. */
    endOne: () => settle(0),
    end: (name: string) => settle(ends.findIndex((one) => one.name === name)),
  }
}

class Refused extends Error {
  readonly seconds: number
  constructor(seconds: number) {
    super("more to do than can be done in time")
    this.seconds = seconds
  }
}
const refusal = (seconds: number) => new Refused(seconds)

describe("the turns of keys", () => {
  test("come round by round, whoever came first", async () => {
    const { begun, task, endOne } = tasks()
    const pool = new FairPool("searches", { places: 2 })
    const all = ["a1", "a2", "a3", "a4", "a5", "b1", "b2", "c1"].map((name) =>
      pool.run(task(name), { key: name[0]! }),
    )
    expect(begun).toEqual(["a1", "a2"])
    for (let i = 0; i < 8; i++) await endOne()
    await Promise.all(all)
    // With one place left, "a" has its half while the other keys wait.
    expect(begun).toEqual(["a1", "a2", "b1", "a3", "c1", "b2", "a4", "a5"])
  })

  test("skip keys that give up, and a failed task makes room", async () => {
    const { begun, task, endOne } = tasks()
    const pool = new FairPool("searches", { places: 1 })
    const first = pool.run(task("a1"), { key: "a" })
    const gone = new AbortController()
    const second = pool.run(task("a2"), { key: "a", signal: gone.signal })
    const third = pool.run(() => Promise.reject(new Error("failed")), { key: "b" })
    const fourth = pool.run(task("b2"), { key: "b" })
    third.catch(() => {})
    gone.abort(new Error("gave up"))
    await expect(second).rejects.toThrow("gave up")
    await expect(pool.run(task("a3"), { key: "a", signal: gone.signal })).rejects.toThrow("gave up")
    await endOne()
    await first
    await expect(third).rejects.toThrow("failed")
    await endOne()
    await fourth
    expect(begun).toEqual(["a1", "b2"])
  })

  test("are cancelled when the pool closes", async () => {
    const { task, endOne } = tasks()
    const pool = new FairPool("searches", { places: 1 })
    const first = pool.run(task("a1"), { key: "a" })
    const second = pool.run(task("a2"), { key: "a" })
    pool.close(new Error("closed"))
    await expect(second).rejects.toThrow("closed")
    await expect(pool.run(task("b1"), { key: "b" })).rejects.toThrow("closed")
    await endOne()
    await first
    expect([pool.running, pool.waiting]).toEqual([0, 0])
  })

  test("wait while the pool is not open", async () => {
    const { begun, task } = tasks()
    let isOpen = false
    const pool = new FairPool("searches", { places: 1, isOpen: () => isOpen })
    void pool.run(task("a1"), { key: "a" })
    pool.look()
    await setImmediate()
    expect(begun).toEqual([])
    isOpen = true
    pool.look()
    await setImmediate()
    expect(begun).toEqual(["a1"])
  })
})

describe("the share of a key", () => {
  test("is every place while no other key waits, and half of them while one does", async () => {
    const { running, task, end } = tasks()
    const pool = new FairPool("searches", { places: 4 })
    const all = ["a1", "a2", "a3", "a4", "a5", "a6"].map((name) => pool.run(task(name), { key: "a" }))
    expect(running()).toBe("a1 a2 a3 a4")
    all.push(...["b1", "b2", "b3"].map((name) => pool.run(task(name), { key: "b" })))
    for (const name of ["a1", "a2"]) await end(name)
    expect(running()).toBe("a3 a4 b1 b2")
    // Both keys are waiting: each gets back the places it gave up.
    await end("b1")
    expect(running()).toBe("a3 a4 b2 b3")
    await end("a3")
    expect(running()).toBe("a4 b2 b3 a5")
    for (const name of ["a4", "b2", "b3"]) await end(name)
    expect(running()).toBe("a5 a6")
    for (const name of ["a5", "a6"]) await end(name)
    await Promise.all(all)
  })

  test("grows again when the key that waited gives up", async () => {
    const { running, task, end } = tasks()
    const gone = new AbortController()
    let isOpen = true
    const pool = new FairPool("searches", { places: 2, isOpen: () => isOpen })
    const first = pool.run(task("a1"), { key: "a" })
    isOpen = false
    const second = pool.run(task("a2"), { key: "a" })
    const other = pool.run(task("b1"), { key: "b", signal: gone.signal })
    other.catch(() => {})
    isOpen = true
    gone.abort(new Error("gave up"))
    await setImmediate()
    expect(running()).toBe("a1 a2")
    for (const name of ["a1", "a2"]) await end(name)
    await Promise.all([first, second])
  })

  test("of long work leaves a quarter for new keys, whose first task starts at once", async () => {
    const { running, task, endOne } = tasks()
    const pool = new FairPool("live-reads", { places: 8 })
    const all = Array.from({ length: 60 }, (_, i) => pool.run(task(`a${i}`), { key: "a" }))
    expect(running()).toBe("a0 a1 a2 a3 a4 a5")
    for (const key of ["b", "c"]) all.push(pool.run(task(key), { key }))
    expect(running()).toBe("a0 a1 a2 a3 a4 a5 b c")
    while (pool.running > 0) await endOne()
    await Promise.all(all)
  })

  test("is half if a key cannot wait for a place", () => {
    const pool = new FairPool("live-calls", { places: 3 })
    const leave = pool.enter("a")!
    expect([pool.enter("a"), pool.enter("a"), pool.enter("b")].map((one) => one !== null)).toEqual([
      true,
      false,
      true,
    ])
    expect(pool.enter("c")).toBe(null)
    leave()
    leave()
    expect([pool.running, pool.refused]).toEqual([2, 2])
  })

  test("applies in the pools that a task uses too, without naming the key", async () => {
    const outer = new FairPool("searches", { places: 1 })
    expect(await outer.run(() => Promise.resolve(callerHere()), { key: "a" })).toBe("a")
    const inner = new FairPool("index-searches", { places: 2 })
    const { running, task, endOne } = tasks()
    const all = ["a1", "a2", "a3", "b1"].map((name) =>
      new FairPool("searches", { places: 1 }).run(() => inner.run(task(name)), { key: name[0]! }),
    )
    await setImmediate()
    await endOne()
    expect(running()).toBe("a2 b1")
    while (inner.running > 0) await endOne()
    await Promise.all(all)
    expect(callerHere()).toBe(undefined)
  })
})

describe("when too much waits", () => {
  test("the next task is refused, and the longest line loses its last task to a shorter one", async () => {
    const { begun, task, endOne } = tasks()
    const pool = new FairPool("searches", { places: 1, queue: 3, refusal })
    const all = ["a1", "a2", "a3", "a4"].map((name) => pool.run(task(name), { key: "a" }))
    expect(pool.waiting).toBe(3)
    expect(() => pool.check("a")).toThrow(Refused)
    await expect(pool.run(task("a5"), { key: "a" })).rejects.toThrow(Refused)
    all.push(pool.run(task("b1"), { key: "b" }))
    await expect(all[3]).rejects.toThrow(Refused)
    await expect(pool.run(task("b2"), { key: "b" })).rejects.toThrow(Refused)
    // A task that nobody is waiting for is still admitted, but costs no other key its turn.
    all.push(pool.run(task("c1"), { key: "c", isPatient: true }))
    for (let i = 0; i < 6; i++) await endOne()
    await Promise.allSettled(all)
    expect(begun).toEqual(["a1", "a2", "b1", "c1", "a3"])
    expect([pool.waiting, pool.refused]).toEqual([0, 4])
  })

  test("a task is refused at once if its estimated wait is too long, but another key's is not", async () => {
    const { begun, task, endOne } = tasks()
    const pool = new FairPool("searches", { places: 1, waitMs: 60_000, refusal })
    await pool.run(() => sleep(50), { key: "a" })
    const all = [pool.run(task("running"), { key: "a" })]
    for (let i = 0; i < 2000; i++) all.push(pool.run(task("a"), { key: "a", isPatient: true }))
    // 2,000 tasks of at least 50 ms each are ahead of this task.
    await expect(pool.run(task("late"), { key: "a" })).rejects.toMatchObject({ seconds: 60 })
    all.push(pool.run(task("b"), { key: "b" }))
    for (let i = 0; i < 2002; i++) await endOne()
    await Promise.all(all)
    expect(begun.slice(0, 3)).toEqual(["running", "a", "b"])
  })

  test("a task that has waited too long is sent away, and counted with its pool", async () => {
    const { begun, task, endOne } = tasks()
    const pool = new FairPool("searches", { places: 1, waitMs: 20, refusal })
    const before = { ...poolCounts().get("searches")! }
    const first = pool.run(task("a1"), { key: "a" })
    await expect(pool.run(task("a2"), { key: "a" })).rejects.toMatchObject({ seconds: 1 })
    await endOne()
    await first
    expect([begun, pool.waiting, pool.refused]).toEqual([["a1"], 0, 1])
    const after = poolCounts().get("searches")!
    expect([after.waited - before.waited, after.refused - before.refused, after.waiting]).toEqual([1, 1, 0])
    expect(after.waitedMs).toBeGreaterThan(before.waitedMs)
  })

  test("slow tasks are noticed before the first of them has ended", async () => {
    const { task, endOne } = tasks()
    const pool = new FairPool("searches", { places: 1, waitMs: 50, refusal })
    const isRefused = async () => {
      try {
        pool.check("b")
        return false
      } catch (error) {
        return error instanceof Refused
      }
    }
    const first = pool.run(task("a1"), { key: "a" })
    expect(await isRefused()).toBe(false)
    await until(isRefused)
    await endOne()
    await first
    // If a place is free, no task waits, however long the last one took.
    expect(await isRefused()).toBe(false)
  })
})

describe("how long a task has waited", () => {
  /** The wait that a task reports in a pool with one place, after another task had that place. */
  async function waited(name: "searches" | "research", task: () => number | Promise<number>) {
    const { task: other, endOne } = tasks()
    const pool = new FairPool(name, { places: 1 })
    const first = pool.run(other("other"))
    const second = pool.run(task)
    await sleep(5)
    await endOne()
    await first
    return await second
  }

  test("is known inside it, across all lines", async () => {
    expect(waitedHere()).toBe(0)
    let outer = 0
    const inner = await waited("searches", () => {
      outer = waitedHere()
      return waited("searches", waitedHere)
    })
    expect(outer).toBeGreaterThan(0)
    expect(inner).toBeGreaterThan(outer)
    expect(waitedHere()).toBe(0)
  })

  test("does not count requests made by long work", async () => {
    expect(await waited("research", waitedHere)).toBe(0)
  })
})
