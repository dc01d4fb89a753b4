import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { Degraded } from "#base/flow/degraded.ts"
import { readSettings } from "#base/settings.ts"
import { upgradeNow } from "#engine/lifecycle/generations/building/upgrade-now.ts"
import { indexStatus } from "#engine/lifecycle/generations/status.ts"
import { openEngine, openGenerations, openSearchEngine } from "#engine/open-engine.ts"
import { engineSettings } from "#engine/settings.ts"
import { HashingEmbedder } from "#engine/testing/hashing-embedder.ts"
import { startModelServer } from "#engine/testing/model-server.ts"
import { aPage } from "#engine/testing/pages.ts"
import { shippedModel, TransformersEmbedder } from "../transformers-embedder.ts"

// Runs searches in a real index, with vectors from a real HTTP server.

let dir: string
beforeAll(async () => (dir = await mkdtemp(path.join(tmpdir(), "fossick-remote-"))))
afterAll(() => rm(dir, { recursive: true }))

const settingsOf = (dataDir: string, more: Record<string, string> = {}) =>
  readSettings(engineSettings, { FOSSICK_DATA_DIR: path.join(dir, dataDir), ...more })

const atServer = (url: string, model = "words") => ({
  FOSSICK_EMBEDDINGS_URL: url,
  FOSSICK_EMBEDDINGS_MODEL: model,
  FOSSICK_EMBEDDINGS_TIMEOUT_MS: "60000",
})

const PAGES = [
  aPage("https://a.example/pump", {
    title: "Pumps",
    markdown: "A pump moves water from the cellar to the garden.",
  }),
  aPage("https://a.example/seal", {
    title: "Seals",
    markdown: "Seals wear out first and are cheap to replace.",
  }),
  aPage("https://a.example/turbine", {
    title: "Turbines",
    markdown: "A turbine makes current out of falling water.",
  }),
  aPage("https://a.example/cake", {
    title: "Cakes",
    markdown: "Stir butter, sugar and eggs until the dough is smooth.",
  }),
]

describe("the shipped model on a server", () => {
  test("finds the same as the local one, in the same order and with the same scores", async () => {
    await using model = await TransformersEmbedder.open({ model: shippedModel, threads: 1 })
    await using server = await startModelServer({ embedder: model })
    const here = settingsOf("here")
    const there = settingsOf("there", { ...atServer(`${server.url}/v1`, "all-MiniLM-L6-v2") })
    await using one = await openEngine(here, { mode: "write", embedder: model })
    await using other = await openEngine(there, { mode: "write" })
    for (const engine of [one, other]) {
      await engine.index(PAGES)
      await engine.settled()
    }
    const ask = async (engine: typeof one, text: string) =>
      (await engine.search({ text, limit: 4 })).hits.map(({ url, score, parts }) => [
        url,
        score.toFixed(4),
        parts.vector.toFixed(4),
      ])
    // Questions that are clearly English: a model on a server may support other languages, while the one that ships
    // doesn't.
    for (const text of [
      "how do I bake a cake",
      "what is it that lifts the water",
      "how do you make electricity from rivers",
      "what should I do with a worn gasket",
    ]) {
      const found = await ask(one, text)
      expect(found.length).toBeGreaterThan(0)
      expect(await ask(other, text)).toEqual(found)
    }
    expect(await other.stats()).toMatchObject({ embedder: "remote:all-MiniLM-L6-v2:384", dimensions: 384 })
    // Servers return no token vectors, so `advanced` works without them.
    const deep = await other.search({ text: "what lifts water", limit: 1, depth: "advanced" })
    expect(deep.hits[0]).toMatchObject({ url: "https://a.example/pump", parts: { late: 0 } })
  })
})

describe("an embeddings server that goes down", () => {
  test("leaves searches to words, reports this once, and pages wait for it", async () => {
    await using server = await startModelServer({ embedder: new HashingEmbedder() })
    const settings = settingsOf("outage", atServer(`${server.url}/v1`))
    const told: string[] = []
    const onProblem = (error: unknown) => told.push((error as Error).message)
    await using writer = await openEngine(settings, { mode: "write", onProblem })
    await writer.index(PAGES.slice(0, 3))
    await writer.settled()
    await using reader = await openSearchEngine(settings, { onProblem })
    expect(await reader.search({ text: "falling water", limit: 1 })).not.toHaveProperty("wordsAlone")

    await server.stop()
    told.length = 0
    const because = "The server of the embedding model cannot be reached (ECONNREFUSED)."
    for (const text of ["worn seals", "a cellar", "falling water"]) {
      const degraded = new Degraded()
      const found = await degraded.collect(() => reader.search({ text, limit: 1 }))
      expect(degraded.parts).toEqual(["meaning"])
      expect(found).toMatchObject({ wordsAlone: because })
      expect(found.hits).toHaveLength(1)
    }
    // If the caller asks for a search by words alone, the result doesn't count as degraded.
    const asked = new Degraded()
    await asked.collect(() => reader.search({ text: "worn seals", limit: 1, depth: "fast" }))
    expect(asked.parts).toEqual([])
    expect(reader.wordsAlone).toBe(true)
    expect(reader.warnings).toEqual([`Pages are found by their words alone: ${because}`])
    await writer.index([PAGES[3]!])
    expect((await writer.stats()).pagesWithoutVectors).toBe(1)
    const title = async () => (await reader.search({ text: "smooth dough", limit: 1 })).hits[0]?.title
    await expect.poll(title).toBe("Cakes")
    await expect.poll(() => told.length).toBe(2)

    await server.start()
    await writer.settled()
    await expect.poll(() => reader.wordsAlone).toBe(false)
    await expect
      .poll(async () => (await reader.search({ text: "smooth dough", limit: 1 })).hits[0]?.parts.vector)
      .toBeGreaterThan(0)
    // One message from each process: one about waiting pages, one about requests.
    expect(told).toHaveLength(2)
    expect(new Set(told)).toEqual(
      new Set([expect.stringContaining(`${because} Questions are answered by words alone`) as string]),
    )
  })
})

describe("a changed model on a server", () => {
  test("builds a second index, while the old model on the same server still answers", async () => {
    await using server = await startModelServer({ embedder: new HashingEmbedder() })
    const before = settingsOf("change", atServer(`${server.url}/v1`, "first"))
    await using reader = await (async () => {
      await using writer = await openEngine(before, { mode: "write" })
      await writer.index(PAGES)
      await writer.settled()
      return await openSearchEngine(settingsOf("change", atServer(`${server.url}/v1`, "second")))
    })()
    const asked = () => server.requests.at(-1)!.body["model"]
    await reader.search({ text: "falling water", limit: 1 })
    expect(asked()).toBe("first")
    await using context = await openGenerations(settingsOf("change", atServer(`${server.url}/v1`, "second")))
    expect((await indexStatus(context, 7)).due).toMatchObject({ embedder: "remote:second:64" })
    await upgradeNow(context, { signal: new AbortController().signal })
    expect((await indexStatus(context, 7)).current.embedder).toBe("remote:second:64")
    await expect
      .poll(async () => {
        await reader.search({ text: `water ${performance.now()}`, limit: 1 })
        return asked()
      })
      .toBe("second")
  })
})
