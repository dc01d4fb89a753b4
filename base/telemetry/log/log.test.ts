import { execFile, execFileSync } from "node:child_process"
import { closeSync, constants, fstatSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs"
import { hostname, tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"

import type { Logger } from "pino"
import { afterAll, describe, expect, test } from "vitest"

import { openLog } from "./log.ts"
import { logForm } from "./log-form.ts"
import { masked } from "./masked.ts"
import { openPlainLog } from "./plain-log.ts"
import { LEVELS, textLine, timeOfDay } from "./text-line.ts"

const LOG = new URL("./log.ts", import.meta.url).href
const PLAIN = new URL("./plain-log.ts", import.meta.url).href
const FIRST = new URL("../../../command/first-line.js", import.meta.url).href
const PLACE = { colours: false, journal: false }
// oxlint-disable-next-line no-control-regex
const COMMANDS = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/
const hostile = "\u001b[2J\u009b31m\u202eevil\u2066\u0007"

const folder = mkdtempSync(join(tmpdir(), "fossick-log-"))
afterAll(() => rmSync(folder, { recursive: true }))

let files = 0

/** Everything written to a file descriptor, line by line. */
function writtenTo(work: (fd: number) => void): string[] {
  const file = join(folder, `${files++}.log`)
  const fd = openSync(file, "w")
  work(fd)
  closeSync(fd)
  return readFileSync(file, "utf8").split("\n").slice(0, -1)
}

const written = (
  work: (log: Logger) => void,
  { name = "test", env = {} }: { readonly name?: string; readonly env?: NodeJS.ProcessEnv } = {},
): string[] => writtenTo((fd) => work(openLog(name, env, fd)))

/** The output of a program with these lines, line by line. */
async function writtenByProgram(code: string, env: NodeJS.ProcessEnv = {}): Promise<string[]> {
  const program = `import { openLog } from ${JSON.stringify(LOG)}
    import { openPlainLog } from ${JSON.stringify(PLAIN)}
    import { firstLine } from ${JSON.stringify(FIRST)}
    ${code}`
  const args = ["--input-type=module", "-e", program]
  const { stdout } = await promisify(execFile)(process.execPath, args, { env, cwd: import.meta.dirname })
  return stdout.split("\n").slice(0, -1)
}

describe("the log as text", () => {
  test("writes an event as a line that an operator can read", () => {
    const [crawl, request] = written((log) => {
      log.info(
        { source: "postgres", new: 1169, failed: 0, seconds: 41, job: 7 },
        "crawl {source} finished: {new} new, {failed} failed, {seconds} s",
      )
      log
        .child({ requestId: "0b0b" })
        .info(
          { method: "POST", path: "/search", status: 200, ms: 31, key: "docs-bot", query: undefined },
          "{method} {path} {status} {ms} ms key {key}",
        )
    })
    expect(crawl).toMatch(/^\d\d:\d\d:\d\d crawl postgres finished: 1,169 new, 0 failed, 41 s job=7$/)
    expect(request).toMatch(/^\d\d:\d\d:\d\d POST \/search 200 31 ms key docs-bot$/)
  })

  test("lets refused and failed calls be found by the id that their caller has", () => {
    const requestId = "0b0b-5f3e"
    const lines = written((log) => {
      log.child({ requestId }).info({ status: 401 }, "{status}")
      log.child({ requestId }).info({ status: 400 }, "{status}")
      log.child({ requestId }).info({ status: "200" }, "{status}")
      log.child({ requestId }).warn({ status: 200 }, "{status}")
      log.child({ requestId }).info({ status: 399, page: 2 }, "{status}")
    })
    expect(lines.map((line) => line.slice("12:03:04 ".length))).toEqual([
      "401 requestId=0b0b-5f3e",
      "400 requestId=0b0b-5f3e",
      "200 requestId=0b0b-5f3e",
      "WARNING 200 requestId=0b0b-5f3e",
      "399 page=2",
    ])
  })

  test("writes messages without placeholders, and fields without a message, unchanged", () => {
    const lines = written((log) => {
      log.info("plain {word} 100 %")
      log.info("of %s and %d", "pino", 2)
      log.info({ source: "docs" })
      log.info({ pages: [1], left: null, gone: true }, "{pages} {left} {gone} {other}")
      log.info(null, "nothing {of} it")
    })
    expect(lines.map((line) => line.slice("12:03:04 ".length))).toEqual([
      "plain {word} 100 %",
      "of pino and 2",
      "source=docs",
      "{pages} {left} {gone} {other} pages=[1] gone=true",
      "nothing {of} it",
    ])
  })

  test("each severity has its word, its colour and its number in the journal", () => {
    const line = (level: number, reader: Partial<typeof PLACE> = {}) =>
      textLine({ level, time: 0, msg: "m" }, { ...PLACE, ...reader })
    const { debug, info, warn, error, fatal } = LEVELS
    expect([debug, info, warn, error, fatal].map((level) => line(level).slice("12:03:04 ".length))).toEqual([
      "debug m\n",
      "m\n",
      "WARNING m\n",
      "ERROR m\n",
      "ERROR m\n",
    ])
    expect(
      [debug, info, warn, error, fatal].map((level) => line(level, { journal: true }).slice(0, 3)),
    ).toEqual(["<7>", "<6>", "<4>", "<3>", "<3>"])
    expect(line(info, { colours: true }).replace(/\d\d:\d\d:\d\d/, "TIME")).toBe("\u001b[2mTIME\u001b[0m m\n")
    expect([warn, error, fatal].map((level) => line(level, { colours: true }).split("m ").at(-2))).toEqual([
      expect.stringContaining("\u001b[33mWARNING\u001b[0"),
      expect.stringContaining("\u001b[31mERROR\u001b[0"),
      expect.stringContaining("\u001b[31mERROR\u001b[0"),
    ])
  })

  test("shows the machine's local time, with two digits each", () => {
    const at = (hour: number, minute: number, second: number) =>
      new Date(2026, 4, 3, hour, minute, second).getTime()
    expect([timeOfDay(at(3, 4, 5)), timeOfDay(at(23, 59, 10))]).toEqual(["03:04:05", "23:59:10"])
  })

  test("shows an error's kind and code, and its location only for program errors", () => {
    const told = (level: number, err: unknown) =>
      textLine({ level, time: 0, err }, { ...PLACE, journal: true })
    const err = {
      type: "TypeError",
      message: "no",
      code: "EIO",
      // If a line contains two code positions, the last one is shown; positions inside the error's text are ignored.
      stack: "TypeError: not at c.ts:8:8\n    at read (/srv/x:1:2/base/a.ts:3:19)\n    at b.ts:1:1",
    }
    expect(told(LEVELS.error, err)).toBe('<3>ERROR error="TypeError: no" code=EIO at=a.ts:3:19\n')
    expect(told(LEVELS.fatal, { ...err, stack: "x\n  at C:\\f\\b.ts:4:2" })).toContain(" at=b.ts:4:2\n")
    expect(told(LEVELS.warn, err)).toBe('<4>WARNING error="TypeError: no" code=EIO\n')
    expect(told(LEVELS.error, {})).toBe('<3>ERROR error="Error: "\n')
  })

  test("omits the fields that every line has", () => {
    const [line] = written((log) => log.info({ a: 1 }, "m"), { name: "crawler" })
    expect(line).toMatch(/^\S+ m a=1$/)
    expect(line).not.toContain(hostname())
  })

  test("lets no page begin a line, control the terminal or fake a field, and omits error traces", () => {
    const foreign = `${hostile}\n12:00:00 ERROR faked\u2028again {title}`
    const lines = written((log) => {
      log.error({ title: foreign, err: new TypeError(foreign) }, `${foreign} 100 %s`)
      log.warn(new Error("as it is\nand more"))
    })
    expect(lines).toHaveLength(2)
    expect(lines.join("")).not.toMatch(COMMANDS)
    expect(lines[0]).toContain("\\u2028again")
    expect(lines[0]).toMatch(/^\d\d:\d\d:\d\d ERROR \\u001b\[2J.* 100 %s error=".*" at=\S+$/)
    expect(lines[1]).toMatch(/ WARNING as it is and more error="Error: as it is\\\\?n?.*and more"$/)
  })

  test("puts empty values and values with blanks or quotes in quotes", () => {
    const record = {
      level: LEVELS.info,
      time: 0,
      msg: "m",
      a: "b c",
      d: "",
      e: 'x="y"',
      f: { g: [1] },
      h: null,
      i: undefined,
    }
    expect(textLine(record, PLACE)).toMatch(/ m a="b c" d="" e="x=\\"y\\"" f=\{"g":\[1\]\}\n$/)
  })

  test("shows colours only on a terminal, and severities instead of times only in the journal", () => {
    const record = { level: LEVELS.warn, time: 0, msg: "careful" }
    expect(textLine(record, { colours: true, journal: false })).toContain(
      "\u001b[33mWARNING\u001b[0m careful",
    )
    expect(textLine(record, { colours: false, journal: true })).toBe("<4>WARNING careful\n")
    const line = JSON.stringify(record)
    const { dev, ino } = fstatSync(0)
    expect(logForm("text", 0, { JOURNAL_STREAM: `${dev}:${ino}` })(line)).toBe("<4>WARNING careful\n")
    expect(logForm("text", 0, { JOURNAL_STREAM: `${dev}:${ino + 1}` })(line)).toMatch(
      /^\S+ WARNING careful\n$/,
    )
  })
})

test("as JSON a line contains everything intended, and nothing that controls a terminal", () => {
  const [line = ""] = written((log) => log.info({ title: hostile, n: 1169 }, `{n}: ${hostile}`), {
    env: { FOSSICK_LOG_FORMAT: "json" },
  })
  expect(JSON.parse(line)).toMatchObject({
    level: 30,
    name: "test",
    title: hostile,
    n: 1169,
    msg: `1,169: ${hostile}`,
  })
  expect(line).not.toMatch(COMMANDS)
})

test.each(["text", "json"])("no line contains a secret from an address or a key, as %s", (format) => {
  const lines = written(
    (log) => {
      log.info(
        { proxy: "http://me:pass%20word@proxy:3128/x", err: new Error("https://u:hunter2@h.example failed") },
        "GET ftp://a:b@c/d",
      )
      log.info({ sent: "fsk-aOfldOqPsjt7BNHcv9qrNryajdSN24O_GGaWSJHH4zM" }, "a key")
    },
    { env: { FOSSICK_LOG_FORMAT: format } },
  )
  expect(lines.join("")).not.toMatch(/pass%20|hunter2|a:b@|aOfld/)
  expect(lines[0]).toContain("http://…@proxy:3128/x")
})

test.each(["text", "json"])(
  "the supervisor and the very first line have the same form, as %s",
  async (format) => {
    const lines = await writtenByProgram(
      `firstLine(["start"], process.env)
    openPlainLog("fossick", 1, process.env)("info", "Fossick 0.1.0 is starting (2026-11-22)")
    openLog("api", process.env).info("Fossick 0.1.0 is starting (2026-11-22)")
    openPlainLog("fossick", 1, process.env)("debug", "not asked for")
    firstLine(["start", "--help"], process.env)
    firstLine(["search", "start"], process.env)`,
      { FOSSICK_LOG_FORMAT: format },
    )
    expect(lines).toHaveLength(3)
    const same = lines.map((line) =>
      line
        .replace(/\d\d:\d\d:\d\d|"time":\d{13}|"pid":\d+|"name":"\w+"/g, "·")
        .replace(/"hostname":"[^"]*",/, "")
        .replace(/\d+-\d\d-\d\d/, "DATE"),
    )
    expect(new Set(same).size).toBe(1)
  },
)

test("a level that logs less also suppresses the first line", async () => {
  const program = `firstLine(["start"], process.env); openPlainLog("fossick", 1, process.env)("info", "x")`
  expect(await writtenByProgram(program, { FOSSICK_LOG_LEVEL: "warn" })).toEqual([])
})

test("the plain log has the same fields in the same format", () => {
  const both = (env: NodeJS.ProcessEnv) =>
    writtenTo((fd) => {
      openLog("api", env, fd).warn({ source: "docs", pages: 1169 }, "{pages} pages")
      openPlainLog("api", fd, env)("warn", "{pages} pages", { source: "docs", pages: 1169 })
    })
  const [first, second] = both({}).map((line) => line.replace(/^\S+/, "TIME"))
  expect([first, second]).toEqual(Array(2).fill("TIME WARNING 1,169 pages source=docs"))
  const [full, plain] = both({ FOSSICK_LOG_FORMAT: "json" }).map((line) => JSON.parse(line) as object)
  const time = expect.any(Number) as number
  expect(plain).toEqual({
    level: 40,
    time,
    pid: process.pid,
    name: "api",
    source: "docs",
    pages: 1169,
    msg: "1,169 pages",
  })
  expect(full).toEqual({ ...plain, time, hostname: hostname() })
})

test.each(["debug", "info", "warn", "error", "silent"] as const)(
  "a level of %s writes entries of that severity and above, and nothing below",
  (level) => {
    const env = { FOSSICK_LOG_LEVEL: level }
    const all = ["debug", "info", "warn", "error"] as const
    const least = level === "silent" ? all.length : all.indexOf(level)
    const lines = writtenTo((fd) => {
      const [log, plain] = [openLog("test", env, fd), openPlainLog("test", fd, env)]
      for (const one of all) {
        log[one](one)
        plain(one, one)
      }
    })
    expect(lines.map((line) => line.split(" ").at(-1))).toEqual(all.slice(least).flatMap((one) => [one, one]))
  },
)

test("a full disk or a reader that left does not end the process", { tags: ["linux"] }, () => {
  const full = openSync("/dev/full", "w")
  const log = openLog("test", {}, full)
  expect(() => log.info("no room")).not.toThrow()
  expect(() => openPlainLog("test", full, {})("info", "no room")).not.toThrow()
  closeSync(full)
  const pipe = join(folder, "pipe")
  execFileSync("mkfifo", [pipe])
  const reader = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK)
  const writer = openSync(pipe, "w")
  const left = openLog("test", {}, writer)
  closeSync(reader)
  expect(() => left.info("to nobody")).not.toThrow()
  closeSync(writer)
  // Any other error is thrown.
  const closed = openSync(join(folder, "closed"), "w")
  const other = openLog("test", {}, closed)
  closeSync(closed)
  expect(() => other.info("nowhere")).toThrow("EBADF")
})

describe("the format of a log", () => {
  const line = JSON.stringify({ level: LEVELS.warn, time: 0, msg: "careful \u202e http://u:p@h/" })
  const COLOUR = "\u001b[33m"

  test.each<[string, boolean, NodeJS.ProcessEnv]>([
    ["a terminal", true, { TERM: "xterm" }],
    ["a terminal that says nothing of itself", true, {}],
    ["a terminal whose colours are wanted", true, { NO_COLOR: "" }],
    ["one that knows none", false, { TERM: "dumb" }],
    ["one whose owner wants none", false, { NO_COLOR: "1", TERM: "xterm" }],
  ])("%s gets colours: %s", (_, isShown, env) => {
    const form = logForm("text", 1, env, () => true)
    expect(form(line).includes(COLOUR)).toBe(isShown)
    expect(logForm("text", 1, env, () => false)(line)).not.toContain(COLOUR)
  })

  test("is the journal's only for the stream it names", () => {
    expect(logForm("text", 9999, { JOURNAL_STREAM: "1:2" })(line)).toMatch(/^\d\d:/)
    expect(logForm("text", 9999, {})(line)).toMatch(/^\d\d:/)
    expect(logForm("json", 1, {}, () => true)(line)).toBe(
      '{"level":40,"time":0,"msg":"careful \\u202e http://…@h/"}',
    )
  })
})

test("credentials are masked, and text that only looks like them stays", () => {
  const key = `fsk-${"k8Zq1LmX4vRt0Yp".repeat(2)}`
  for (const [text, shown] of [
    [`with ${key}, twice: ${key}`, "with fsk-…, twice: fsk-…"],
    [`fsk-dev-${"a".repeat(20)}`, "fsk-…"],
    [`fsk-${"a".repeat(20)}.`, "fsk-…."],
    [`fsk-${"a".repeat(19)}`, `fsk-${"a".repeat(19)}`],
    ["s://u@h svn+ssh://a:b@h", "s://…@h svn+ssh://…@h"],
    ["http://docs.example/a@b?c@d", "http://docs.example/a@b?c@d"],
    ["mail me@docs.example", "mail me@docs.example"],
  ] as const)
    expect(masked(text)).toBe(shown)
})
