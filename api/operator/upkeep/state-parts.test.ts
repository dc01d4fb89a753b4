import { globSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { expect, onTestFinished, test } from "vitest"
import { PostgresStore } from "#base/store/postgres/postgres-store.ts"
import { copyToFile, copyToServer } from "#base/store/postgres/state-copy.ts"
import { serverLocation } from "#base/store/postgres/state-location.ts"
import { versionsIn } from "#base/store/state-generation.ts"
import { openStateFile } from "#base/store/state-store.ts"
import { emptyState } from "#base/store/testing/empty-state.ts"
import { PostgresServer } from "#base/store/testing/postgres-server.ts"

import { openStateParts } from "./state-parts.ts"

const ROOT = join(import.meta.dirname, "../../..")

test("every part with tables in the state is opened", async () => {
  const files = globSync("{base,engine,crawler,api}/**/*.ts", { cwd: ROOT })
    .filter((file) => !/\.test\.ts$|\/testing\//.test(file))
    .map((file) => readFileSync(join(ROOT, file), "utf8"))
  const parts = files.flatMap((text) =>
    Array.from(text.matchAll(/\bmigrate\(\s*[\w.]+,\s*"([\w-]+)"/g), ([, part]) => part!),
  )
  expect(parts.length).toBeGreaterThan(40)
  using db = emptyState()
  openStateParts(db)
  const opened = await versionsIn(db)
  // The state creates its identity and its clock before any part is opened.
  expect(parts.filter((part) => !opened.has(part) && !["identity", "trusted-time"].includes(part))).toEqual(
    [],
  )
})

test("all parts move to a server and back", { tags: ["postgresql"] }, async () => {
  const folder = mkdtempSync(join(tmpdir(), "fossick-"))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  await using server = await PostgresServer.start()
  using from = await openStateFile(folder)
  openStateParts(from)
  await from.script("insert into appliance_name values ('Pebble')")
  using to = new PostgresStore(serverLocation(server.url("moved"), "", folder, {}))
  const moved = await copyToServer(from, to, openStateParts)
  const file = join(folder, "back.db")
  const back = await copyToFile(to, file)
  const byName = (tables: typeof moved) => tables.toSorted((a, b) => (a.table < b.table ? -1 : 1))
  expect(byName(back)).toEqual(byName(moved))
  using db = new DatabaseSync(file)
  const made = (of: DatabaseSync) => of.prepare("select name, sql from sqlite_master order by name").all()
  expect(made(db)).toEqual(made(from.file))
})
