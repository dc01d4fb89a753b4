import { expect, test } from "vitest"
import { emptyState } from "#base/store/testing/empty-state.ts"
import { aPage } from "#engine/testing/pages.ts"
import { migrateRemovals } from "./removal-schema.ts"
import { RemovedCopies } from "./removed-copies.ts"

test("a copy is the original page, for its source alone, until it is deleted", async () => {
  const db = emptyState()
  migrateRemovals(db)
  const copies = new RemovedCopies(db)
  const dated = aPage("/dated", { publishedAt: new Date("2025-05-06T07:08:09.000Z") })
  const undated = aPage("/undated")
  for (const page of [dated, undated]) await copies.keep(page.url, "docs", page)
  expect([await copies.get(dated.url, "docs"), await copies.get(undated.url, "docs")]).toEqual([
    dated,
    undated,
  ])
  expect(await copies.get(dated.url, "other")).toBeNull()
  await copies.drop(dated.url, "docs")
  expect([await copies.get(dated.url, "docs"), await copies.get(undated.url, "docs")]).toEqual([
    null,
    undated,
  ])
})
