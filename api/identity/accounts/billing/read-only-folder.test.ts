import { expect, test, vi } from "vitest"

import type * as ReadOnlyFolder from "#base/folder.ts"
import { temporaryFolder } from "#crawler/testing/crawl-fixture.ts"

import { serveAccounts } from "../../../testing/serve-accounts.ts"

// SQLite's error for a read-only file is real here; the read-only folder is simulated.

const made = vi.hoisted(() => ({ readOnly: false }))
vi.mock("#base/folder.ts", async (original) => {
  const real = await original<typeof ReadOnlyFolder>()
  return { ...real, readOnlyBecause: (dir: string) => (made.readOnly ? "EROFS" : real.readOnlyBecause(dir)) }
})

test("in a folder that became read-only, searches continue, calls that must be stored are refused, and all is counted later", async () => {
  using folder = temporaryFolder()
  await using app = await serveAccounts({ dir: folder.path })
  const key = await app.key()
  const search = async () => (await app.call("/search", key, { query: "bees" })).status
  expect(await search()).toBe(200)
  made.readOnly = true
  await app.db.script("pragma query_only = on")
  for (let calls = 0; calls < 3; calls++) expect(await search()).toBe(200)
  expect(app.accounts.billing.waiting).toBe(3)
  const { status, body } = await app.call("/research", key, { input: "bees" })
  expect([status, JSON.stringify(body)]).toEqual([
    503,
    expect.stringMatching(/^\{"detail":\{"error":".*read-only.*FOSSICK_DATA_DIR/),
  ])
  expect(JSON.stringify(body)).not.toContain(folder.path)
  made.readOnly = false
  await app.db.script("pragma query_only = off")
  await expect.poll(() => app.accounts.billing.waiting).toBe(0)
  expect((await app.call("/usage", key)).body).toMatchObject({ key: { usage: 4 } })
})
