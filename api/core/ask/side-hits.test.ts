import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"

import { readSettings } from "#base/settings.ts"
import { type Engine, openEngine } from "#engine"
import { engineSettings } from "#engine/settings.ts"
import { HashingEmbedder } from "#engine/testing/hashing-embedder.ts"
import { aPage } from "#engine/testing/pages.ts"
import { parseQueryText } from "#engine/text/query-text.ts"

import { withSides } from "./side-hits.ts"

let dir: string
let engine: Engine
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "fossick-sides-"))
  engine = await openEngine(readSettings(engineSettings, { FOSSICK_DATA_DIR: dir }), {
    mode: "write",
    embedder: new HashingEmbedder(),
  })
  const both = ["winter", "spring", "autumn"].map((season) =>
    aPage(`https://garage.example/${season}`, {
      title: `Diesel engine and petrol engine in ${season}`,
      markdown: `In ${season} a diesel engine and a petrol engine need the same care of the same mechanic.`,
    }),
  )
  const alone = aPage("https://garage.example/petrol", {
    title: "Petrol engine",
    markdown: "A petrol engine burns its fuel with a spark. The petrol engine is light.",
  })
  await engine.index([...both, alone])
  await engine.settled()
})
afterAll(async () => {
  await engine[Symbol.asyncDispose]()
  await rm(dir, { recursive: true })
})

async function found(text: string, more: { readonly limit?: number } = {}) {
  const query = { text: parseQueryText(text), limit: 2, ...more }
  const { hits } = await engine.search(query)
  const sided = await withSides(hits, query, engine, new AbortController().signal)
  const paths = (some: typeof hits) => some.map(({ url }) => new URL(url).pathname)
  return { plain: paths(hits), sided: paths(sided), scores: sided.map(({ score }) => score) }
}

test("a comparison finds the page about only one side, which replaces the lowest hit", async () => {
  const { plain, sided, scores } = await found("diesel engine versus petrol engine")
  expect(plain).not.toContain("/petrol")
  expect(sided).toContain("/petrol")
  expect(sided).toHaveLength(2)
  expect(scores).toEqual(scores.toSorted((a, b) => b - a))
})

test("several questions each find their page", async () => {
  const { sided } = await found(
    "what care does a diesel engine need in winter and how does a petrol engine burn fuel?",
  )
  expect(sided.toSorted()).toEqual(["/petrol", "/winter"])
})

test("operators of the whole question apply to each side", async () => {
  const { sided } = await found("diesel engine versus petrol engine -spark")
  expect(sided).not.toContain("/petrol")
})

test("the others keep the order that the operator's rules gave them", async () => {
  const query = { text: parseQueryText("diesel engine versus petrol engine"), limit: 10 }
  const { hits } = await engine.search({ ...query, limit: 3 })
  const others = hits.map((hit, at) => ({ ...hit, score: [0.5, 0.9, 0.4][at]! }))
  const ordered = others.map(({ url }) => url)
  const sided = await withSides(others, query, engine, new AbortController().signal)
  expect(sided.map(({ url }) => url).filter((url) => ordered.includes(url))).toEqual(ordered)
  expect(sided.some(({ url }) => url.endsWith("/petrol"))).toBe(true)
})

test("other questions find the same pages as before", async () => {
  const { plain, sided } = await found("petrol engine in winter")
  expect(sided).toEqual(plain)
})
