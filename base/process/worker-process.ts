import { type ChildProcess, fork } from "node:child_process"

/** Exit code of a process that found the index locked by another writer. */
export const EXIT_LOCKED = 3
/** Exit code of a job process that left work undone, because there was too little room on the disk. */
export const EXIT_NO_ROOM = 4

/** Exit code of a job process that needs to be restarted at once, for example with another model. */
export const EXIT_AGAIN = 5

/** Argument that makes a job process read every file of the index before it works. */
export const CHECK_ALL = "--check-all"

/** An option that saves memory in idle processes, but costs a working process a twentieth of its CPU time. */
const SMALL_NURSERY = "--max-semi-space-size="

/** Milliseconds after which a process that has not ended is killed; its reported results are safe. */
const GRACE_MS = 10_000

/** A child process that works until there is nothing left to do, and then ends. */
export class WorkerProcess {
  /** Exit code; null when a signal ended it. */
  readonly exited: Promise<number | null>
  readonly #child: ChildProcess

  /** @param program a module that ends when its parent disconnects */
  constructor(program: URL, args: readonly string[] = []) {
    this.#child = fork(program, args, {
      stdio: ["ignore", "inherit", "inherit", "ipc"],
      execArgv: process.execArgv.filter((flag) => !flag.startsWith(SMALL_NURSERY)),
    })
    this.exited = new Promise((resolve) => {
      this.#child.once("exit", (code) => {
        resolve(code)
      })
      this.#child.once("error", () => {
        resolve(1)
      })
    })
  }

  /** Ends the process gracefully: current visits are finished, and the job is queued again. */
  async stop(): Promise<void> {
    const kill = setTimeout(() => this.#child.kill("SIGKILL"), GRACE_MS)
    // A signal isn't used, because on Windows it would end the process at once.
    if (this.#child.connected) this.#child.disconnect()
    await this.exited
    clearTimeout(kill)
  }
}
