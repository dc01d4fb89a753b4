import { type ChildProcess, spawn } from "node:child_process"

import type { ChildMessage } from "./messages.ts"

export interface ChildOptions {
  readonly name: string
  /** Module to run. */
  readonly module: string
  readonly env: NodeJS.ProcessEnv
  /** Where the child's standard output goes; by default, to this process's standard output. */
  readonly output?: "stdout" | "stderr"
  onMessage(message: ChildMessage): void
  /** Called before a restart: `ending` says how the child ended, `restartMs` is the number of milliseconds until it starts again. */
  onCrash(name: string, ending: string, restartMs: number): void
  /**
   * Called instead when the child crashed {@link MAX_RESTARTS} times without ever running for a minute, with the reason
   * for the last crash.
   * @returns milliseconds until the next attempt; null to give up
   */
  onGiveUp(name: string, ending: string): number | null
  /** Milliseconds before the first restart; each further restart waits twice as long. Default 500. */
  readonly firstRestartMs?: number
  /**
   * Milliseconds after which an exit is reported: a signal to all processes may end a child before the supervisor
   * receives it. Default 100.
   */
  readonly tellMs?: number
}

const TELL_MS = 100
const FIRST_RESTART_MS = 500
const LAST_RESTART_MS = 30_000
/** Maximum number of consecutive restarts: with the delays between them, they take about three minutes, after which temporary problems should have passed. */
export const MAX_RESTARTS = 10
/** Milliseconds after which a running child counts as healthy again: after its next crash it is restarted with the first delay. */
const HEALTHY_MS = 60_000

const NODE_FLAGS = [
  // node:sqlite still announces itself as experimental at every start.
  "--disable-warning=ExperimentalWarning",
  // A young generation of 16 MB, the default, adds 25 MB to an idle API's resident memory.
  "--max-semi-space-size=4",
  // A crash report, if the operator has Node write one, would contain all secrets in the environment.
  "--report-exclude-env",
]

/** A child process that is restarted when it ends unexpectedly, with growing delays while it keeps crashing. */
export class Child {
  readonly #options: ChildOptions
  #process: ChildProcess | null = null
  #timer: NodeJS.Timeout | undefined
  #crashes = 0
  #stopping = false

  constructor(options: ChildOptions) {
    this.#options = options
  }

  get name(): string {
    return this.#options.name
  }

  start(): void {
    const startedAt = performance.now()
    const child = spawn(process.execPath, [...NODE_FLAGS, this.#options.module], {
      env: this.#options.env,
      stdio: ["ignore", this.#options.output === "stderr" ? 2 : "inherit", "inherit", "ipc"],
    })
    this.#process = child
    child.on("message", (message) => this.#options.onMessage(message as ChildMessage))
    child.once("error", (error) => this.#ended(startedAt, error.message))
    child.once("exit", (code, signal) => this.#ended(startedAt, signal ?? `code ${code}`))
  }

  /** Stops treating the child's exit as a crash, so that it is not restarted. */
  expectEnd(): void {
    this.#stopping = true
    clearTimeout(this.#timer)
  }

  /** Asks the child to finish, kills it after `graceMs`, and resolves when it has exited. */
  async stop(graceMs: number): Promise<void> {
    this.expectEnd()
    const child = this.#process
    if (child === null) return
    const gone = new Promise((resolve) => child.once("exit", resolve))
    const force = setTimeout(() => child.kill("SIGKILL"), graceMs)
    child.kill("SIGTERM")
    await gone
    clearTimeout(force)
  }

  #ended(startedAt: number, ending: string): void {
    if (this.#process === null) return
    this.#process = null
    if (this.#stopping) return
    if (performance.now() - startedAt > HEALTHY_MS) this.#crashes = 0
    this.#crashes += 1
    this.#timer = setTimeout(() => {
      const delay = this.#tell(ending)
      if (delay === null) return
      this.#timer = setTimeout(() => {
        this.start()
      }, delay)
    }, this.#options.tellMs ?? TELL_MS)
  }

  /** @returns milliseconds until the child is started again; null: never */
  #tell(ending: string): number | null {
    const { name, firstRestartMs = FIRST_RESTART_MS } = this.#options
    if (this.#crashes > MAX_RESTARTS) return this.#options.onGiveUp(name, ending)
    const delay = Math.min(LAST_RESTART_MS, firstRestartMs * 2 ** (this.#crashes - 1))
    this.#options.onCrash(name, ending, delay)
    return delay
  }
}
