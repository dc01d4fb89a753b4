import { spawn } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"

import { temporaryFolder } from "#crawler/testing/crawl-fixture.ts"

import { isAlive } from "../api/testing/appliance.ts"
import { FOSSICK } from "./testing/fossick.ts"
import { freePort, isListening } from "#base/testing/free-port.ts"

// The commands as their users see them.

const ROOT = join(import.meta.dirname, "..")

// A command with a short answer, and one that prints a whole script.
test.each([["--help"], ["completion", "bash"]])(
  "%s ends quietly when nobody reads its output",
  async (...args) => {
    using folder = temporaryFolder()
    const child = spawn(process.execPath, [FOSSICK, ...args], {
      env: { PATH: process.env["PATH"], FOSSICK_DATA_DIR: folder.path },
      stdio: ["ignore", "pipe", "pipe"],
    })
    child.stdout.destroy()
    let err = ""
    child.stderr.on("data", (chunk) => (err += String(chunk)))
    const [code] = (await once(child, "close")) as [number | null]
    expect({ code, err: err.replace(/.*ExperimentalWarning.*\n.*trace-warnings.*\n/, "") }).toEqual({
      code: 0,
      err: "",
    })
  },
)

/** The command systemd runs, according to the handbook. */
const SERVICE = /^ExecStart=\/opt\/fossick\/(.*)$/m
  .exec(readFileSync(join(ROOT, "docs/run-as-a-service.md"), "utf8"))![1]!
  .replaceAll("/opt/fossick/", "")

test.each([
  { started: "npm start", signal: "SIGTERM", code: null },
  { started: "npm start", signal: "SIGKILL", code: null },
  { started: SERVICE, signal: "SIGTERM", code: 0 },
] as const)(
  "an appliance with all its processes ends with what started it: $started, $signal",
  { tags: ["posix"] },
  async ({ started, signal, code }) => {
    using folder = temporaryFolder()
    const port = await freePort()
    const [program = "", ...args] = started.split(" ")
    const child = spawn(program === "npm" ? program : join(ROOT, program), args, {
      cwd: ROOT,
      env: {
        PATH: process.env["PATH"],
        HOME: folder.path,
        FOSSICK_DATA_DIR: join(folder.path, "data"),
        FOSSICK_PORT: String(port),
        FOSSICK_HANDBOOK: "off",
        FOSSICK_UNIT_READER: "off",
      },
      // The command runs in its own process group, so that any process it leaves behind can be found.
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
    })
    try {
      let text = ""
      const up = Promise.withResolvers<void>()
      for (const stream of [child.stdout, child.stderr]) {
        stream.on("data", (chunk) => {
          text += String(chunk)
          if (text.includes("Ctrl-C")) up.resolve()
        })
      }
      await Promise.race([up.promise, once(child, "close").then(() => Promise.reject(new Error(text)))])
      // Nobody is reading its output any more either, but that alone stops nothing.
      child.stdout.destroy()
      expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200)

      child.kill(signal)
      await expect.poll(() => isAlive(-child.pid!)).toBe(false)
      expect(child.exitCode).toBe(code)
      expect(await isListening(port)).toBe(false)
    } finally {
      if (isAlive(-child.pid!)) process.kill(-child.pid!, "SIGKILL")
    }
  },
)

test("an appliance started for a program writes only JSON for it, and logs separately", async () => {
  using folder = temporaryFolder()
  const child = spawn(process.execPath, [FOSSICK, "start", "--json"], {
    cwd: folder.path,
    env: {
      PATH: process.env["PATH"],
      FOSSICK_PORT: "0",
      FOSSICK_HANDBOOK: "off",
      FOSSICK_UNIT_READER: "off",
    },
    stdio: ["ignore", "pipe", "pipe"],
  })
  let [out, err] = ["", ""]
  child.stdout.on("data", (chunk) => {
    out += String(chunk)
    if (out.endsWith("\n")) child.kill("SIGTERM")
  })
  child.stderr.on("data", (chunk) => (err += String(chunk)))
  const [code] = (await once(child, "close")) as [number | null]
  expect(code).toBe(0)
  expect(JSON.parse(out)).toMatchObject({
    url: expect.stringMatching(/^http:/),
    apiKey: expect.stringMatching(/^fsk-/),
  })
  expect(err).toMatch(/^\d\d:\d\d:\d\d listening on http:/m)
})
