import type { ChildProcess } from "node:child_process"

const groups = new Set<number>()
const SIGNALS = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 } as const

/**
 * Ends a child that was started `detached`, with all processes in its group, when this process ends or is interrupted:
 * Ctrl-C does not reach another group. Clean-up that has to come later belongs in an `exit` listener that is added
 * later.
 */
export function endWithUs(child: ChildProcess): void {
  const { pid } = child
  if (pid === undefined) return
  listen()
  groups.add(pid)
  child.once("exit", () => groups.delete(pid))
}

let isListening = false

function listen(): void {
  if (isListening) return
  isListening = true
  process.once("exit", () => {
    for (const pid of groups) {
      try {
        process.kill(-pid, "SIGKILL")
      } catch {
        // The processes have ended in the meantime.
      }
    }
  })
  // The shell's exit code for a signal; without a listener, `exit` would not be emitted.
  for (const [name, number] of Object.entries(SIGNALS)) process.once(name, () => process.exit(128 + number))
}
