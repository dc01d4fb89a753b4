import { type ChildProcess, type Serializable, spawn } from "node:child_process"
import { once } from "node:events"
import { readdirSync, readFileSync } from "node:fs"
import { availableParallelism, cpus, totalmem } from "node:os"
import { setTimeout as sleep } from "node:timers/promises"
import { garbageCollector } from "#base/process/garbage-collector.ts"

// Reads /proc, so the benches that measure memory or processes run only on Linux.

const TICKS_PER_SECOND = 100
const PAGE_BYTES = 4096
const SAMPLE_MS = 200

/** The middle value; the mean of the two middle values for an even count. NaN for an empty list. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  if (sorted.length % 2 === 1) return sorted[middle] ?? Number.NaN
  return ((sorted[middle - 1] ?? Number.NaN) + (sorted[middle] ?? Number.NaN)) / 2
}

/** The value that a share `p` (0..1) of the values does not exceed (nearest rank). NaN for an empty list. */
export function percentile(values: readonly number[], p: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(p * sorted.length) - 1)] ?? Number.NaN
}

/** The resources a finished process used, including every process it started and waited for. */
export interface Usage {
  /** Last line it wrote to standard output. */
  readonly lastLine: string
  readonly cpuSeconds: number
  /** Largest total resident memory of its processes, sampled five times a second. */
  readonly peakBytes: number
}

/** Runs a command to its end. @throws Error with the end of its error output when it fails. */
export async function runMeasured(
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): Promise<Usage> {
  const before = waitedCpuSeconds()
  const child = spawn(command, args, { env, stdio: ["ignore", "pipe", "pipe"] })
  let out = ""
  let err = ""
  child.stdout.setEncoding("utf8").on("data", (text: string) => (out += text))
  child.stderr.setEncoding("utf8").on("data", (text: string) => (err = (err + text).slice(-4000)))
  let peakBytes = 0
  const sampler = setInterval(() => {
    peakBytes = Math.max(peakBytes, residentBytes(processTree(child.pid ?? 0)))
  }, SAMPLE_MS)
  const end = () => child.kill("SIGKILL")
  // This listener is added before any listener that clears the folders the child writes to.
  process.prependOnceListener("exit", end)
  try {
    const [code] = (await once(child, "close")) as [number | null]
    if (code !== 0) throw new Error(`${command} ${args.join(" ")} exited with code ${code}:\n${err}`)
  } finally {
    clearInterval(sampler)
    process.off("exit", end)
  }
  return {
    lastLine: out.trimEnd().split("\n").at(-1) ?? "",
    cpuSeconds: waitedCpuSeconds() - before,
    peakBytes,
  }
}

/** CPU seconds of this process's ended children and their descendants (`cutime` and `cstime` of proc(5)). */
function waitedCpuSeconds(): number {
  const fields = statFields("self")
  return (Number(fields[13]) + Number(fields[14])) / TICKS_PER_SECOND
}

/** CPU seconds used so far by a process and all its threads, without its children. */
export function cpuSecondsOf(pid: number): number {
  const fields = statFields(pid)
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND
}

/** CPU seconds of a process and all its descendants so far, including descendants it has waited for. */
export function treeCpuSeconds(root: number): number {
  let ticks = 0
  for (const pid of processTree(root)) {
    try {
      // utime, stime, and both for children that have ended.
      for (const field of statFields(pid).slice(11, 15)) ticks += Number(field)
    } catch {
      // The process ended during the check.
    }
  }
  return ticks / TICKS_PER_SECOND
}

/** Fields of /proc/<pid>/stat from the third one on: [0] is the state, [1] the parent. */
function statFields(pid: number | string): string[] {
  const stat = readFileSync(`/proc/${pid}/stat`, "latin1")
  // The second field, the command's name in parentheses, may contain spaces.
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ")
}

/** A process and all its running descendants. */
export function processTree(root: number): number[] {
  const parents = new Map<number, number>()
  for (const name of readdirSync("/proc")) {
    const pid = Number(name)
    if (!Number.isInteger(pid)) continue
    try {
      parents.set(pid, Number(statFields(pid)[1]))
    } catch {
      // The process ended during the check.
    }
  }
  const tree = [root]
  for (const pid of tree) for (const [child, parent] of parents) if (parent === pid) tree.push(child)
  return tree
}

function residentBytes(pids: readonly number[]): number {
  let bytes = 0
  for (const pid of pids) {
    try {
      bytes += Number(readFileSync(`/proc/${pid}/statm`, "latin1").split(" ")[1]) * PAGE_BYTES
    } catch {
      // The process ended during the check.
    }
  }
  return bytes
}

/** How often {@link peakGrowth} samples. */
const GROWTH_LOOK_MS = 50

/**
 * The maximum number of bytes that this process and everything it started used above the earlier level while `work`
 * ran. Garbage is collected first, so that freed space does not hide any growth. For other processes, the highest level
 * that each ever reached is used.
 */
export async function peakGrowth<T>(
  work: () => Promise<T>,
): Promise<{ readonly result: T; readonly grown: number }> {
  garbageCollector()()
  const before = held()
  let grown = 0
  const look = () => {
    let sum = 0
    for (const [pid, bytes] of held()) sum += Math.max(0, bytes - (before.get(pid) ?? 0))
    grown = Math.max(grown, sum)
  }
  const timer = setInterval(look, GROWTH_LOOK_MS)
  try {
    const result = await work()
    look()
    return { result, grown }
  } finally {
    clearInterval(timer)
  }
}

