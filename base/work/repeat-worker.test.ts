import { pino } from "pino"
import { expect, test } from "vitest"
import { EXIT_AGAIN, EXIT_LOCKED } from "../process/worker-process.ts"
import { until } from "../testing/until.ts"
import { repeatWorker, type RepeatWorkerOptions } from "./repeat-worker.ts"

/** Starts processes that end with these codes, one after another; a process without a code runs until it is stopped. */
function repeat(codes: (number | null | "works")[], options: Partial<RepeatWorkerOptions> = {}) {
  const lines: string[] = []
  const stopped: number[] = []
  let started = 0
  const stop = new AbortController()
  const done = repeatWorker({
    async start() {
      const at = started
      started += 1
      const code = codes[at]!
      const { promise: exited, resolve } = Promise.withResolvers<number | null>()
      if (code !== "works") resolve(code)
      return {
        exited,
        async stop() {
          stopped.push(at)
          resolve(1)
          await exited
        },
      }
    },
    hasWork: async () => started < codes.length,
    called: "the mill",
    pollMs: 1,
    pauseMs: 1,
    maxPauseMs: 4,
    log: pino({ level: "debug" }, { write: (line: string) => void lines.push(line) }),
    signal: stop.signal,
    ...options,
  })
  return {
    lines,
    stopped,
    started: () => started,
    stop: async () => {
      stop.abort()
      await done
    },
  }
}

const pausesOf = (lines: readonly string[]) => lines.map((line) => (JSON.parse(line) as { ms: number }).ms)

test("a failing process is restarted after growing pauses until one ends well", async () => {
  const { lines, started, stop } = repeat([1, 1, 1, null, 0, 1])
  await until(async () => started() === 6 && lines.length === 5)
  await stop()
  expect(pausesOf(lines)).toEqual([1, 2, 4, 4, 1])
  expect(lines[0]).toContain("the mill failed and will be restarted")
})

test("a process that asks for a restart gets it at once, and an index in use is not logged as a failure", async () => {
  const ends: (number | null)[] = []
  const { lines, started, stop } = repeat([EXIT_AGAIN, EXIT_LOCKED, 1], {
    isFailure: (code) => code !== EXIT_LOCKED,
    onExit: (code) => void ends.push(code),
  })
  await until(async () => started() === 3 && lines.length === 1)
  await stop()
  expect(ends).toEqual([EXIT_AGAIN, EXIT_LOCKED, 1])
  expect(pausesOf(lines)).toEqual([1])
})

test("a process makes way while others are busy, and the work resumes later", async () => {
  let isBusy = true
  const { lines, stopped, started, stop } = repeat(["works", "works"], { isBusy: async () => isBusy })
  await until(async () => stopped.includes(0))
  isBusy = false
  await until(async () => started() === 2)
  await stop()
  expect(stopped).toEqual([0, 1])
  expect(lines).toEqual([])
})

test("a stop ends the process, and nothing is started afterwards", async () => {
  const { stopped, started, stop } = repeat(["works", 0])
  await until(async () => started() === 1)
  await stop()
  expect([stopped, started()]).toEqual([[0], 1])
})
