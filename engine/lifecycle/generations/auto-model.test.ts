import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { HeldEmbedder } from "#engine/models/embedders/held-embedder.ts"
import { HashingEmbedder } from "#engine/testing/hashing-embedder.ts"
import { AutoModel } from "./auto-model.ts"
import { GenerationFile, wantedModel } from "./generation-file.ts"
import { SHIPPED_MODELS } from "../../shipped-models.ts"
import { modelFolderOf, suitedModel } from "./model-choice.ts"

const ENGLISH = "all-MiniLM-L6-v2:quantized:mean:000000000000"
const MULTILINGUAL = "multilingual-e5-small:quantized:mean:000000000000"

let dir: string
let file: GenerationFile
beforeEach(async () => {
  dir = await mkdtemp(path.join(tmpdir(), "fossick-auto-model-"))
  file = new GenerationFile(dir, "embedded")
})
afterEach(() => rm(dir, { recursive: true }))

/** An index with the given number of pages in each language. */
const holding = (languages: Record<string, number>, passages = 100) => ({
  languages: () => Promise.resolve(new Map(Object.entries(languages))),
  stats: () =>
    Promise.resolve({
      pages: 0,
      passages,
      pagesWithoutVectors: 0,
      passagesWithoutVectors: 0,
      vectorsPerSecond: null,
      embedder: ENGLISH,
      dimensions: 1,
    }),
})
const chosen = async () => (await file.read()).choice.chosen
const over = { isCrawlOver: true }
const running = { isCrawlOver: false }

describe("the right model for an index", () => {
  test.each([
    [{ en: 95, de: 5 }, "english"],
    [{ en: 94, de: 6 }, "multilingual"],
    [{ "": 80, en: 20 }, "english"],
    [{ "": 10, ja: 1 }, "multilingual"],
    [{ "en-GB": 10 }, "english"],
  ] as const)("with %j is the %s one", (languages, model) => {
    expect(suitedModel(new Map(Object.entries(languages)), null)).toBe(model)
  })

  test("stays the multilingual one until almost no page needs it", () => {
    expect(
      suitedModel(
        new Map([
          ["en", 97],
          ["de", 3],
        ]),
        "multilingual",
      ),
    ).toBe("multilingual")
    expect(
      suitedModel(
        new Map([
          ["en", 99],
          ["de", 1],
        ]),
        "multilingual",
      ),
    ).toBe("english")
  })

  test("is the shipped one, the one that made the index, or the configured folder", () => {
    const auto = { wanted: "auto", chosen: null }
    expect(modelFolderOf(auto, null)).toBe(SHIPPED_MODELS.english)
    expect(modelFolderOf(auto, { embedder: MULTILINGUAL })).toBe(SHIPPED_MODELS.multilingual)
    expect(modelFolderOf({ ...auto, chosen: "english" }, { embedder: MULTILINGUAL })).toBe(
      SHIPPED_MODELS.english,
    )
    expect(modelFolderOf({ ...auto, wanted: "/srv/models/own" }, null)).toBe("/srv/models/own")
  })
})

describe("a first crawl", () => {
  test("makes no vectors until its first pages show their languages", async () => {
    await using embedder = new HeldEmbedder(new HashingEmbedder())
    const auto = new AutoModel(file, ENGLISH, embedder)
    let made = false
    const vectors = embedder.embed(["a page"]).then(() => (made = true))
    await expect(embedder.embed(["a question"], { priority: "query" })).resolves.toHaveLength(1)
    expect(await auto.look(holding({ en: 3 }), running)).toBeNull()
    expect(made).toBe(false)
    expect(await auto.look(holding({ en: 60, de: 1 }), running)).toMatchObject({ isAnother: false })
    await vectors
    expect(await chosen()).toBe("english")
    expect(await auto.look(holding({ en: 60 }), over)).toBeNull()
  })

  test("in another language selects the multilingual model, and never makes vectors with the other one", async () => {
    await using embedder = new HeldEmbedder(new HashingEmbedder())
    const auto = new AutoModel(file, ENGLISH, embedder)
    const giveUp = new AbortController()
    const vectors = embedder.embed(["eine Seite"], { signal: giveUp.signal })
    expect(await auto.look(holding({ de: 3 }), over)).toMatchObject({
      isAnother: true,
      isMade: true,
      text: expect.stringContaining("multilingual model makes the vectors: 100 % of 3 pages"),
    })
    expect(await chosen()).toBe("multilingual")
    giveUp.abort(new Error("closing"))
    await expect(vectors).rejects.toThrow("closing")
  })

  test("without pages selects nothing", async () => {
    const auto = new AutoModel(file, ENGLISH, new HeldEmbedder(new HashingEmbedder()))
    expect(await auto.look(holding({}), over)).toBeNull()
    expect(await chosen()).toBeNull()
  })
})

describe("an index that gains other languages", () => {
  test("switches automatically while it is small", async () => {
    const auto = new AutoModel(file, ENGLISH, null)
    expect(await auto.look(holding({ en: 90 }), over)).toBeNull()
    expect(await auto.look(holding({ en: 90, fr: 30 }), over)).toMatchObject({
      isAnother: true,
      isMade: true,
    })
    expect(await chosen()).toBe("multilingual")
  })

  test("is left to the operator when it is large, with the command to use", async () => {
    const auto = new AutoModel(file, ENGLISH, null)
    expect(await auto.look(holding({ en: 9000, fr: 3000 }, 90_000), over)).toMatchObject({
      isMade: false,
      text: expect.stringContaining("fossick index model multilingual switches to it"),
    })
    expect(await chosen()).toBeNull()
  })

  test("is reopened when a model is requested meanwhile", async () => {
    const auto = new AutoModel(file, ENGLISH, null)
    expect(wantedModel(dir, "embedded")).toBe("auto")
    await file.change(() => ({ choice: { wanted: "multilingual", chosen: null } }))
    expect(wantedModel(dir, "embedded")).toBe("multilingual")
    expect(await auto.look(holding({ en: 9 }), running)).toMatchObject({ isAnother: true, isMade: true })
  })
})
