import { openSync, readFileSync, writeFileSync, closeSync, writeSync } from "node:fs"
import { join } from "node:path"

import { expect, test } from "vitest"

import { openStateStore } from "#base/store/state-store.ts"
import { temporaryFolder } from "#crawler/testing/crawl-fixture.ts"

import { AuditLog } from "#base/audit/audit-log.ts"
import { checkState } from "./state-check.ts"

/** A state with some entries, whose file is not open in any process. */
async function fill(dataDir: string): Promise<string> {
  const db = await openStateStore(dataDir)
  const audit = new AuditLog(db, 1)
  const who = { kind: "command", id: "root", name: "" } as const
  for (let at = 0; at < 2000; at++)
    await audit.note({
      who,
      action: "fossick rules put",
      object: `rules/${at}`,
      status: null,
      changes: [],
      address: "",
    })
  db.close()
  return join(dataDir, "state.db")
}

test("four hundred flipped bytes in state.db are reported, and an intact file is not", async () => {
  using folder = temporaryFolder()
  const file = await fill(folder.path)
  const sound = readFileSync(file)
  const told: string[] = []
  {
    using check = checkState(folder.path, (problem) => told.push(problem), 0)
    // A thread takes time to start before it can report anything. The check of an unreadable file below ends after the
    // first one.
    writeFileSync(join(folder.path, "unread"), "")
    await expect.poll(() => check.problem()).toBeNull()
  }
  expect(told).toEqual([])
  const step = Math.floor((sound.length - 4096) / 400)
  const handle = openSync(file, "r+")
  for (let at = 0; at < 400; at++) {
    const place = 4096 + at * step
    writeSync(handle, Buffer.from([sound[place]! ^ 0xff]), 0, 1, place)
  }
  closeSync(handle)
  using check = checkState(folder.path, (problem) => told.push(problem), 0)
  await expect.poll(() => check.problem()).toMatch(/^state\.db is damaged \(.+fossick doctor --repair/)
  expect(told).toEqual([check.problem()])
})
