import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { afterEach, beforeEach, expect, test } from "vitest"
import { CHILD_ENV } from "#base/testing/child-env.ts"

import { temporaryFolder } from "#crawler/testing/crawl-fixture.ts"

import { isAlive } from "./testing/appliance.ts"

// If two appliances shared one folder, they would visit every site twice and send every message twice.

let folder: ReturnType<typeof temporaryFolder>
let started: ChildProcess[]

beforeEach(() => {
  folder = temporaryFolder()
  started = []
})
afterEach(async () => {
  for (const { pid, exitCode, signalCode } of started) {
    if (pid !== undefined && (exitCode ?? signalCode) === null) process.kill(-pid, "SIGKILL")
  }
  while (started.some(({ pid }) => isAlive(-pid!))) await pause(50)
  folder[Symbol.dispose]()
})

/** Runs one of the appliance's programs on the folder, and collects its output. */
function start(program: string, ...args: string[]) {
  const child = spawn(process.execPath, [join(import.meta.dirname, "..", program), ...args], {
    env: {
      ...CHILD_ENV,
      FOSSICK_DATA_DIR: join(folder.path, "data"),
      FOSSICK_PORT: "0",
      FOSSICK_HANDBOOK: "off",
      FOSSICK_UNIT_READER: "off",
      FOSSICK_API_KEY: "a-key-that-only-this-test-knows",
      FOSSICK_SHUTDOWN_SECONDS: "1",
    },
    // Runs in its own process group, so that any process it leaves behind can be found.
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  })
  started.push(child)
  let text = ""
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (text += String(chunk)))
  return {
    child,
    text: () => text,
    says: (sign: string) => expect.poll(() => text).toContain(sign),
    ended: once(child, "close").then(([code]) => code as number | null),
  }
}

const TAKEN = (what: string, pid: number | undefined) =>
  `Another ${what} (process ${pid}) is using ${join(folder.path, "data")}.`

test("a second appliance on the folder is refused and names the first, which continues; after kill -9 nothing needs cleaning up", async () => {
  const first = start("command/fossick.js", "start")
  await first.says("Ctrl-C")
  const second = start("command/fossick.js", "start")
  expect(await second.ended).toBe(1)
  expect(second.text()).toContain(TAKEN("appliance", first.child.pid))
  const [, url] = /Address +(\S+)/.exec(first.text())!
  expect((await fetch(`${url}/readyz`)).status).toBe(200)

  // The first appliance's processes might still be working; the third appliance waits for them.
  first.child.kill("SIGKILL")
  await first.ended
  const third = start("command/fossick.js", "start")
  await third.says("Ctrl-C")
  third.child.kill("SIGTERM")
  expect(await third.ended).toBe(0)
  expect(third.text()).not.toContain("Another")
})

test("container services share the folder, and an appliance cannot take it from a running crawler", async () => {
  mkdirSync(join(folder.path, "data"))
  const api = start("api/main.ts")
  const crawler = start("crawler/main.ts")
  await crawler.says("the crawler is ready")
  await api.says("listening")
  // Another process that only answers requests does no harm, and neither does a command.
  await start("api/main.ts").says("listening")
  expect(await start("command/fossick.js", "jobs").ended).toBe(2)
  const appliance = start("command/fossick.js", "start")
  expect(await appliance.ended).toBe(1)
  expect(appliance.text()).toContain(TAKEN("crawler", crawler.child.pid))
})
