import { getEventListeners, once } from "node:events"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { availableParallelism, tmpdir } from "node:os"
import { join } from "node:path"
import { setImmediate } from "node:timers/promises"
import { pathToFileURL } from "node:url"
import { MessageChannel } from "node:worker_threads"

import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from "vitest"

import { answerCalls } from "./work-answers.ts"
import { threadsBeside, WorkError, type WorkLimits, WorkThreads } from "./work-threads.ts"

const PROGRAM = new URL("./work-thread.ts", import.meta.url)
const MODULE = new URL("../../testing/blocking-work.ts", import.meta.url).href
const newCell = () => new Int32Array(new SharedArrayBuffer(4))
const folder = mkdtempSync(join(tmpdir(), "fossick-threads-"))
afterAll(() => rmSync(folder, { recursive: true }))
// Timers are faked, because the limits are seconds and minutes.
beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }))
afterEach(() => void vi.useRealTimers())

/** Waits until messages that have arrived so far are handled. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await setImmediate()
}

/** Records whether the work has ended, and how; its rejection counts as handled. */
function notedEnd(work: Promise<unknown>): string[] {
  const ends: string[] = []
  void work.then(
    () => ends.push("done"),
    () => ends.push("failed"),
  )
  return ends
}

/** A few short-lived threads for one test. */
function threads(limits: Partial<WorkLimits> = {}) {
  const all = new WorkThreads(PROGRAM, { threads: 1, ...limits })
  const run = (name: string, args: readonly unknown[] = [], signal?: AbortSignal) =>
    all.run({ module: MODULE, name, args }, signal)
  return { run }
}

describe("the number of threads", () => {
  test("consecutive work uses one thread, and parallel work up to the maximum", async () => {
    const { run } = threads({ threads: 2 })
    const first = await run("whichThread")
    expect(await run("whichThread")).toBe(first)
    const many = await Promise.all(Array.from({ length: 6 }, () => run("takes", [50])))
    expect([...new Set(many)]).toHaveLength(2)
    expect(many).toContain(first)
  })

  test("two pieces of work run at the same time, one waiting for the other", async () => {
    const { run } = threads({ threads: 2 })
    const cell = newCell()
    const waiting = run("waitsForOthers", [cell])
    await run("wakes", [cell])
    expect(await waiting).toBe(true)
  })

  test("threads stay while there is work, end after ten idle seconds, and start again", async () => {
    const { run } = threads({ threads: 2 })
    const first = await Promise.all([run("whichThread"), run("whichThread")])
    const cell = newCell()
    const waiting = run("waitsForOthers", [cell])
    // The other thread finishes in the meantime, which does not count as idle time.
    await run("whichThread")
    vi.advanceTimersByTime(25_000)
    await run("wakes", [cell])
    expect(await waiting).toBe(true)
    for (let more = 0; more < 2; more++) {
      vi.advanceTimersByTime(9999)
      expect(first).toContain(await run("whichThread"))
    }
    vi.advanceTimersByTime(10_000)
    const later = await run("whichThread")
    expect(later).toBeGreaterThan(Math.max(...(first as number[])))
    vi.advanceTimersByTime(10_000)
    expect(await run("whichThread")).toBeGreaterThan(later as number)
  })

  test("neither an idle thread nor a starting one keeps a process from exiting", async () => {
    const held = () => process.getActiveResourcesInfo().filter((what) => what === "MessagePort").length
    const before = held()
    const { run } = threads()
    for (let more = 0; more < 2; more++) {
      const work = run("takes", [100])
      expect(held()).toBe(before + 1)
      await work
      expect(held()).toBe(before)
    }
  })

  test("the idle timer does not keep a process from exiting", async () => {
    const set = vi.spyOn(globalThis, "setTimeout")
    await threads().run("isAtOnce", [1])
    const quiet = set.mock.results[set.mock.calls.findIndex(([, ms]) => ms === 10_000)]?.value
    set.mockRestore()
    expect(quiet?.hasRef()).toBe(false)
  })

  test("the default is one less than the processors, and at most four", async () => {
    const all = new WorkThreads(PROGRAM)
    const begun = Array.from({ length: 6 }, () => all.run({ module: MODULE, name: "takes", args: [50] }))
    const used = new Set(await Promise.all(begun))
    expect(used.size).toBe(threadsBeside(availableParallelism()))
    expect([1, 2, 3, 5, 64].map(threadsBeside)).toEqual([1, 1, 2, 4, 4])
  })

  test("a finished thread has no time limit left", async () => {
    const { run } = threads()
    await run("isAtOnce", [1])
    // Only the idle timer is left.
    expect(vi.getTimerCount()).toBe(1)
  })
})

