import { expect, test } from "vitest"
import { toPageRow } from "../../../index/page-record.ts"
import type { Page } from "../../../index/page/page.ts"
import { aPage } from "../../../testing/pages.ts"
import { toPageDocument, toPassageDocuments } from "./documents.ts"
import { facetValue } from "../filter.ts"

async function documentOf(about: Partial<Omit<Page, "url">>) {
  const row = await toPageRow(aPage("page", about), () => Promise.resolve())
  return toPageDocument(row, { waiting: false, replaced: false })
}

test("a page of one source contains its name, a page of several a list, and so do their passages", async () => {
  expect(await documentOf({ source: "docs" })).toMatchObject({ source: "docs" })
  const shared = await documentOf({ source: "Team B", sharedWith: ["docs"] })
  expect(shared.source).toEqual([facetValue("Team B"), "docs"])
  expect(toPassageDocuments(shared, [new Float32Array(4)])).toMatchObject([{ source: shared.source }])
})

test("a page's revision changes when it gains a source, whichever source read it last", async () => {
  const { revision } = await documentOf({ source: "a" })
  const shared = await documentOf({ source: "a", sharedWith: ["b"] })
  expect(shared.revision).not.toBe(revision)
  expect((await documentOf({ source: "b", sharedWith: ["a"] })).revision).toBe(shared.revision)
})
