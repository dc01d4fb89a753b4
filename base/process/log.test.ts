import { execFile } from "node:child_process"
import { promisify } from "node:util"

import { expect, test } from "vitest"

const LOG = new URL("./log.ts", import.meta.url).href

test("a line of the log is the JSON that was meant, and nothing that a terminal obeys", async () => {
  const hostile = "\u001b[2J\u009b31m\u202eevil\u2066\u0007"
  const program = `import { openLog } from ${JSON.stringify(LOG)}
    openLog("test", "info").info({ title: ${JSON.stringify(hostile)} }, ${JSON.stringify(hostile)})`
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", program])
  expect(JSON.parse(stdout)).toMatchObject({ name: "test", title: hostile, msg: hostile })
  // oxlint-disable-next-line no-control-regex
  expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/)
})
