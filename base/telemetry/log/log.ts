import { type LogFn, type Logger, pino } from "pino"

import { isUnwritable } from "../../disk-space.ts"
import { readSettings } from "../../settings.ts"
import { logForm } from "./log-form.ts"
import { logSettings } from "./log-settings.ts"
import { told } from "./told.ts"

/** Maximum number of characters kept from lines that could not be written. The oldest lines are kept, to show how the problem began. */
const MAX_WAITING = 1_000_000

const STANDARD_OUTPUT = 1

/**
 * The log of a process, on standard output, in the format given by `FOSSICK_LOG_FORMAT`. A process never ends because
 * its log cannot be written to a full disk. Text from pages and addresses cannot control the terminal that shows it,
 * nor start a new line.
 *
 * A message can have placeholders for its fields: `log.info({ source, pages }, "crawl {source}: {pages} new")`.
 *
 * @param fd where the lines go, if not to standard output
 */
export function openLog(name: string, env: NodeJS.ProcessEnv, fd = STANDARD_OUTPUT): Logger {
  const { logLevel, logFormat } = readSettings(logSettings, env)
  const stream = pino.destination({ dest: fd, sync: true, maxLength: MAX_WAITING })
  stream.on("error", (error: Error) => {
    const isGone = (error as NodeJS.ErrnoException).code === "EPIPE"
    if (!isGone && !isUnwritable(error)) throw error
  })
  const hooks = {
    streamWrite: logForm(logFormat, fd, env),
    logMethod: tell(logFormat === "text"),
  }
  return pino({ name, level: logLevel, hooks }, stream)
}

/** Fills the placeholders of a message. The text format does not repeat these fields after the message. */
const tell = (once: boolean) =>
  function logMethod(this: Logger, args: Parameters<LogFn>, method: LogFn): void {
    const [fields, message] = args as readonly unknown[]
    if (typeof fields !== "object" || fields === null || typeof message !== "string") {
      method.apply(this, args)
      return
    }
    const { text, names } = told(message, fields as Readonly<Record<string, unknown>>)
    const rest = once ? { ...fields, told: names } : fields
    // Bypasses pino's own formatting, which would treat a percent sign from a page as a placeholder.
    method.call(this, rest, "%s", text)
  }
