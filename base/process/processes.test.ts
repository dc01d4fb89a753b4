import { EventEmitter } from "node:events"
import childProcess, { spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, readlinkSync, rmSync, writeFileSync } from "node:fs"
import { syncBuiltinESMExports } from "node:module"
import os, { getPriority, totalmem, tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import v8 from "node:v8"
import { runInNewContext } from "node:vm"
import { afterAll, afterEach, describe, expect, onTestFinished, test, vi } from "vitest"
import { garbageCollector } from "./garbage-collector.ts"
import { yieldToOthers } from "./low-priority.ts"
import { machineMemory } from "./machine-memory.ts"
import { clearLine, safeOutput } from "./safe-output.ts"
import { stopSignal } from "./stop-signal.ts"
import { startThread } from "./threads/thread.ts"
import { watchMemory } from "./watch-memory.ts"
import { WorkerProcess } from "./worker-process.ts"

const folder = mkdtempSync(join(tmpdir(), "fossick-process-"))
afterAll(() => rmSync(folder, { recursive: true }))
afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

/** Collects the listeners that are added to an emitter, by event, without actually adding them. */
function heard(emitter: NodeJS.EventEmitter): Map<string, (...args: unknown[]) => void> {
  const listeners = new Map<string, (...args: unknown[]) => void>()
  vi.spyOn(emitter, "on").mockImplementation((name, listener) => {
    listeners.set(String(name), listener as (...args: unknown[]) => void)
    return emitter
  })
  return listeners
}

/** Makes modules that import Node's built-ins by name use the spies until the test ends. */
function spreadSpies(): void {
  syncBuiltinESMExports()
  onTestFinished(() => {
    vi.restoreAllMocks()
    syncBuiltinESMExports()
  })
}

const failed = (code: string) => Object.assign(new Error(code), { code })

describe("output that nobody reads any more", () => {
  /** Acts as a process that starts and ends with `work`. Its mocks are removed afterwards, since other code needs the real process. */
  async function begin(
    work: (about: {
      readonly lost: typeof import("./lost-reader.ts")
      readonly interrupt: typeof import("./interrupt.ts")
      /** Functions that simulate an output error, one for each stream. */
      readonly hear: ((code: string) => void)[]
      readonly exits: unknown[][]
    }) => void,
  ): Promise<void> {
    vi.resetModules()
    const [lost, interrupt] = [await import("./lost-reader.ts"), await import("./interrupt.ts")]
    const exits: unknown[][] = []
    const streams = [heard(process.stdout), heard(process.stderr)]
    const hear = streams.map((stream) => (code: string) => stream.get("error")!(failed(code)))
    const exit = vi
      .spyOn(process, "exit")
      .mockImplementation(((...args: unknown[]) => exits.push(args)) as never)
    try {
      work({ lost, interrupt, hear, exits })
    } finally {
      exit.mockRestore()
    }
  }

  test("stops interruptible work once, and counts as success", async () => {
    await begin(({ lost, interrupt, hear, exits }) => {
      lost.endWithReader()
      let stops = 0
      const heard = interrupt.onInterrupt(() => (stops += 1))
      expect([0, 1, 130].map(lost.codeOf)).toEqual([0, 1, 130])
      hear[0]!("EPIPE")
      hear[1]!("EPIPE")
      heard[Symbol.dispose]()
      expect([exits, stops]).toEqual([[], 1])
      expect([0, 1, 130].map(lost.codeOf)).toEqual([0, 1, 0])
    })
  })

  test("lets stopped work finish its last step, and triggers no other SIGTERM listener", async () => {
    let killed = 0
    const kill = () => (killed += 1)
    process.on("SIGTERM", kill)
    onTestFinished(() => void process.off("SIGTERM", kill))
    await begin(({ lost, interrupt, hear, exits }) => {
      lost.endWithReader()
      interrupt.onInterrupt(() => undefined)[Symbol.dispose]()
      hear[0]!("EPIPE")
      expect([exits, killed]).toEqual([[], 0])
    })
  })

  test("ends work that handles no signal", async () => {
    await begin(({ lost, hear, exits }) => {
      lost.endWithReader()
      hear[1]!("EPIPE")
      expect(exits).toEqual([[0]])
    })
  })

  test("does not end a server, and neither does a full disk; any other error is thrown", async () => {
    await begin(({ lost, hear, exits }) => {
      lost.outliveReader()
      for (const one of hear) {
        for (const code of ["EPIPE", "ENOSPC"]) expect(() => one(code)).not.toThrow()
        expect(() => one("EIO")).toThrow("EIO")
      }
      expect([lost.codeOf(130), exits]).toEqual([130, []])
      lost.endWithReader()
      for (const one of hear) expect(() => one("ENOSPC")).toThrow("ENOSPC")
    })
  })
})

describe("safe output", () => {
  test("removes terminal control sequences from text, leaves bytes alone, and processes nothing twice", () => {
    const written: unknown[][] = []
    const stream = {
      write: (...args: unknown[]) => {
        written.push(args)
        return true
      },
    } as unknown as NodeJS.WriteStream
    safeOutput([stream])
    const once = { ...stream }
    safeOutput([stream])
    expect(stream).toEqual(once)
    expect(stream.write("a \u001b[2J b\n", "utf8")).toBe(true)
    clearLine(stream)
    expect(written).toEqual([["a \\u001b[2J b\n", "utf8"], [Buffer.from("\r\u001b[K")]])
  })

  test("covers both streams of a process", () => {
    const writes = [process.stdout, process.stderr].map((stream) => vi.spyOn(stream, "write"))
    for (const write of writes) write.mockReturnValue(true)
    safeOutput()
    process.stdout.write("\u0007")
    process.stderr.write("\u0007")
    for (const write of writes) expect(write.mock.calls).toEqual([["\\u0007"]])
  })
})

describe("a child that is told to stop", () => {
  const child = (connected: boolean) => {
    const listeners = new EventEmitter()
    return {
      listeners,
      signal: stopSignal(Object.assign(listeners, { connected }) as unknown as NodeJS.Process),
    }
  }

  test.each(["SIGTERM", "SIGINT", "SIGHUP", "disconnect"])("receives %s", (name) => {
    const { listeners, signal } = child(true)
    expect(signal.aborted).toBe(false)
    listeners.emit(name)
    expect(signal.aborted).toBe(true)
  })

  test("notices that its parent is gone", () => {
    expect(child(false).signal.aborted).toBe(true)
  })
})

describe("memory", () => {
  test("is that of the container if it is less than the machine's", () => {
    const limit = vi.spyOn(process, "constrainedMemory")
    const seen = [0, 1, 1000, 2 ** 52].map((bytes) => {
      limit.mockReturnValue(bytes)
      return machineMemory()
    })
    expect(seen).toEqual([totalmem(), 1, 1000, totalmem()])
  })

  test("is collected on request, and nothing else can request it", async () => {
    const collect = garbageCollector()
    const released = new WeakRef({ bytes: new Uint8Array(1000) })
    // A new weak reference keeps its target alive until the current turn ends.
    await new Promise((done) => setImmediate(done))
    collect()
    expect(released.deref()).toBeUndefined()
    expect(() => runInNewContext("gc")).toThrow("gc is not defined")
  })

  test("is checked every 20 ms, and reported while it is over the limit", () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] })
    const rss = vi.spyOn(process.memoryUsage, "rss").mockReturnValue(3 * 1024 * 1024)
    let told = 0
    watchMemory(3, () => void (told += 1))
    vi.advanceTimersByTime(100)
    expect(told).toBe(0)
    rss.mockReturnValue(3 * 1024 * 1024 + 1)
    vi.advanceTimersByTime(19)
    expect(told).toBe(0)
    vi.advanceTimersByTime(21)
    expect(told).toBe(2)
    vi.clearAllTimers()
    vi.useRealTimers()
  })
})

