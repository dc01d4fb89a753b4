import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { expect, test } from "vitest"

import { endWithUs } from "#base/testing/end-with-us.ts"

test("leaves a folder, a port and a process behind", async () => {
  mkdtempSync(join(tmpdir(), "left-by-a-test-"))
  await once(createServer().listen(0, "127.0.0.1"), "listening")
  const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"])
  endWithUs(child)
  expect(child.pid).toBeDefined()
})

test("needs a rocket", { tags: ["rocket"] }, () => expect.unreachable())

test("says why it can't run", ({ skip }) => {
  skip("the moon is down")
  expect.unreachable()
})

// oxlint-disable-next-line vitest/no-disabled-tests -- the report is to name it
test.skip("is skipped without a reason", () => expect.unreachable())
