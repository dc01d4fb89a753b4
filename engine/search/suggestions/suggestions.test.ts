import { readFileSync, writeFileSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { afterEach, beforeEach, expect, test, vi } from "vitest"
import { until } from "#base/testing/until.ts"
import { toPageRow } from "../../index/page-record.ts"
import { aPage } from "../../testing/pages.ts"
import type { Hit, SearchResult } from "../../engine.ts"
import { suggestBySearch } from "./by-search.ts"
import type { NamedPage } from "./suggestible.ts"
import { type NamedPages, Suggestions } from "./suggestions.ts"

let dir: string
const problems: unknown[] = []
beforeEach(async () => {
  dir = await mkdtemp(path.join(tmpdir(), "fossick-suggestions-"))
  problems.length = 0
})
afterEach(() => rm(dir, { recursive: true }))

const named = (address: string, title: string): Promise<NamedPage> =>
  toPageRow(aPage(address, { title }), () => Promise.resolve())
const open = (mode: "read" | "write") =>
  new Suggestions({ file: path.join(dir, "names.db"), mode, onProblem: (error) => problems.push(error) })
const index = (pages: readonly NamedPage[]): NamedPages => ({
  revisions: () => Promise.resolve(pages),
  read: (ids, take) => take(pages.filter(({ id }) => ids.includes(id))),
})
const texts = (from: Suggestions, text: string) =>
  from.suggest({ text, limit: 9 })?.map((one) => one.text) ?? null

test("names missed by a killed writer are added, old ones are removed, and existing ones stay", async () => {
  const [kept, old, changed, gone] = await Promise.all([
    named("kept", "Pump one"),
    named("changed", "Pump two"),
    named("changed", "Pump three"),
    named("gone", "Pump four"),
  ])
  {
    await using writer = open("write")
    await writer.write([kept, old, gone])
    expect(writer.isBehind).toBe(false)
    await writer.expect([changed.id, gone.id])
  }
  await using writer = open("write")
  expect(writer.isBehind).toBe(true)
  void writer.catchUp(index([kept, changed]))
  await until(() => !writer.isBehind)
  expect(texts(writer, "pump")).toEqual(["Pump one", "Pump three"])
  expect(problems).toEqual([])
})

test("an invalid file is rebuilt by the writer, and until then a reader reports it and suggests nothing", async () => {
  writeFileSync(path.join(dir, "names.db"), "no database at all, though long enough to be one".repeat(40))
  await using reader = open("read")
  expect(texts(reader, "pump")).toBe(null)
  expect(problems).not.toEqual([])
  await using writer = open("write")
  expect(writer.isBehind).toBe(true)
  await writer.write([await named("page", "Pump")])
  expect(texts(reader, "pump")).toEqual(["Pump"])
})

test("a file damaged beyond its header is rebuilt once the writer notices", async () => {
  const pages = await Promise.all([named("one", "Pump one"), named("two", "Pump two")])
  {
    await using writer = open("write")
    await writer.write(pages)
  }
  const file = path.join(dir, "names.db")
  const bytes = readFileSync(file)
  writeFileSync(file, bytes.fill(0xff, 4096))
  await using writer = open("write")
  void writer.catchUp(index(pages))
  await until(() => texts(writer, "pump")?.length === 2)
  expect(problems).not.toEqual([])
})

test("without a file, the titles and headings of found pages are suggested", async () => {
  await using reader = open("read")
  expect(texts(reader, "pump")).toBe(null)
  expect(problems).toEqual([])
  const hit = (title: string, heading: string) =>
    ({
      title,
      url: `https://docs.example.com/${title}`,
      passages: [{ headings: [heading] }],
    }) as unknown as Hit
  const search = vi.fn(async (): Promise<SearchResult> => ({
    hits: [hit("Pumps", "Seals of pumps"), hit("Prices", "All")],
  }))
  const filter = { sources: ["docs"] }
  expect(await suggestBySearch(search, { text: "Pump", limit: 3, filter })).toEqual([
    { text: "Pumps", kind: "title", url: "https://docs.example.com/Pumps" },
    { text: "Seals of pumps", kind: "heading", url: "https://docs.example.com/Pumps" },
  ])
  expect(search).toHaveBeenCalledWith(expect.objectContaining({ text: "pump", filter, depth: "ultra-fast" }))
})
