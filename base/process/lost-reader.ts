import { isUnwritable } from "../disk-space.ts"
import { interrupt } from "./interrupt.ts"

/** As a shell counts Ctrl-C, and what a command gives that was stopped in the middle. */
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
      // Each later write fails again.
      if (isLost) return
      isLost = true
      if (!interrupt()) process.exit(0)
    })
  }
}

/** The exit code: 0 after a lost reader, since it is no failure when a reader skips the rest. */
export const codeOf = (code: number): number => (isLost && code === INTERRUPTED ? 0 : code)

/** For what works on whether its output is read, or kept on a disk with room for it, or not, such as a server. */
export function outliveReader(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE" && !isUnwritable(error)) throw error
    })
  }
}
