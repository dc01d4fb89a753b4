import { setImmediate } from "node:timers/promises"
import { describe, expect, test } from "vitest"
import { Gate } from "./gate.ts"

/** A task that is over when it is told to be. */
function task(name: string, begun: string[]) {
  const { promise, resolve } = Promise.withResolvers<string>()
  const run = () => {
    begun.push(name)
    return promise
  }
  return { run, end: () => resolve(name) }
}

describe("a gate of two places", () => {
  test("lets two in, and the others in their order as places get free", async () => {
    const gate = new Gate(2)
    const begun: string[] = []
    const tasks = ["a", "b", "c", "d"].map((name) => task(name, begun))
    const results = Promise.all(tasks.map(({ run }) => gate.run(run)))
    await setImmediate()
    expect(begun).toEqual(["a", "b"])
    tasks[1]!.end()
    await setImmediate()
    expect(begun).toEqual(["a", "b", "c"])
    for (const { end } of tasks) end()
    expect(await results).toEqual(["a", "b", "c", "d"])
  })

  test("frees the place of a task that fails, and forgets one that gave up waiting", async () => {
    const gate = new Gate(1)
    const begun: string[] = []
    const first = task("first", begun)
    const given = new AbortController()
    const failing = gate.run(() => first.run().then(() => Promise.reject(new Error("failed"))))
    const gone = gate.run(task("gone", begun).run, given.signal)
    const last = task("last", begun)
    const waiting = gate.run(last.run, new AbortController().signal)
    given.abort(new Error("no longer wanted"))
    await expect(gone).rejects.toThrow("no longer wanted")
    first.end()
    await expect(failing).rejects.toThrow("failed")
    last.end()
    expect(await waiting).toBe("last")
    expect(begun).toEqual(["first", "last"])
  })
})
