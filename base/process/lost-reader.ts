import { isUnwritable } from "../disk-space.ts"
import { interrupt } from "./interrupt.ts"

/** The shell's exit code for Ctrl-C, which a command also returns when stopped midway. */
const INTERRUPTED = 130

let isLost = false

/**
 * Ends the process quietly when its output is no longer read, as after `fossick jobs list | head -1`, instead of with the stack
 * trace of an EPIPE. Work that can be stopped ({@link onInterrupt}) stops as on Ctrl-C.
 */
export function endWithReader(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE") throw error
      // Each later write fails with the same error.
      if (isLost) return
      isLost = true
      if (!interrupt()) process.exit(0)
    })
  }
}

/** The exit code: 0 if the output's reader is gone, since it isn't a failure when a reader skips the rest. */
export const codeOf = (code: number): number => (isLost && code === INTERRUPTED ? 0 : code)

/** Lets a program, such as a server, keep working even if its output is not read, or cannot be written to a full disk. */
export function outliveReader(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE" && !isUnwritable(error)) throw error
    })
  }
}
