import { printableLine } from "../../text/printable.ts"

/** Names and numbers of levels as in pino and syslog(3). */
export const LEVELS = { debug: 20, info: 30, warn: 40, error: 50, fatal: 60 } as const
export type Level = keyof typeof LEVELS

/** One event, before it is formatted. */
export interface LogRecord {
  readonly level: number
  /** Milliseconds since the epoch. */
  readonly time: number
  readonly msg?: string
  /** Fields that already appear in the message. */
  readonly told?: readonly string[]
  readonly [field: string]: unknown
}

/** The kind of reader that the lines are for. */
export interface LogReader {
  /** Whether the reader is a terminal that shows colours. */
  readonly colours: boolean
  /** Whether the reader is systemd's journal, which adds the time and reads the severity from `<4>` at the start of a line (sd-daemon(3)). */
  readonly journal: boolean
}

/** Fields that are in every line and are of no use to an operator. */
const LEFT_OUT = new Set(["level", "time", "msg", "pid", "hostname", "name", "told"])

const DIM = 2
const RED = 31
const YELLOW = 33

/**
 * One event as a line for people: `12:03:04 WARNING a webhook was not delivered host=hooks.example id=7`. The time is the
 * machine's local time. Fields follow as `key=value`; a value with blanks is quoted as in JSON. Text from foreign pages can never
 * begin a new line.
 */
export function textLine(record: LogRecord, { colours, journal }: LogReader): string {
  const { level, time, msg = "" } = record
  const painted = (text: string, colour: number) => (colours ? `\u001b[${colour}m${text}\u001b[0m` : text)
  const word = wordOf(level)
  const head = journal ? `<${severity(level)}>` : `${painted(timeOfDay(time), DIM)} `
  const mark = word === "" ? "" : `${painted(word, level >= LEVELS.error ? RED : YELLOW)} `
  const text = [safe(msg), ...fieldsOf(record)].filter((part) => part !== "").join(" ")
  return `${head}${mark}${text}\n`
}

/** `12:03:04`, in the machine's time zone. */
export const timeOfDay = (time: number): string => {
  const date = new Date(time)
  return [date.getHours(), date.getMinutes(), date.getSeconds()]
    .map((part) => String(part).padStart(2, "0"))
    .join(":")
}

function wordOf(level: number): string {
  if (level >= LEVELS.error) return "ERROR"
  if (level >= LEVELS.warn) return "WARNING"
  return level >= LEVELS.info ? "" : "debug"
}

/** The severity of a level as numbered in syslog(3): err, warning, info, debug. */
function severity(level: number): number {
  if (level >= LEVELS.error) return 3
  if (level >= LEVELS.warn) return 4
  return level >= LEVELS.info ? 6 : 7
}

function fieldsOf(record: LogRecord): string[] {
  const { status, told = [] } = record
  const isWell = record.level === LEVELS.info && typeof status === "number" && status < 400
  return Object.entries(record).flatMap(([key, value]) => {
    if (LEFT_OUT.has(key) || told.includes(key) || value === undefined || value === null) return []
    // This field is longer than all the others; for a successful call it is available in the JSON format.
    if (isWell && key === "requestId") return []
    return key === "err" ? errorFields(value, record.level) : [`${key}=${shown(value)}`]
  })
}

/** The name and message of an error, and where it was thrown if it was logged as an error or worse. */
function errorFields(err: unknown, level: number): string[] {
  const { type = "Error", message = "", code, stack = "" } = err as Partial<Record<string, string>>
  const fields = [`error=${shown(`${type}: ${message}`)}`]
  if (code !== undefined) fields.push(`code=${shown(code)}`)
  const at = /^\s+at .*?([^/\\(\s]+:\d+:\d+)\)?$/m.exec(stack)?.[1]
  return at === undefined || level < LEVELS.error ? fields : [...fields, `at=${shown(at)}`]
}

function shown(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value)
  return safe(/^[^\s"=]+$/.test(text) || typeof value === "object" ? text : JSON.stringify(text))
}

// Unicode has additional line separators at which some log viewers start a new line.
const safe = (text: string): string =>
  printableLine(text).replace(/[\u2028\u2029]/g, (end) => `\\u${end.charCodeAt(0).toString(16)}`)
