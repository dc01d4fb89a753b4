import { writeFileSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, test } from "vitest"
import { CHILD_ENV } from "#base/testing/child-env.ts"

import { Jobs } from "#crawler/jobs/jobs.ts"
import { SourceTable } from "#crawler/sources/source-table.ts"
import { openStateStore } from "#base/store/state-store.ts"

import { applySources } from "./apply-sources.ts"

let folder: string
const file = () => join(folder, "mine.yaml")
const env = () => ({ ...CHILD_ENV, FOSSICK_DATA_DIR: folder })

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "fossick-"))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

test("the sources file is applied at the start", async () => {
  writeFileSync(file(), "sources: [{ name: docs, seeds: docs.example.com, schedule: 15 3 * * * }]")
  expect(applySources(file(), env())).toBeNull()
  const db = await openStateStore(folder)
  const [entry] = await new SourceTable(db, new Jobs(db)).list()
  db.close()
  expect(entry).toMatchObject({ origin: "file", source: { name: "docs" } })
  expect(entry?.nextRun).not.toBeNull()
})

test("an invalid or missing file is rejected with the reasons", () => {
  writeFileSync(file(), "sources:\n  - name: docs\n")
  expect(applySources(file(), env())).toBe(
    `Fossick cannot start because the sources file is not valid:\n${file()}:2:5: docs: seeds is missing`,
  )
  expect(applySources(join(folder, "none.yaml"), env())).toContain("none.yaml: cannot be read")
})

test("a file that cannot work is rejected too: its secret is not set", () => {
  writeFileSync(
    file(),
    `sources: [{ name: wiki, seeds: wiki.example.com, login: { kind: basic, user: ada, password: "\${WIKI_PASSWORD}" } }]`,
  )
  expect(applySources(file(), env())).toContain(
    "wiki: login.password cannot be used: the secret ${WIKI_PASSWORD}",
  )
  expect(applySources(file(), { ...env(), WIKI_PASSWORD: "hunter2" })).toBeNull()
})
