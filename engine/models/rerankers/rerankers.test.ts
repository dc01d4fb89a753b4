import { cp, mkdtemp, rm, writeFile } from "node:fs/promises"
import type { ServerResponse } from "node:http"
import { tmpdir } from "node:os"
import path from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { Degraded } from "#base/flow/degraded.ts"
import { readSettings } from "#base/settings.ts"
import { openEngine, openSearchEngine } from "#engine/open-engine.ts"
import { engineSettings } from "#engine/settings.ts"
import { HashingEmbedder } from "#engine/testing/hashing-embedder.ts"
import {
  type ModelRequest,
  startModelServer,
  type TestModelServerOptions,
} from "#engine/testing/model-server.ts"
import { aPage } from "#engine/testing/pages.ts"
import { CrossEncoder } from "./cross-encoder.ts"
import { openReranker } from "./open-reranker.ts"
import { RemoteReranker } from "./remote-reranker.ts"
import { makeTinyCrossEncoder } from "./testing/tiny-cross-encoder.ts"

let dir: string
let tiny: string
beforeAll(async () => {
  dir = await mkdtemp(path.join(tmpdir(), "fossick-rerankers-"))
  tiny = await makeTinyCrossEncoder(path.join(dir, "tiny"))
})
afterAll(() => rm(dir, { recursive: true }))

const settingsOf = (env: Record<string, string> = {}) =>
  readSettings(engineSettings, {
    FOSSICK_DATA_DIR: path.join(dir, "index"),
    FOSSICK_RERANKER_TIMEOUT_MS: "60000",
    ...env,
  })

/** The share of the question's words that a text contains. */
const bySharedWords = async (question: string, texts: readonly string[]) => {
  const words = question.split(" ")
  return texts.map((text) => words.filter((word) => text.includes(word)).length / words.length)
}
const serving = (more: TestModelServerOptions = {}) => startModelServer({ rerank: bySharedWords, ...more })
const remote = (url: string, env: Record<string, string> = {}) =>
  new RemoteReranker(settingsOf({ FOSSICK_RERANKER_URL: url, ...env }))

const TEXTS = ["a loud turbine", "butter and sugar", "a turbine in the cellar"]

describe("a cross-encoder in a folder", () => {
  test("reads question and text together, and scores each shared token", async () => {
    await using reranker = await CrossEncoder.open(tiny, { timeoutMs: 20_000 })
    const scores = await reranker.scores("turbine cellar", TEXTS)
    const logits = scores.map((score) => Math.log(score / (1 - score)))
    expect(logits.map((logit) => Math.round(logit))).toEqual([-2, -6, 2])
    expect(await reranker.scores("turbine cellar", [...TEXTS].reverse())).toEqual(scores.reverse())
  })

  test("is abandoned when the caller leaves or it takes too long, and reads the next question", async () => {
    await using reranker = await CrossEncoder.open(tiny, { timeoutMs: 1 })
    const many = Array.from({ length: 200 }, (_, i) => `text number ${i}`)
    await expect(reranker.scores("turbine", many)).rejects.toMatchObject({
      name: "ModelOutage",
      because: "The reranker took longer than 1 ms.",
    })
    expect(reranker.outage).toBeNull()
    const stop = new AbortController()
    await using busy = await CrossEncoder.open(tiny, { timeoutMs: 20_000, mostWaiting: 5 })
    await expect(busy.scores("turbine", many.slice(0, 6))).rejects.toThrow("has too much to read")
    const [three, five] = [busy.scores("turbine", TEXTS), busy.scores("turbine", many.slice(0, 5))]
    await expect(five).rejects.toMatchObject({ name: "ModelOutage" })
    expect(await three).toHaveLength(3)
    expect(await busy.scores("turbine", many.slice(0, 5))).toHaveLength(5)
    await using patient = await CrossEncoder.open(tiny, { timeoutMs: 20_000 })
    const asked = patient.scores("turbine", many, stop.signal)
    stop.abort(new Error("gone"))
    await expect(asked).rejects.toThrow("gone")
    expect(await patient.scores("turbine", TEXTS)).toHaveLength(3)
  })

  test("drops work of a caller who leaves, making room for others", async () => {
    await using reranker = await CrossEncoder.open(tiny, { timeoutMs: 20_000, mostWaiting: 5, threads: 1 })
    const many = Array.from({ length: 5 }, (_, i) => `text number ${i}`)
    const caller = new AbortController()
    const asked = reranker.scores("turbine", many, caller.signal)
    await expect(reranker.scores("turbine", TEXTS)).rejects.toThrow("has too much to read")
    caller.abort(new Error("gone"))
    await expect(asked).rejects.toThrow("gone")
    expect(await reranker.scores("turbine", many)).toHaveLength(5)
  })

  test("with invalid content says what is missing", async () => {
    await expect(CrossEncoder.open(path.join(dir, "nowhere"), { timeoutMs: 1 })).rejects.toThrow(
      /there is no such folder.*FOSSICK_RERANKER/,
    )
    const other = path.join(dir, "other")
    await cp(tiny, other, { recursive: true })
    await writeFile(path.join(other, "config.json"), '{"id2label": {"0": "no", "1": "yes"}}')
    await expect(CrossEncoder.open(other, { timeoutMs: 1 })).rejects.toThrow("it sorts pairs into 2 classes")
    await cp(path.join(tiny, "config.json"), path.join(other, "config.json"))
    await writeFile(path.join(other, "onnx", "model.onnx"), "no model")
    await using broken = await CrossEncoder.open(other, { timeoutMs: 20_000 })
    await expect(broken.scores("turbine", TEXTS)).rejects.toThrow(/cannot be loaded/)
    expect(broken.outage).toMatch(/^The reranker cannot be loaded/)
  })
})

