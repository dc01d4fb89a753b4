import { expect, test } from "vitest"

import type { StoredDocument } from "#crawler/fetch/content/documents/document-store.ts"

import { deletedBy, planSync } from "./sync-plan.ts"

const stored = (id: string, checksum: string) => ({ id, metadata: { checksum } }) as unknown as StoredDocument
const file = (path: string, filename: string, checksum: string) => ({ path, filename, checksum, size: 1 })

test("a sync adds, replaces and deletes what differs, and no cleanup deletes a file that is about to be replaced", () => {
  const plan = planSync(
    [file("", "a.md", "1"), file("x/y", "b.md", "2"), file("x", "c.md", "3")],
    [stored("a.md", "1"), stored("x/y/b.md", "old"), stored("gone/d.md", "4"), stored("e.md", "5")],
  )
  expect(plan).toMatchObject({
    added: [{ path: "x", filename: "c.md" }],
    modified: [{ path: "x/y", filename: "b.md" }],
    deleted: [
      { path: "gone", filename: "d.md" },
      { path: "", filename: "e.md" },
    ],
    unmodified_count: 1,
    directory_map: { x: "x", "x/y": "x/y" },
  })
  const cleaned = [
    ...plan.deleted.map((one) => one.file_id),
    ...plan.modified.map((one) => one.stale_file_id),
  ]
  expect(deletedBy(cleaned)).toEqual(["gone/d.md", "e.md"])
})
