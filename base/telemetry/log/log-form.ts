import { fstatSync } from "node:fs"
import { isatty } from "node:tty"

import { printable } from "../../text/printable.ts"
import { masked } from "./masked.ts"
import { type LogReader, type LogRecord, textLine } from "./text-line.ts"

export type LogFormat = "text" | "json"

/** Turns an event, given as JSON on one line, into the line to be written. */
export type LogForm = (line: string) => string

/** The format of a log that is written to a file descriptor, depending on its target: a file, a terminal or the journal. */
export function logForm(
  format: LogFormat,
  fd: number,
  env: NodeJS.ProcessEnv = process.env,
  isTerminal: (fd: number) => boolean = isatty,
): LogForm {
  if (format === "json") return (line) => masked(printable(line))
  const reader: LogReader = { colours: isTerminal(fd) && wantsColours(env), journal: isJournal(fd, env) }
  return (line) => masked(textLine(JSON.parse(line) as LogRecord, reader))
}

/** `NO_COLOR` as defined by no-color.org: any non-empty text. */
const wantsColours = (env: NodeJS.ProcessEnv): boolean => !env["NO_COLOR"] && env["TERM"] !== "dumb"

/** Whether a file descriptor leads to systemd's journal: systemd names the device and inode of the stream that it connected to its journal (systemd.exec(5), `JOURNAL_STREAM`). */
function isJournal(fd: number, env: NodeJS.ProcessEnv): boolean {
  const named = env["JOURNAL_STREAM"]
  if (!named) return false
  try {
    const { dev, ino } = fstatSync(fd)
    return named === `${dev}:${ino}`
  } catch {
    return false
  }
}