describe("a reranker server", () => {
  test.each<[string, string, TestModelServerOptions["speaks"]]>([
    ["Cohere and Jina", "/v1", "openai"],
    ["Text Embeddings Inference, found out", "", "tei"],
  ])("in the format of %s gives each text its score", async (_, base, speaks) => {
    await using server = await serving({ speaks: speaks!, key: "hush-hush" })
    await using reranker = remote(`${server.url}${base}`, {
      FOSSICK_RERANKER_MODEL: "words",
      FOSSICK_RERANKER_KEY: "hush-hush",
    })
    expect(await reranker.scores("turbine cellar", TEXTS)).toEqual([0.5, 0, 1])
    expect(await reranker.scores("sugar", TEXTS)).toEqual([0, 1, 0])
    expect(server.requests.at(-1)!.path).toBe(`${base}/rerank`)
  })

  test("that returns raw model scores has them mapped between 0 and 1", async () => {
    await using server = await serving({ rerank: async () => [-9, 0, 9] })
    await using reranker = remote(`${server.url}/v1`)
    const scores = await reranker.scores("turbine", TEXTS)
    expect(scores[1]).toBe(0.5)
    expect(scores[0]! + scores[2]!).toBeCloseTo(1)
  })

  const json = (said: unknown) => (_: ModelRequest, response: ServerResponse) =>
    void response.end(JSON.stringify(said))
  const item = (index: number, relevance_score: unknown = 0.5) => ({ index, relevance_score })
  test.each<[string, (request: ModelRequest, response: ServerResponse) => void, RegExp]>([
    ["too few", json({ results: [item(0)] }), /1 scores for 3 texts/],
    ["one text twice", json({ results: [item(0), item(0), item(1)] }), /`index` that belongs to no text/],
    ["no number", json({ results: [item(0), item(1, null), item(2)] }), /a score that is not a number/],
    ["no list", json({ results: "none" }), /no list of scores/],
    ["HTML", (_, response) => void response.end("<html>"), /not JSON/],
    ["ten megabytes", (_, response) => void response.end("1".repeat(10_000_000)), /more than \d+ bytes/],
    ["a refused key", (_, response) => void response.writeHead(403).end(), /403: it does not accept the key/],
    ["silence", () => {}, /no answer within 500 ms/],
  ])("that answers with %s is skipped, with the reason", async (_, instead, said) => {
    await using server = await serving()
    await using reranker = remote(`${server.url}/v1`, {
      ...(said.source.includes("within") && { FOSSICK_RERANKER_TIMEOUT_MS: "500" }),
    })
    server.instead = instead
    const asked = reranker.scores("private turbine", TEXTS)
    await expect(asked).rejects.toMatchObject({ name: "ModelOutage" })
    await expect(asked).rejects.toThrow(said)
    await expect(asked).rejects.not.toThrow(/private|loud/)
    expect(reranker.outage).toMatch(said)
    server.instead = null
    await expect.poll(() => reranker.outage).toBeNull()
  })
})