/** Memory in bytes, keyed by process id. */
function held(): Map<number, number> {
  const bytes = new Map([[process.pid, process.memoryUsage.rss()]])
  for (const pid of startedBy(process.pid)) {
    try {
      const status = readFileSync(`/proc/${pid}/status`, "latin1")
      bytes.set(pid, Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024)
    } catch {
      // The process ended during the check.
    }
  }
  return bytes
}

/** All descendants, like {@link processTree}, read from the system's own list of children, which costs a fiftieth of checking all processes. */
function startedBy(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((task) => {
      const children = readFileSync(`/proc/${pid}/task/${task}/children`, "latin1").split(" ")
      return children.filter(Boolean).flatMap((child) => [Number(child), ...startedBy(Number(child))])
    })
  } catch {
    // The process, or one of its threads, ended during the check.
    return []
  }
}

/**
 * Memory of one process in bytes. `rss` is everything resident, `own` the memory that no other process maps; `pss`
 * divides shared pages among all processes on the machine that map them. `anonymous` is memory not backed by a file:
 * the system cannot reclaim it when it needs memory.
 */
export interface Memory {
  readonly rss: number
  readonly pss: number
  readonly own: number
  readonly anonymous: number
}

/** @throws Error when the process is gone. */
export function memoryOf(pid: number): Memory {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, "latin1")
  const kilobytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(text)?.[1]) * 1024
  const own = kilobytes("Private_Clean") + kilobytes("Private_Dirty")
  return { rss: kilobytes("Rss"), pss: kilobytes("Pss"), own, anonymous: kilobytes("Anonymous") }
}

/** Resident memory of processes that run the same program: their own pages, plus the largest shared part once. */
export function residentTogether(processes: readonly Memory[]): number {
  const own = processes.reduce((sum, one) => sum + one.own, 0)
  return own + Math.max(0, ...processes.map((one) => one.rss - one.own))
}

/** Ends a process with `signal`, and by force if it has not ended after `graceMs`. */
export async function stopProcess(child: ChildProcess, signal: NodeJS.Signals = "SIGTERM", graceMs = 15_000) {
  if (child.exitCode !== null || child.signalCode !== null) return
  const force = setTimeout(() => child.kill("SIGKILL"), graceMs)
  const exit = once(child, "exit")
  child.kill(signal)
  await exit
  clearTimeout(force)
}

/** The child's next message, or its next message of the given `kind`. @throws Error if the child ends first. */
export function nextMessage<T>(child: ChildProcess, kind?: string): Promise<T> {
  return new Promise((resolve, reject) => {
    const take = (message: unknown) => {
      if (kind !== undefined && (message as { kind?: unknown }).kind !== kind) return
      child.off("message", take).off("exit", leave)
      resolve(message as T)
    }
    const leave = (code: number | null) => {
      child.off("message", take)
      reject(new Error(`${child.spawnargs.join(" ")} exited with code ${code}`))
    }
    child.on("message", take).once("exit", leave)
  })
}

/** Sends the child a message. @returns its {@link nextMessage} */
export function answerTo<T>(child: ChildProcess, message: Serializable, kind?: string): Promise<T> {
  const answer = nextMessage<T>(child, kind)
  child.send(message)
  return answer
}

const START_LIMIT_MS = 60_000
const START_POLL_MS = 20

/** Waits until a starting server answers `url` with a 2xx status. @throws Error when the server ends or takes over a minute. */
export async function untilAnswers(server: ChildProcess, url: string): Promise<void> {
  const late = performance.now() + START_LIMIT_MS
  for (;;) {
    if (server.exitCode !== null)
      throw new Error(`${server.spawnargs.join(" ")} exited with code ${server.exitCode}`)
    const answer = await fetch(url).catch(() => null)
    if (answer?.ok) return
    if (performance.now() > late) throw new Error(`${url} does not answer`)
    await sleep(START_POLL_MS)
  }
}

export const MB = 1024 * 1024

/** One line about the machine that the figures come from. */
export function machine(): string {
  const model = cpus()[0]?.model.trim() ?? "unknown processor"
  const gigabytes = Math.round(totalmem() / 1024 / MB)
  const day = new Date().toISOString().slice(0, 10)
  return `${availableParallelism()} cores (${model}), ${gigabytes} GB, ${process.platform}, Node ${process.version}, ${day}`
}

/** A markdown table; the first row is its header. */
export function table(rows: ReadonlyArray<ReadonlyArray<string | number>>): string {
  const [head = [], ...body] = rows
  const line = (cells: ReadonlyArray<string | number>) => `| ${cells.join(" | ")} |\n`
  return line(head) + line(head.map(() => "---")) + body.map(line).join("")
}

/** `12345.6` as `12346`, `1.2345` as `1.23`. */
export function short(value: number): string {
  if (Math.abs(value) >= 100) return value.toFixed(0)
  return Math.abs(value) >= 10 ? value.toFixed(1) : value.toFixed(2)
}
