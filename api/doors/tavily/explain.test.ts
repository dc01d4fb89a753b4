import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { expect, test } from "vitest"

import { EmbeddedEngine } from "#engine/adapters/embedded/embedded-engine.ts"
import { HashingEmbedder } from "#engine/testing/hashing-embedder.ts"
import { aPage } from "#engine/testing/pages.ts"

import { serveAccounts } from "../../testing/serve-accounts.ts"

// Checks `lexical` in `explain` against values computed by hand from the description in docs/search-api.md, on an index
// of two pages.

test("explain marks as lexical what the handbook says it does", async () => {
  await using opened = new AsyncDisposableStack()
  const dir = await mkdtemp(join(tmpdir(), "fossick-explain-"))
  opened.defer(() => rm(dir, { recursive: true }))
  const engine = opened.use(
    await EmbeddedEngine.open({ dir: join(dir, "index"), mode: "write", embedder: new HashingEmbedder() }),
  )
  await engine.index([
    aPage("https://docs.example.com/a1", { title: "Pump", markdown: "Zebra pump zebra." }),
    aPage("https://docs.example.com/a2", { title: "Valve", markdown: "Pump pump pump valve valve." }),
  ])
  const app = opened.use(await serveAccounts({ engine }))
  const explained = async (query: string) => {
    const body = { query, explain: true, search_depth: "fast" }
    const answer = await app.call("/search", await app.key({ role: "admin" }), body)
    return Object.fromEntries(
      (answer.body.results as { url: string; explain: Record<string, number> }[]).map(({ url, explain }) => [
        url.at(-1),
        explain,
      ]),
    )
  }

  // BM25: a word that occurs n times contributes n · 2.2 / (n + norm) times its weight, at most 2.2 times its weight.
  const said = (times: number, norm: number) => (times === 0 ? 0 : times / (times + norm))
  const inSection = (length: number) => 1.2 * (0.5 + (0.5 * length) / 510)
  const inPassage = (length: number) => 1.2 * (0.25 + (0.75 * length) / 100)

  // One word, twice in the only section, which is one passage of three words. The question has no neighbouring words,
  // and the word isn't a name.
  const { 1: alone } = await explained("zebra")
  expect(alone!["passage"]).toBeCloseTo(said(2, inPassage(3)), 6)
  expect(alone!["lexical"]).toBeCloseTo(0.57 * said(2, inSection(3)) + 0.21 * said(2, inPassage(3)), 6)

  // Two words: one is on one of the two pages, the other on both. In the title, a word counts twice.
  const zebra = Math.log(1 + (2 - 1 + 0.5) / (1 + 0.5))
  const pump = Math.log(1 + (2 - 2 + 0.5) / (2 + 0.5))
  const weigh = (ofZebra: number, ofPump: number) => (zebra * ofZebra + pump * ofPump) / (zebra + pump)
  const { 1: one, 2: two } = await explained("zebra pump")
  const section = weigh(said(2, inSection(3)), said(1 + 2, inSection(3)))
  const passage = weigh(said(2, inPassage(3)), said(1, inPassage(3)))
  const name = weigh(0, 1)
  const neighbours = 1
  expect(one!["passage"]).toBeCloseTo(passage, 6)
  expect(one!["lexical"]).toBeCloseTo(0.5 * section + 0.21 * passage + 0.22 * name + 0.07 * neighbours, 6)

  const other = weigh(0, said(3, inPassage(5)))
  expect(two!["passage"]).toBeCloseTo(other, 6)
  expect(two!["lexical"]).toBeCloseTo(0.5 * weigh(0, said(3, inSection(5))) + 0.21 * other, 6)
  for (const { lexical, vector, late, fused } of [one!, two!] as Record<string, number>[]) {
    expect({ vector, late, fused }).toEqual({ vector: 0, late: 0, fused: lexical })
  }
})
