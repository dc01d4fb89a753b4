import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { CHILD_ENV } from "./child-env.ts"

/** A command line as a test wants to run it. */
export interface Line {
  readonly args: readonly string[]
  readonly folder: string
  readonly env: NodeJS.ProcessEnv
}

/** How a command line ended. */
export interface Ended {
  readonly code: number
  readonly out: string
  readonly err: string
}

const PROGRAM = join(import.meta.dirname, "../../command/testing/one-process.ts")

/**
 * Runs command lines of `fossick` in one process, one after another, so that Node is started and the product is loaded
 * only once. Some effects can only be observed in a separate process per command line: those of signals, of a reader
 * that goes away, and of the process ending. The same goes for commands that lock the data folder until they end, such
 * as `doctor --repair`.
 */
export class Fossick implements AsyncDisposable {
  readonly #child: ChildProcess
  readonly #ended: Promise<unknown[]>
  #before: Promise<unknown> = Promise.resolve()

  constructor() {
    this.#child = fork(PROGRAM, {
      env: CHILD_ENV,
      execArgv: ["--disable-warning=ExperimentalWarning"],
      stdio: ["ignore", "pipe", "inherit", "ipc"],
    })
    this.#ended = once(this.#child, "exit")
  }

  /** @param env its environment, apart from {@link CHILD_ENV} */
  run(folder: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Ended> {
    const ran = this.#before.then(async () => {
      const line: Line = { args, folder, env: { ...CHILD_ENV, ...env } }
      this.#child.send(line)
      const over = this.#ended.then(([code]) => {
        throw new Error(`fossick ${args.join(" ")} ended its process with ${String(code)}`)
      })
      const [ended] = (await Promise.race([once(this.#child, "message"), over])) as [Ended]
      return ended
    })
    this.#before = ran.catch(() => {})
    return ran
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#before
    // Commands may have left listeners for signals.
    if (this.#child.connected) this.#child.disconnect()
    await this.#ended
  }
}
