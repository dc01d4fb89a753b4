import { writeSync } from "node:fs"

import { readSettings } from "../../settings.ts"
import { logForm } from "./log-form.ts"
import { logSettings } from "./log-settings.ts"
import { type Level, LEVELS } from "./text-line.ts"
import { told } from "./told.ts"

/** Writes the same lines as log.ts without loading the logging library, so that a process that only watches others stays small. */
export type PlainLog = (level: Level, message: string, fields?: Readonly<Record<string, unknown>>) => void

/** @param fd where the lines go: 1 is standard output, 2 standard error */
export function openPlainLog(name: string, fd: number, env: NodeJS.ProcessEnv): PlainLog {
  const { logLevel, logFormat } = readSettings(logSettings, env)
  const form = logForm(logFormat, fd, env)
  const least = logLevel === "silent" ? Infinity : LEVELS[logLevel]
  return (level, message, fields = {}) => {
    if (LEVELS[level] < least) return
    const { text, names } = told(message, fields)
    const rest = logFormat === "text" ? { ...fields, told: names } : fields
    const line = { level: LEVELS[level], time: Date.now(), pid: process.pid, name, ...rest, msg: text }
    try {
      writeSync(fd, form(`${JSON.stringify(line)}\n`))
    } catch {
      // The reader is gone or the disk is full: the process that logs here keeps running.
    }
  }
}
