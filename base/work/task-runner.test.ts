import { pino } from "pino"
import { expect, test } from "vitest"
import { until } from "../testing/until.ts"
import { callerHere } from "../flow/caller.ts"
import { type Task, TaskRunner, type TaskRunnerOptions, type Turn } from "./task-runner.ts"

/** A runner for tasks in memory, each of which runs until it is ended. Task names consist of their key and a number. */
function open(ids: readonly string[], options: Partial<TaskRunnerOptions<Task>> = {}) {
  const waiting = [...ids]
  const turns = new Map<string, Turn>()
  const callers: (string | undefined)[] = []
  const ends = new Map<string, () => void>()
  const forgotten: Date[] = []
  const lines: string[] = []
  const state = { isOwed: false, recovered: 0 }
  const runner = new TaskRunner<Task>({
    tasks: {
      isShared: false,
      turns: { isOwed: async () => state.isOwed },
      async begin() {
        const id = waiting.shift()
        return id === undefined ? null : { id, owner: { keyId: id.slice(0, 1) } }
      },
      async recover() {
        state.recovered += 1
        return true
      },
      async forget(before) {
        forgotten.push(before)
      },
    },
    called: { tasks: "chores", old: "old chores" },
    places: 2,
    async work({ id }, turn) {
      callers.push(callerHere())
      turns.set(id, turn)
      const { promise, resolve } = Promise.withResolvers<void>()
      ends.set(id, resolve)
      turn.signal.addEventListener("abort", () => resolve())
      await promise
    },
    keptMs: 1000,
    guard: { mayDelete: async () => true },
    log: pino({ level: "debug" }, { write: (line: string) => void lines.push(line) }),
    ...options,
  })
  const end = (id: string) => ends.get(id)!()
  return { runner, waiting, turns, callers, end, forgotten, lines, state }
}

test("tasks start while there are slots, on behalf of their keys, and the next when one has ended", async () => {
  const { runner, end, callers } = open(["a1", "b1", "a2"])
  runner.wake()
  await until(async () => runner.running.length === 2)
  expect(runner.running).toEqual(["a1", "b1"])
  end("a1")
  await until(async () => runner.running.includes("a2"))
  expect(runner.running).toEqual(["b1", "a2"])
  expect(callers).toEqual(["a", "b", "a"])
  await runner[Symbol.asyncDispose]()
})

test("a start resumes tasks of lost processes and deletes old ones, unless the clock is in doubt", async () => {
  const before = Date.now()
  const sure = open(["a1"])
  await sure.runner.start()
  await until(async () => sure.runner.running.length === 1)
  expect(sure.state.recovered).toBe(1)
  expect(sure.forgotten).toHaveLength(1)
  expect(sure.forgotten[0]!.getTime()).toBeGreaterThanOrEqual(before - 1000)
  expect(sure.forgotten[0]!.getTime()).toBeLessThanOrEqual(Date.now() - 1000)
  const doubtful = open([], { guard: { mayDelete: async () => false } })
  await doubtful.runner.start()
  expect(doubtful.forgotten).toEqual([])
  for (const { runner } of [sure, doubtful]) await runner[Symbol.asyncDispose]()
})

test("one task is cancelled without affecting others, and all end when the runner closes", async () => {
  const { runner, turns } = open(["a1", "b1"])
  runner.wake()
  await until(async () => turns.size === 2)
  await runner.cancel("a1")
  expect(runner.running).toEqual(["b1"])
  expect(runner.cancel("a1")).toBeNull()
  await runner[Symbol.asyncDispose]()
  expect(runner.running).toEqual([])
  const ended = ["a1", "b1"].map((id) => turns.get(id)!)
  expect(ended.map(({ cancelled, stopped }) => [cancelled.aborted, stopped.aborted])).toEqual([
    [true, true],
    [false, true],
  ])
})

test("one task at a time yields after its turn, if another key is waiting", async () => {
  const { runner, turns, state, end } = open(["a1", "a2"], { turnMs: 0 })
  runner.wake()
  await until(async () => turns.size === 2)
  const over = () => Promise.all(["a1", "a2"].map((id) => turns.get(id)!.isOver()))
  expect(await over()).toEqual([false, false])
  state.isOwed = true
  expect(await over()).toEqual([true, false])
  state.isOwed = false
  expect(await over()).toEqual([true, false])
  end("a1")
  await until(async () => !runner.running.includes("a1"))
  state.isOwed = true
  expect(await turns.get("a2")!.isOver()).toBe(true)
  await runner[Symbol.asyncDispose]()
  const long = open(["a1"], { turnMs: 3_600_000 })
  long.state.isOwed = true
  long.runner.wake()
  await until(async () => long.turns.size === 1)
  expect(await long.turns.get("a1")!.isOver()).toBe(false)
  await long.runner[Symbol.asyncDispose]()
})

test("nothing starts while disk space is low, and tasks do once there is enough", async () => {
  let looks = 0
  const { runner, waiting } = open(["a1"], { room: { isLow: () => (looks += 1) < 2 } })
  runner.wake()
  await until(async () => looks === 1)
  expect(waiting).toEqual(["a1"])
  await until(async () => runner.running.length === 1)
  await runner[Symbol.asyncDispose]()
})

test("an unavailable store is logged, and asked again at the next wake-up", async () => {
  let isBroken = true
  const { runner, lines } = open([], {
    tasks: {
      isShared: false,
      turns: { isOwed: async () => false },
      async begin() {
        if (isBroken) throw new Error("the disk is gone")
        isBroken = true
        return { id: "a1", owner: { keyId: "a" } }
      },
      recover: async () => true,
      forget: async () => {
        throw new Error("the disk is gone, too")
      },
    },
    places: 1,
  })
  await runner.start()
  await until(async () => lines.length === 2)
  expect(lines.join("")).toContain("chores could not be started")
  expect(lines.join("")).toContain("old chores were not deleted")
  isBroken = false
  runner.wake()
  await until(async () => runner.running.length === 1)
  await runner[Symbol.asyncDispose]()
})
