import { expect, test } from "vitest"
import type { PageAnchor } from "#engine"
import { aPage } from "#engine/testing/pages.ts"
import { pageHash } from "./page-hash.ts"

test("changes with a document's page numbers, but not with heading anchors", () => {
  const hashOf = (...anchors: PageAnchor[]) => pageHash(aPage("/manual", { anchors }))
  const unnumbered = hashOf([0, "install"], [4, "run"])
  expect(hashOf([0, "install-1"], [4, "run-1"])).toBe(unnumbered)
  const numbered = hashOf([0, "page=1", "i"], [4, "page=2", "ii"])
  expect(numbered).not.toBe(unnumbered)
  expect(hashOf([0, "page=1", "1"], [4, "page=2", "2"])).not.toBe(numbered)
})
