import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { expect, onTestFinished, test } from "vitest"
import type { SearchIndex } from "../../index/search-index.ts"
import { AskedPages, AskedPagesReader } from "./asked-pages.ts"

test("pages without vectors are reported once each time they are recorded", async () => {
  const dir = await mkdtemp(path.join(tmpdir(), "fossick-asked-"))
  onTestFinished(() => rm(dir, { recursive: true }))
  const file = path.join(dir, "asked.json")
  const embedded = new Set(["a"])
  const index = {
    withoutVectors: (ids: readonly string[]) => Promise.resolve(new Set(ids).difference(embedded)),
  } as unknown as SearchIndex
  {
    await using pages = new AskedPages(file)
    await pages.noting(index).withoutVectors(["a", "b", "c"])
  }
  const reader = new AskedPagesReader(file)
  expect(await reader.news()).toEqual(["b", "c"])
  expect(await reader.news()).toEqual([])
})