test("V8 is told to compile no shared wrappers before the first thread starts", async () => {
  const set = vi.spyOn(v8, "setFlagsFromString")
  spreadSpies()
  vi.resetModules()
  const anew = await import("./threads/thread.ts")
  for (let more = 0; more < 2; more++) await anew.startThread(new URL("data:text/javascript,")).terminate()
  expect(set.mock.calls).toEqual([["--wasm-wrapper-tiering-budget=2147483647"]])
})

test("a thread has the flags that it was given, and one that keeps the environment out of reports", async () => {
  const started = async (execArgv?: string[]) => {
    const program =
      "import { parentPort } from 'node:worker_threads'; parentPort.postMessage(process.execArgv)"
    const worker = startThread(
      new URL(`data:text/javascript,${encodeURIComponent(program)}`),
      execArgv && { execArgv },
    )
    const flags = await new Promise((done) => void worker.once("message", done))
    await worker.terminate()
    return flags
  }
  expect(await started()).toEqual(["--report-exclude-env"])
  expect(await started(["--no-warnings"])).toEqual(["--no-warnings", "--report-exclude-env"])
})

describe("a thread that yields to all others", () => {
  /** Sleeps, and reports its system thread id. */
  async function sleeper() {
    const program = `import { readlinkSync } from "node:fs"; import { parentPort } from "node:worker_threads"
      setInterval(() => {}, 1000); parentPort.postMessage(readlinkSync("/proc/thread-self").split("/").at(-1))`
    const worker = startThread(new URL(`data:text/javascript,${encodeURIComponent(program)}`))
    const id = Number(await new Promise((done) => void worker.once("message", done)))
    return { id, [Symbol.asyncDispose]: async () => void (await worker.terminate()) }
  }
  /** Column 41 of `/proc/self/task/…/stat`: 5 is SCHED_IDLE (proc(5), sched(7)). */
  const policyOf = (id: number) =>
    readFileSync(`/proc/self/task/${id}/stat`, "latin1").split(") ")[1]!.split(" ")[38]

  test(
    "has the lowest priority, while the rest of the process keeps its own",
    { tags: ["linux"] },
    async () => {
      await using thread = await sleeper()
      const before = getPriority()
      expect(yieldToOthers(thread.id)).toBe(true)
      expect([getPriority(thread.id), getPriority()]).toEqual([19, before])
      const hasChrt = spawnSync("chrt", ["--version"]).error === undefined
      await expect.poll(() => policyOf(thread.id)).toBe(hasChrt ? "5" : "0")
      expect(policyOf(process.pid)).toBe("0")
    },
  )

  test("is the one that asks for it, unless another is named", { tags: ["linux"] }, () => {
    const set = vi.spyOn(os, "setPriority").mockReturnValue()
    const start = vi.spyOn(childProcess, "execFile").mockReturnValue(null as never)
    spreadSpies()
    expect(yieldToOthers()).toBe(true)
    const own = Number(readlinkSync("/proc/thread-self").split("/").at(-1))
    expect(set.mock.calls).toEqual([[own, 19]])
    expect(start.mock.calls.map(([command, args]) => [command, args])).toEqual([
      ["chrt", ["--idle", "--pid", "0", String(own)]],
    ])
  })

  test("continues unchanged if that is not possible", async () => {
    expect(yieldToOthers(2 ** 31 - 1)).toBe(false)
    const platform = Object.getOwnPropertyDescriptor(process, "platform")!
    const before = getPriority()
    Object.defineProperty(process, "platform", { ...platform, value: "darwin" })
    try {
      expect(yieldToOthers(process.pid)).toBe(false)
    } finally {
      Object.defineProperty(process, "platform", platform)
    }
    expect(getPriority()).toBe(before)
  })
})

