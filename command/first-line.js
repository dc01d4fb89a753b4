// Plain JavaScript that Node 14 and later can run, like find-node.js.
import { fstatSync, readFileSync, writeSync } from "node:fs"
import { isatty } from "node:tty"

/**
 * Logs that `fossick start` is starting, in the log's format (base/telemetry/log). All later lines need a suitable Node and the rest of
 * the code, which take seconds to find and load on a slow machine with cold files.
 *
 * @param {string[]} args of the command line; nothing is logged unless they start the appliance
 * @param {NodeJS.ProcessEnv} env
 */
export function firstLine(args, env) {
  const [command, ...options] = args
  if (command !== "start" || options.some((option) => option !== "--json")) return
  if (/^(warn|error|silent)$/.test(setting("FOSSICK_LOG_LEVEL", env))) return
  const fd = options.length > 0 ? 2 : 1
  const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"))
  const now = new Date()
  const two = (/** @type {number} */ number) => String(number).padStart(2, "0")
  const date = `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`
  const msg = `Fossick ${version} is starting (${date})`
  const time = [now.getHours(), now.getMinutes(), now.getSeconds()].map(two).join(":")
  const isPainted = isatty(fd) && !env["NO_COLOR"] && env["TERM"] !== "dumb"
  const head = isJournal(fd, env) ? "<6>" : isPainted ? `\u001b[2m${time}\u001b[0m ` : `${time} `
  const json = { level: 30, time: now.getTime(), pid: process.pid, name: "fossick", msg }
  const isJson = setting("FOSSICK_LOG_FORMAT", env) === "json"
  try {
    writeSync(fd, isJson ? `${JSON.stringify(json)}\n` : `${head}${msg}\n`)
  } catch {
    // The output is closed.
  }
}

/** A setting, found as in base/settings.ts: first in the environment, then in the file. base/settings.ts reports errors in both. */
function setting(name, env) {
  if (env[name]) return env[name]
  try {
    const text = readFileSync(env["FOSSICK_CONFIG_FILE"] || "fossick.env", "utf8")
    const line = new RegExp(`^\\s*(?:export\\s+)?${name}\\s*=\\s*["'\`]?(\\w*)`, "m").exec(text)
    return line === null ? "" : line[1]
  } catch {
    return ""
  }
}

function isJournal(fd, env) {
  if (!env["JOURNAL_STREAM"]) return false
  try {
    const { dev, ino } = fstatSync(fd)
    return env["JOURNAL_STREAM"] === `${dev}:${ino}`
  } catch {
    return false
  }
}
