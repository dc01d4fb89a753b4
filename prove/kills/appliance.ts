import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"

import { pause } from "#base/flow/pause.ts"
import { endWithUs } from "#base/testing/end-with-us.ts"
import { PATIENCE } from "#base/testing/patience.ts"
import { isAlive } from "../../api/testing/appliance.ts"
import { processTree } from "../../bench/measure.ts"
import { commandOf } from "../running/vitals.ts"

const FOSSICK = join(import.meta.dirname, "../../command/fossick.js")
const LOOK_MS = 20
/** Maximum wait: far longer than a start takes, so that a longer wait is a fault. */
const GIVEN_UP_MS = PATIENCE.expect.poll.timeout
const OUTPUT_KEPT = 50_000
/** A process that hasn't appeared within this time must have already ended. */
const THERE_MS = 5000

/** A process of an appliance that can be killed; `all` means all of them at once, as in a power cut. */
export type Victim = "api" | "crawler" | "job" | "backup" | "supervisor" | "all"

const PROGRAMS: Readonly<Record<Exclude<Victim, "all" | "supervisor">, RegExp>> = {
  api: /\/api\/main\.ts/,
  crawler: /\/crawler\/main\.ts/,
  job: /\/job-worker\.ts/,
  backup: /\/backup-worker\.ts/,
}

/** The response to a call; status 0 means that there was none. */
export interface Answered {
  readonly status: number
  readonly text: string
}

/** `fossick start` with a fixed folder and port, so that it can be killed and started again. */
export class Appliance implements AsyncDisposable {
  /** Settings used for every start. */
  readonly settings: Readonly<Record<string, string>>
  readonly url: string
  readonly key: string
  #child: ChildProcess | null = null
  #output = ""

  /** @param key key with the role admin, in `FOSSICK_API_KEY` */
  constructor(env: Readonly<Record<string, string>>, port: number, key: string) {
    this.settings = {
      PATH: process.env["PATH"] ?? "",
      ...env,
      FOSSICK_PORT: String(port),
      FOSSICK_API_KEY: key,
    }
    this.url = `http://127.0.0.1:${port}`
    this.key = key
  }

  /** The end of the appliance's output since the object was created. */
  get output(): string {
    return this.#output
  }

  /**
   * Starts the appliance.
   * @param more more settings for this start
   * @param through a command that runs the command which follows it
   */
  start(more: Readonly<Record<string, string>> = {}, through: readonly string[] = []): void {
    const [program, ...args] = [...through, process.execPath]
    const child = spawn(program, [...args, FOSSICK, "start"], {
      env: { ...this.settings, ...more },
      // Started in its own process group, so that all of it can be killed at once.
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
    })
    endWithUs(child)
    this.#child = child
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (chunk) => (this.#output = (this.#output + String(chunk)).slice(-OUTPUT_KEPT)))
    }
  }

  /** Id of `fossick start`, or of the program that started it if that program keeps running. */
  get pid(): number | undefined {
    return this.#child?.pid
  }

  /** Whether `fossick start` is running. */
  get isRunning(): boolean {
    return this.#child !== null && this.#child.exitCode === null && this.#child.signalCode === null
  }

  /**
   * Waits until the appliance is ready, restarting it whenever it ends, as a service manager would.
   * @returns milliseconds from this call until the appliance is ready
   * @throws Error if it never becomes ready
   */
  async ready(more: Readonly<Record<string, string>> = {}): Promise<number> {
    const since = performance.now()
    let said = ""
    while (performance.now() - since < GIVEN_UP_MS) {
      if (!this.isRunning) this.start(more)
      const { status, text } = await this.call("/readyz")
      if (status === 200) return performance.now() - since
      said = text || said
      await pause(LOOK_MS)
    }
    throw new Error(`it was not ready within ${GIVEN_UP_MS / 1000} s: ${said}\n${this.#output.slice(-3000)}`)
  }

  /** Stops the appliance as an operator does. */
  async stop(): Promise<void> {
    if (!this.isRunning) return
    const exited = once(this.#child!, "exit")
    this.#child!.kill("SIGTERM")
    await exited
  }

  /** Whether this process exists. */
  has(victim: Victim): boolean {
    const pid = this.#child?.pid
    if (pid === undefined || !this.isRunning) return false
    return victim === "all" || processTree(pid).some((one) => isVictim(one, pid, victim))
  }

  /** Kills a process with SIGKILL, and waits until it is gone. @returns false if there is no such process */
  async kill(victim: Victim): Promise<boolean> {
    const child = this.#child
    if (child?.pid === undefined || !this.isRunning) return false
    const tree = processTree(child.pid)
    const killed = victim === "all" ? tree : [tree.find((pid) => isVictim(pid, child.pid!, victim))]
    if (killed[0] === undefined) return false
    const exited = killed[0] === child.pid ? once(child, "exit") : null
    if (victim === "all") process.kill(-child.pid, "SIGKILL")
    else process.kill(killed[0], "SIGKILL")
    await exited
    while (killed.some((pid) => commandOf(pid!) !== "")) await pause(1)
    return true
  }

  /**
   * Kills a process like {@link kill} does, this many milliseconds after it appears.
   * @returns false if it did not appear in time, or had already ended
   */
  async killAfter(victim: Victim, ms: number): Promise<boolean> {
    // A process that is started for this work takes a moment to appear.
    for (const since = performance.now(); !this.has(victim) && performance.now() - since < THERE_MS;)
      await pause(1)
    await pause(ms)
    return await this.kill(victim)
  }

  /** Calls the appliance's API with the operator's key or another one; if there is no response, the status is 0. */
  async call(
    path: string,
    body?: object,
    { key = this.key, method = body === undefined ? "GET" : "POST" } = {},
  ): Promise<Answered> {
    try {
      const response = await fetch(this.url + path, {
        method,
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      return { status: response.status, text: await response.text() }
    } catch {
      return { status: 0, text: "" }
    }
  }

  /** Like {@link call}, but repeats until there is a response, which is parsed as JSON. @throws Error if the call is refused */
  async ask<T>(path: string, body?: object, options: { key?: string; method?: string } = {}): Promise<T> {
    for (const since = performance.now(); performance.now() - since < GIVEN_UP_MS;) {
      const { status, text } = await this.call(path, body, options)
      if (status >= 200 && status < 300) return JSON.parse(text) as T
      if (status !== 0 && status !== 503) throw new Error(`${path} answered ${status}: ${text.slice(0, 500)}`)
      await pause(LOOK_MS)
    }
    throw new Error(`${path} was not answered within ${GIVEN_UP_MS / 1000} s:\n${this.#output.slice(-3000)}`)
  }

  /** Leaves no process behind, whatever state it is in. */
  async [Symbol.asyncDispose](): Promise<void> {
    const pid = this.#child?.pid
    await this.kill("all")
    // Processes that outlived their supervisor.
    if (pid !== undefined && isAlive(-pid)) process.kill(-pid, "SIGKILL")
  }
}

const isVictim = (pid: number, supervisor: number, victim: Exclude<Victim, "all">): boolean =>
  victim === "supervisor" ? pid === supervisor : PROGRAMS[victim].test(commandOf(pid))
