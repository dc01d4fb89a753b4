import { execFile } from "node:child_process"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"

import { expect, test } from "vitest"

import { openStateStore } from "#crawler/state-store.ts"

import { openKeyStore } from "./keys.ts"

test("npm run keys makes, lists and disables keys that a running appliance takes at once", async () => {
  const dir = await mkdtemp(join(tmpdir(), "fossick-keys-"))
  const db = openStateStore(dir)
  const keys = openKeyStore(db, "")
  const run = (...args: string[]) =>
    promisify(execFile)(process.execPath, [join(import.meta.dirname, "keys-command.ts"), ...args], {
      env: { PATH: process.env["PATH"], FOSSICK_DATA_DIR: dir },
    })
  try {
    // Alone on its stream, so that a script can take it.
    const { stdout } = await run("create", "--role", "admin", "--name", "console")
    const key = keys.verify(stdout.trim())
    expect(key).toMatchObject({ role: "admin" })

    expect(JSON.parse((await run("list", "--json")).stdout)).toMatchObject([
      { id: key!.id, role: "admin", name: "console", created_at: expect.any(String), disabled_at: null },
    ])
    await run("disable", key!.id)
    expect(keys.verify(stdout.trim())).toBeNull()
    expect((await run("list")).stdout).toMatch(/admin +made \S+, disabled \S+ +console/)
    await expect(run("disable", "nobody")).rejects.toMatchObject({ code: 1 })
    await expect(run("create", "--role", "root")).rejects.toMatchObject({ code: 2 })
  } finally {
    db.close()
    await rm(dir, { recursive: true })
  }
})
