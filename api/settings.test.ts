import { execFile } from "node:child_process"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"

import { readSettings } from "#base/settings.ts"
import { temporaryFolder } from "#crawler/testing/crawl-fixture.ts"

import { apiSettings } from "./settings.ts"

const FOSSICK = join(import.meta.dirname, "../command/fossick.js")

test.each(["z", "hunter2", "changemechangeme", "fedcba9876543210"])(
  "rejects a guessable API key by its setting without showing it: %s",
  (key) => {
    const { message } = refusalOf(key)
    expect(message).toMatch(/FOSSICK_API_KEY must be hard to guess: at least 16 characters/)
    expect(message).toMatch(/openssl rand -hex 16.*fossick keys create/)
    expect(message).not.toContain(key)
  },
)

test("accepts no API key, or one that is hard to guess", () => {
  for (const key of ["", "5f1d7c0ab93e48d2a6b0c4e19f7d3325"])
    expect(readSettings(apiSettings, { FOSSICK_API_KEY: key }).apiKey).toBe(key)
})

test("an appliance does not start with a guessable API key", async () => {
  using folder = temporaryFolder()
  const dataDir = join(folder.path, "data")
  const env = {
    PATH: process.env["PATH"],
    FOSSICK_API_KEY: "hunter2",
    FOSSICK_DATA_DIR: dataDir,
    FOSSICK_PORT: "0",
  }
  const ended = await new Promise<{ code: unknown; text: string }>((resolve) => {
    execFile(process.execPath, [FOSSICK, "start"], { env, cwd: folder.path }, (error, stdout, stderr) =>
      resolve({ code: error?.code, text: stdout + stderr }),
    )
  })
  expect(ended.code).toBe(2)
  expect(ended.text).toContain("FOSSICK_API_KEY must be hard to guess")
  expect(ended.text).not.toContain("hunter2")
  expect(existsSync(dataDir)).toBe(false)
})

function refusalOf(key: string): Error {
  try {
    readSettings(apiSettings, { FOSSICK_API_KEY: key })
  } catch (error) {
    return error as Error
  }
  throw new Error("not refused")
}