describe("a reranker in a search", () => {
  // Words and vectors can't tell which page is better, but the model that reads both texts can.
  const PAGES = [
    aPage("https://a.example/1", {
      title: "One",
      markdown: "A note of the garden about the season of peas and its many colours.",
    }),
    aPage("https://a.example/2", {
      title: "Two",
      markdown: "A note of the garden about the summer of beans and its many flavours.",
    }),
    aPage("https://a.example/3", {
      title: "Three",
      markdown: "A note of the cellar about the winter of roots and its long silence.",
    }),
  ]
  const QUESTION = "note on something that grows tall with strings in flavours unknown"
  const favours = (word: string) => async (_: string, texts: readonly string[]) =>
    texts.map((text) => (text.includes(word) ? 0.98 : 0.03))

  async function indexed() {
    const settings = settingsOf({ FOSSICK_DATA_DIR: await mkdtemp(path.join(dir, "search-")) })
    await using engine = await openEngine(settings, { mode: "write", embedder: new HashingEmbedder() })
    await engine.index(PAGES)
    await engine.settled()
    return settings
  }

  test("puts the page it prefers first at the depth that uses it, and scores never rise", async () => {
    await using server = await serving({ rerank: favours("winter") })
    const settings = { ...(await indexed()), rerankerUrl: `${server.url}/v1` }
    await using engine = await openSearchEngine(settings, { embedder: new HashingEmbedder() })
    const basic = await engine.search({ text: QUESTION, limit: 3 })
    expect(server.requests).toHaveLength(0)
    expect(basic.hits[0]!.title).not.toBe("Three")
    expect(basic.hits.map(({ parts }) => parts.rerank)).toEqual([0, 0, 0])
    const { hits, notReranked } = await engine.search({ text: QUESTION, limit: 3, depth: "advanced" })
    expect(notReranked).toBeUndefined()
    expect(hits[0]).toMatchObject({ title: "Three", parts: { rerank: 0.98 } })
    expect(hits.map(({ score }) => score)).toEqual(hits.map(({ score }) => score).toSorted((a, b) => b - a))
    expect(hits[0]!.score).toBeLessThanOrEqual(1)
    expect(hits.at(-1)!.score).toBeGreaterThanOrEqual(0)
    await using early = await openSearchEngine(
      { ...settings, rerankerDepth: "basic" },
      { embedder: new HashingEmbedder() },
    )
    expect((await early.search({ text: QUESTION, limit: 1 })).hits[0]!.title).toBe("Three")
    expect((await early.search({ text: QUESTION, limit: 1, depth: "fast" })).hits[0]!.parts.rerank).toBe(0)
  })

  test("is not asked when words say enough", async () => {
    await using server = await serving({ rerank: favours("winter") })
    const settings = { ...(await indexed()), rerankerUrl: `${server.url}/v1` }
    await using engine = await openSearchEngine(settings, { embedder: new HashingEmbedder() })
    const { hits } = await engine.search({ text: "summer beans flavours", limit: 1, depth: "advanced" })
    expect(hits[0]!.title).toBe("Two")
    expect(server.requests).toHaveLength(0)
  })

  test("that is unreachable leaves the ranking unchanged, with a notice, and is reported once", async () => {
    const server = await serving({ rerank: favours("winter") })
    const settings = await indexed()
    await using plain = await openSearchEngine(settings, { embedder: new HashingEmbedder() })
    const before = await plain.search({ text: QUESTION, limit: 3, depth: "advanced" })
    const told: unknown[] = []
    await using engine = await openSearchEngine(
      { ...settings, rerankerUrl: `${server.url}/v1` },
      { embedder: new HashingEmbedder(), onProblem: (error) => told.push(error) },
    )
    await server.stop()
    for (let i = 0; i < 3; i++) {
      const degraded = new Degraded()
      const found = await degraded.collect(() =>
        engine.search({ text: QUESTION, limit: 3, depth: "advanced" }),
      )
      expect(degraded.parts).toEqual(["reranker"])
      expect(found.hits).toEqual(before.hits)
      expect(found.notReranked).toBe("The server of the reranker cannot be reached (ECONNREFUSED).")
    }
    expect(told).toHaveLength(1)
    expect(engine.warnings).toEqual([
      "Pages are ranked without the reranker: The server of the reranker cannot be reached (ECONNREFUSED).",
    ])
  })

  test("can be a cross-encoder in a folder", async () => {
    const settings = { ...(await indexed()), reranker: tiny, rerankerTimeoutMs: 20_000 }
    await using engine = await openSearchEngine(settings, { embedder: new HashingEmbedder() })
    const { hits, notReranked } = await engine.search({ text: QUESTION, limit: 3, depth: "advanced" })
    expect(notReranked).toBeUndefined()
    expect(hits[0]!.title).toBe("Two")
    expect(hits[0]!.parts.rerank).toBeGreaterThan(hits[1]!.parts.rerank)
  })

  test("is null when none is configured", async () => {
    expect(await openReranker(settingsOf())).toBeNull()
  })
})