describe("work that goes wrong", () => {
  test("is dropped with its thread if it takes too long, and the work behind it gets its turn", async () => {
    const { run } = threads()
    const first = await run("whichThread")
    const stuck = run("waitsForOthers", [newCell()])
    const next = run("whichThread")
    const ends = notedEnd(stuck)
    vi.advanceTimersByTime(29_999)
    await turns()
    expect(ends).toEqual([])
    vi.advanceTimersByTime(1)
    await expect(stuck).rejects.toThrow(new WorkError("waitsForOthers: it took more than 30000 ms"))
    expect(await next).toBeGreaterThan(first as number)
  })

  test("has its time limit from when its thread is ready, which can take a minute to start", async () => {
    const gate = join(folder, "gate")
    const slow = join(folder, "slow.ts")
    writeFileSync(
      slow,
      `import { existsSync } from "node:fs"
       while (!existsSync(${JSON.stringify(gate)})) await new Promise((done) => setTimeout(done, 10))
       await import(${JSON.stringify(PROGRAM.href)})`,
    )
    const all = new WorkThreads(pathToFileURL(slow), { threads: 1 })
    const cell = newCell()
    const stuck = all.run({ module: MODULE, name: "beginsAndWaits", args: [cell] })
    const ends = notedEnd(stuck)
    vi.advanceTimersByTime(59_999)
    writeFileSync(gate, "")
    // A poll by vitest would advance the clock.
    while (Atomics.load(cell, 0) === 0) await turns()
    await turns()
    vi.advanceTimersByTime(29_999)
    await turns()
    expect(ends).toEqual([])
    vi.advanceTimersByTime(1)
    await expect(stuck).rejects.toThrow("it took more than 30000 ms")
  })

  test("fails when its thread never gets ready", async () => {
    const dead = join(folder, "dead.ts")
    writeFileSync(dead, "setInterval(() => {}, 1000)")
    const all = new WorkThreads(pathToFileURL(dead), { threads: 1 })
    const stuck = all.run({ module: MODULE, name: "isAtOnce", args: [1] })
    vi.advanceTimersByTime(60_000)
    await expect(stuck).rejects.toThrow(new WorkError("isAtOnce: it took more than 60000 ms"))
  })

  test("reports how its thread ended: by exiting, out of memory, or by a program error", async () => {
    const { run } = threads({ memoryMb: 24 })
    await expect(run("ends")).rejects.toThrow(new WorkError("ends: the thread exited with code 3"))
    await expect(run("growsForever")).rejects.toThrow(/^growsForever: .*memory/)
    const broken = join(folder, "broken.ts")
    writeFileSync(broken, `throw new Error("broken program")`)
    const all = new WorkThreads(pathToFileURL(broken), { threads: 1 })
    await expect(all.run({ module: MODULE, name: "isAtOnce", args: [1] })).rejects.toThrow(
      new WorkError("isAtOnce: broken program"),
    )
    expect(await run("isAtOnce", [7])).toBe(7)
  })

  test("whose arguments cannot be copied fails alone", async () => {
    const { run } = threads()
    const failed = run("isAtOnce", [() => 1])
    const next = run("isAtOnce", [7])
    await expect(failed).rejects.toThrow(WorkError)
    await expect(failed).rejects.toMatchObject({
      name: "WorkError",
      message: /^isAtOnce: .*could not be cloned/,
    })
    expect(await next).toBe(7)
  })
})

describe("work that nobody waits for", () => {
  test("leaves its thread to others, or never starts", async () => {
    const { run } = threads()
    const [running, queued] = [new AbortController(), new AbortController()]
    const cell = newCell()
    const begun = await run("whichThread")
    const work = run("waitsForOthers", [newCell()], running.signal)
    const never = run("wakes", [cell], queued.signal)
    const first = run("isAtOnce", [1])
    const neither = run("wakes", [cell], queued.signal)
    const last = run("whichThread")
    queued.abort(new Error("not wanted"))
    for (const one of [never, neither]) await expect(one).rejects.toThrow("not wanted")
    running.abort(new Error("gone"))
    await expect(work).rejects.toThrow("gone")
    expect(await first).toBe(1)
    expect(await last).toBeGreaterThan(begun as number)
    expect(cell[0]).toBe(0)
  })

  test("is left alone if it is already done, and so is what its thread does next", async () => {
    const { run } = threads()
    const { signal } = new AbortController()
    const first = await run("whichThread", [], signal)
    expect(getEventListeners(signal, "abort")).toEqual([])
    const controller = new AbortController()
    await run("isAtOnce", [1], controller.signal)
    const next = run("takes", [100])
    controller.abort()
    expect(await next).toBe(first)
  })
})

test("a thread reports that it is ready, and then the result of each call", async () => {
  const { port1, port2 } = new MessageChannel()
  const heard = async () => ((await once(port1, "message")) as [unknown])[0]
  const ready = heard()
  answerCalls(port2)
  expect(await ready).toBe("ready")
  for (const [name, args, answer] of [
    ["isAtOnce", [7], { value: 7 }],
    ["fails", [], { error: "it cannot be done" }],
    ["failsOddly", [], { error: "no error" }],
    ["nothing", [], { error: expect.stringContaining("not a function") }],
  ] as const) {
    const answered = heard()
    port1.postMessage({ module: MODULE, name, args })
    expect(await answered).toEqual(answer)
  }
  port1.close()
})

test("a thread has a memory limit, and a stack for deep recursion", async () => {
  const limits = { maxOldGenerationSizeMb: 512, stackSizeMb: 8 }
  expect(await threads().run("limits")).toMatchObject(limits)
  expect(await threads({ memoryMb: 24 }).run("limits")).toMatchObject({
    ...limits,
    maxOldGenerationSizeMb: 24,
  })
})

test("a thread has none of the process's environment, which holds secrets, except the compile cache folder", async () => {
  const { run } = threads()
  const known = process.env["NODE_COMPILE_CACHE"] === undefined ? [] : ["NODE_COMPILE_CACHE"]
  expect(await run("surroundings")).toEqual([...known, "--report-exclude-env"])
})
