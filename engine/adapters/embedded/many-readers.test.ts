import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, test } from "vitest"
import { type PageReaders, readersLabel } from "../../index/page/readers.ts"
import { HashingEmbedder } from "../../testing/hashing-embedder.ts"
import { aPage } from "../../testing/pages.ts"
import { EmbeddedEngine } from "./embedded-engine.ts"

// Some people are allowed to read pages with thousands of different labels. Listing all labels would be slow, so rows
// are fetched without the list and filtered afterwards.

let dir: string
let engine: EmbeddedEngine

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "fossick-readers-"))
  engine = await EmbeddedEngine.open({ dir, mode: "write", embedder: new HashingEmbedder() })
})
afterEach(async () => {
  await engine[Symbol.asyncDispose]()
  await rm(dir, { recursive: true })
})

const of = (group: number): PageReaders[] => [{ source: "wiki", allow: [[`group:g${group}`]], deny: [] }]
const labels = (...groups: number[]) => groups.map((group) => readersLabel(of(group))!)
const FOREIGN = labels(...Array.from({ length: 200 }, (_, at) => 1000 + at))

test("a long list of readers finds the same pages as a short one, however few of the best are readable", async () => {
  const pages = Array.from({ length: 240 }, (_, at) =>
    aPage(`page${at}`, {
      source: "wiki",
      markdown: `${"Common words. ".repeat(1 + (at % 9))} About thing ${at % 40}.`,
      ...(at % 3 > 0 && { readers: of(at % 40) }),
    }),
  )
  await engine.index(pages)
  await engine.settled()
  for (const arms of ["lexical", "vector", "hybrid"] as const) {
    for (const seen of [
      labels(1),
      labels(2, 4, 5),
      labels(...Array.from({ length: 40 }, (_, at) => at)),
      [],
    ]) {
      const found = async (readers: string[]) => {
        const { hits } = await engine.search({
          text: "common words thing",
          limit: 9,
          arms,
          filter: { readers },
        })
        return hits.map(({ url }) => url)
      }
      expect([arms, await found([...seen, ...FOREIGN])]).toEqual([arms, await found(seen)])
    }
    const count = async (readers: string[]) =>
      (await engine.facets({ text: "common", fields: ["source"], filter: { readers } })).pages
    expect(await count([...labels(1), ...FOREIGN])).toBe(await count(labels(1)))
  }
})

test("a word is known only as long as a readable page contains it", async () => {
  const page = aPage("salaries", { source: "wiki", markdown: "The zorqbbben is paid in May." })
  const usual = aPage("open", { source: "wiki", markdown: "The zorqbbbem is in the cellar." })
  const filter = { readers: [...labels(1), ...FOREIGN] }
  const found = async () => {
    const { hits } = await engine.search({ text: "zorqbbben", limit: 5, arms: "lexical", filter })
    return hits.map(({ url }) => url)
  }
  await engine.index([usual, { ...page, readers: of(1) }])
  await engine.settled()
  expect(await found()).toEqual([page.url])
  await engine.index([{ ...page, readers: of(2) }])
  await engine.settled()
  expect(await found()).toEqual([usual.url])
})