describe("a worker process", () => {
  const program = (name: string, code: string): URL => {
    const file = join(folder, `${name}.mjs`)
    writeFileSync(file, code)
    return pathToFileURL(file)
  }

  test("ends with its code, with none if it was killed, and with 1 if it cannot start", async () => {
    const ended = program("ended", "process.exit(Number(process.argv[2]))")
    expect(await new WorkerProcess(ended, ["5"]).exited).toBe(5)
    const killed = program("killed", "process.kill(process.pid, 'SIGKILL')")
    expect(await new WorkerProcess(killed).exited).toBeNull()
    const counts = program("counts", "process.exit(process.argv.length)")
    expect(await new WorkerProcess(counts).exited).toBe(2)
    const { execPath } = process
    process.execPath = join(folder, "missing")
    const failed = new WorkerProcess(ended)
    process.execPath = execPath
    expect(await failed.exited).toBe(1)
  })

  test("does not read its parent's input", async () => {
    const reads = program("reads", "process.stdin.on('end', () => process.exit(6)); process.stdin.resume()")
    expect(await new WorkerProcess(reads).exited).toBe(6)
  })

  test("is disconnected when it has to stop, and exits", async () => {
    const works = program(
      "works",
      "process.on('disconnect', () => process.exit(7)); if (!process.connected) process.exit(7); process.on('SIGTERM', () => process.exit(8)); setInterval(() => {}, 1000)",
    )
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
    const worker = new WorkerProcess(works)
    await worker.stop()
    expect(await worker.exited).toBe(7)
    // Further calls have no effect.
    for (let more = 0; more < 3; more++) await worker.stop()
    expect(vi.getTimerCount()).toBe(0)
  })

  test("is killed when it does not end in time", async () => {
    const stuck = program("stuck", "process.on('disconnect', () => {}); setInterval(() => {}, 1000)")
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
    const worker = new WorkerProcess(stuck)
    const stopping = worker.stop()
    vi.advanceTimersByTime(9999)
    let hasEnded = false
    void worker.exited.then(() => (hasEnded = true))
    await new Promise((done) => setImmediate(done))
    expect(hasEnded).toBe(false)
    vi.advanceTimersByTime(1)
    await stopping
    expect(await worker.exited).toBeNull()
    expect(vi.getTimerCount()).toBe(0)
    vi.useRealTimers()
  })
})
