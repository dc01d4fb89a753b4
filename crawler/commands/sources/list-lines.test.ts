import { expect, test } from "vitest"
import { defineSource } from "../../source.ts"
import type { SourceStatus } from "../../sources/source-status.ts"
import type { ListedSource, SourceEntry } from "../../sources/source-table.ts"
import { listLines } from "./sources-text.ts"

const AT = new Date("2026-11-21T03:41:00Z")

const entry = (name: string): SourceEntry =>
  ({
    source: defineSource({ name, seeds: ["https://docs.example/"], schedule: { cron: "15 3 * * *" } }),
    paused: false,
    nextRun: AT,
  }) as unknown as SourceEntry

const status = (more: Partial<SourceStatus> = {}): SourceStatus => ({
  pages: 999_999,
  pagesWithVectors: 999_998,
  pagesForNobody: 0,
  lastJob: null,
  lastResult: {
    job: 12,
    result: "finished-with-problems",
    reason: "28% of its pages have gone since the last run: 28 of 100 answered 404 or 410",
    endedAt: AT,
    new: 999_999,
    changed: 999_999,
    gone: 999_999,
    failed: 999_999,
    skipped: 0,
  },
  ...more,
})

test("the source list fits 120 columns, with numbers right-aligned and reasons below", () => {
  const names = ["a".repeat(80), "docs"]
  const lines = listLines(names.map(entry), new Map(names.map((name) => [name, status()])))
  expect(lines.slice(0, 3)).toEqual([
    "NAME                        PAGES      NEW  CHANGED  REMOVED   FAILED  VECTORS  LAST RESULT  ENDED UTC    NEXT UTC",
    `${"a".repeat(23)}…  999,999  999,999  999,999  999,999  999,999     99 %  problems     11-21 03:41  11-21 03:41`,
    "docs                      999,999  999,999  999,999  999,999  999,999     99 %  problems     11-21 03:41  11-21 03:41",
  ])
  for (const line of lines.slice(0, 3)) expect(line.length).toBeLessThanOrEqual(120)
  expect(lines.at(-1)).toBe(
    "docs: 28% of its pages have gone since the last run: 28 of 100 answered 404 or 410",
  )
})

test("a source that never ran is marked, and so is an index that cannot be read", () => {
  const statuses = new Map([
    ["new", status({ pages: 0, lastResult: null })],
    ["docs", status({ pages: 5, pagesWithVectors: null })],
  ])
  const [, first, second] = listLines(["new", "docs"].map(entry), statuses)
  expect(first).toMatch(/^new +0 +- +- +- +- +- +never ran +- +11-21 03:41$/)
  expect(second).toMatch(/^docs +5 .* - +problems /)
})

test("pages without readers are counted below the table", () => {
  const lines = listLines(
    [entry("docs")],
    new Map([["docs", status({ pagesForNobody: 1, lastResult: null })]]),
  )
  expect(lines.at(-1)).toBe("docs: nobody can read 1 page: they allow no one, or deny everyone they allow")
})

test("one-off crawls are marked as such", () => {
  const once = { ...entry("127.0.0.1:9"), origin: "one-off" } as ListedSource
  const [, row, why] = listLines([once], new Map([["127.0.0.1:9", status({ pages: 0 })]]))
  expect(row).toMatch(/^127\.0\.0\.1:9 +0 .* one-off$/)
  expect(why).toContain("127.0.0.1:9: ")
})
