import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, test } from "vitest"

import { STATE_ID, STRANGE_STATE_ADVICE, strangeState } from "./state-identity.ts"
import { openStateStore } from "./state-store.ts"
import { openFiles } from "./testing/open-files.ts"

let folder: string
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), "fossick-"))))
afterEach(() => rmSync(folder, { recursive: true }))

/** Opens the folder's state store, as a start does. @returns what {@link strangeState} reports */
async function start(dataDir = folder): Promise<string | null> {
  using db = await openStateStore(dataDir)
  return await strangeState(dataDir, db)
}
const loseState = (dataDir = folder) => {
  for (const end of ["", "-wal", "-shm"]) rmSync(join(dataDir, `state.db${end}`), { force: true })
}

test("a first start, the next ones, and one beside an imported index are normal", async () => {
  mkdirSync(join(folder, "index"))
  expect(await strangeState(folder, null)).toBeNull()
  expect([await start(), await start(), await start()]).toEqual([null, null, null])
})

test("a missing state store is reported at every start, until the folder accepts the new one", async () => {
  await start()
  loseState()
  expect(await strangeState(folder, null)).toContain("state.db is missing")
  expect(await start()).toContain("not the one that this data folder was created with")
  expect(await start()).toMatch(/created on \d{4}-\d\d-\d\d, has/)
  expect(await start()).toContain("none of the earlier API keys, sources, jobs and usage")
  rmSync(join(folder, STATE_ID))
  expect([await start(), await start()]).toEqual([null, null])
})

test("a restored state store is accepted, and one from another folder is not", async () => {
  const other = join(folder, "other")
  await start()
  await start(other)
  cpSync(join(folder, "state.db"), join(folder, "kept.db"))
  loseState()
  cpSync(join(other, "state.db"), join(folder, "state.db"))
  expect(await start()).toContain("was lost or replaced")
  loseState()
  cpSync(join(folder, "kept.db"), join(folder, "state.db"))
  expect(await start()).toBeNull()
})

test("a note left empty or partial by a power cut is written again, with its purpose", async () => {
  await start()
  const noted = readFileSync(join(folder, STATE_ID), "utf8")
  expect(noted).toMatch(
    /^[0-9a-f]{32}\n\nThe state.db with this id belongs to this folder.[^]*remove this file/,
  )
  expect(STRANGE_STATE_ADVICE).toContain(`remove the file ${STATE_ID} in the data folder`)
  for (const left of ["", `x${noted}`, noted.slice(1), noted.slice(0, 32)]) {
    writeFileSync(join(folder, STATE_ID), left)
    expect(await start()).toBeNull()
    expect(readFileSync(join(folder, STATE_ID), "utf8")).toBe(noted)
  }
  expect(openFiles(folder)).toEqual([])
  loseState()
  expect(await start()).not.toBeNull()
})

test("an unreadable note does not count as missing", async () => {
  await start()
  rmSync(join(folder, STATE_ID))
  mkdirSync(join(folder, STATE_ID))
  await expect(() => strangeState(folder, null)).rejects.toThrow("EISDIR")
})
