import { type Logger, pino } from "pino"
import { isDiskFull } from "../disk-space.ts"
import { printable } from "../printable.ts"

/** What is kept of lines that could not be written, in characters: the oldest stay, to say how it began. */
const MAX_WAITING = 1_000_000

/**
 * The log of a process, to the standard output. A disk that is full ends no process for the sake of its log. What pages and
 * addresses say cannot command the terminal that shows it.
 */
export function openLog(name: string, level: string): Logger {
  const stream = pino.destination({ dest: 1, sync: true, maxLength: MAX_WAITING })
  stream.on("error", (error: Error) => {
    const isGone = (error as NodeJS.ErrnoException).code === "EPIPE"
    if (!isGone && !isDiskFull(error)) throw error
  })
  return pino({ name, level, hooks: { streamWrite: printable } }, stream)
}
