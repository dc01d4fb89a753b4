import { execFile } from "node:child_process"
import { fstatSync } from "node:fs"
import { promisify } from "node:util"

import { describe, expect, test } from "vitest"

import { logForm } from "./log-form.ts"
import { LEVELS, textLine } from "./text-line.ts"

const LOG = new URL("./log.ts", import.meta.url).href
const PLAIN = new URL("./plain-log.ts", import.meta.url).href
const FIRST = new URL("../../command/first-line.js", import.meta.url).href
const PLACE = { colours: false, journal: false }
// oxlint-disable-next-line no-control-regex
const COMMANDS = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/
const hostile = "\u001b[2J\u009b31m\u202eevil\u2066\u0007"

/** What a program of these lines writes, each line by itself. */
async function written(code: string, env: NodeJS.ProcessEnv = {}): Promise<string[]> {
  const program = `import { openLog } from ${JSON.stringify(LOG)}
    import { openPlainLog } from ${JSON.stringify(PLAIN)}
    import { firstLine } from ${JSON.stringify(FIRST)}
    ${code}`
  const args = ["--input-type=module", "-e", program]
  const { stdout } = await promisify(execFile)(process.execPath, args, { env, cwd: import.meta.dirname })
  return stdout.split("\n").slice(0, -1)
}

describe("as text", () => {
  test("an event is a line that an operator reads", async () => {
    const [crawl, request] = await written(`const log = openLog("crawler", process.env)
      log.info({ source: "postgres", new: 1169, failed: 0, seconds: 41, job: 7 },
        "crawl {source} finished: {new} new, {failed} failed, {seconds} s")
      log.child({ requestId: "0b0b" }).info({ method: "POST", path: "/search", status: 200, ms: 31, key: "docs-bot", query: undefined },
        "{method} {path} {status} {ms} ms key {key}")`)
    expect(crawl).toMatch(/^\d\d:\d\d:\d\d crawl postgres finished: 1,169 new, 0 failed, 41 s job=7$/)
    expect(request).toMatch(/^\d\d:\d\d:\d\d POST \/search 200 31 ms key docs-bot$/)
  })

  test("what was refused can be found by the id that its caller has", async () => {
    const [line] = await written(`openLog("api", process.env).child({ requestId: "0b0b-5f3e" })
      .info({ status: 401 }, "{status}")`)
    expect(line).toMatch(/ 401 requestId=0b0b-5f3e$/)
  })

  test("no page begins a line, commands the terminal or fakes a field, and errors have no trace", async () => {
    const lines =
      await written(`const foreign = ${JSON.stringify(`${hostile}\n12:00:00 ERROR faked\u2028again {title}`)}
      const log = openLog("test", process.env)
      log.error({ title: foreign, err: new TypeError(foreign) }, foreign + " 100 %s")
      log.warn(new Error("as it is\\nand more"))`)
    expect(lines).toHaveLength(2)
    expect(lines.join("")).not.toMatch(COMMANDS)
    expect(lines[0]).toMatch(/^\d\d:\d\d:\d\d ERROR \\u001b\[2J.* 100 %s error=".*" at=\S+$/)
    expect(lines[1]).toMatch(/ WARNING as it is and more error="Error: as it is\\\\?n?.*and more"$/)
  })

  test("values with blanks, quotes or nothing in them stand in quotes", () => {
    const record = {
      level: LEVELS.info,
      time: 0,
      msg: "m",
      a: "b c",
      d: "",
      e: 'x="y"',
      f: { g: [1] },
      h: null,
    }
    expect(textLine(record, PLACE)).toMatch(/ m a="b c" d="" e="x=\\"y\\"" f=\{"g":\[1\]\}\n$/)
  })

  test("only a terminal is shown colours, and only the journal severities instead of times", () => {
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

test("as JSON a line holds all that was meant, and nothing that a terminal obeys", async () => {
  const [line = ""] = await written(
    `openLog("test", process.env).info({ title: ${JSON.stringify(hostile)}, n: 1169 }, "{n}: " + ${JSON.stringify(hostile)})`,
    { FOSSICK_LOG_FORMAT: "json" },
  )
  expect(JSON.parse(line)).toMatchObject({
    level: 30,
    name: "test",
    title: hostile,
    n: 1169,
    msg: `1,169: ${hostile}`,
  })
  expect(line).not.toMatch(COMMANDS)
})

test.each(["text", "json"])("no secret of an address and no key is in it, as %s", async (format) => {
  const lines = await written(
    `const log = openLog("test", process.env)
    log.info({ proxy: "http://me:pass%20word@proxy:3128/x", err: new Error("https://u:hunter2@h.example failed") }, "GET ftp://a:b@c/d")
    log.info({ sent: "fsk-aOfldOqPsjt7BNHcv9qrNryajdSN24O_GGaWSJHH4zM" }, "a key")`,
    { FOSSICK_LOG_FORMAT: format },
  )
  expect(lines.join("")).not.toMatch(/pass%20|hunter2|a:b@|aOfld/)
  expect(lines[0]).toContain("http://…@proxy:3128/x")
})

test.each(["text", "json"])(
  "the supervisor and the very first line have the same form, as %s",
  async (format) => {
    const lines = await written(
      `firstLine(["start"], process.env)
    openPlainLog("fossick", 1, process.env)("info", "Fossick 0.1.0 starts, on 2026-11-22")
    openLog("api", process.env).info("Fossick 0.1.0 starts, on 2026-11-22")
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

test("a level that asks for less also keeps the first line away", async () => {
  const program = `firstLine(["start"], process.env); openPlainLog("fossick", 1, process.env)("info", "x")`
  expect(await written(program, { FOSSICK_LOG_LEVEL: "warn" })).toEqual([])
})
