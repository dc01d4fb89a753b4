import { copyFile, cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { afterEach, beforeEach, expect, test } from "vitest"
import { readSettings } from "#base/settings.ts"
import { openEngine, openSearchEngine } from "../../open-engine.ts"
import { engineSettings } from "../../settings.ts"
import { aPage } from "../../testing/pages.ts"
import { shippedModel } from "../../shipped-models.ts"

let dir: string
beforeEach(async () => {
  dir = await mkdtemp(path.join(tmpdir(), "fossick-awaited-"))
})
afterEach(() => rm(dir, { recursive: true }))

const QUESTION = { text: "otters", limit: 3 } as const

test("an index with a damaged model answers by words, names the model, and answers by meaning once its files are back", async () => {
  const model = path.join(dir, "all-MiniLM-L6-v2")
  await cp(shippedModel, model, { recursive: true })
  const settings = readSettings(engineSettings, {
    FOSSICK_DATA_DIR: path.join(dir, "data"),
    FOSSICK_MODEL: model,
  })
  // No shipped model can replace this custom model, because it uses another pooling.
  await writeFile(path.join(model, "fossick.json"), JSON.stringify({ pooling: "cls" }))
  {
    await using engine = await openEngine(settings, { mode: "write" })
    await engine.index([aPage("otters", { title: "Otters", markdown: "Otters hold hands asleep." })])
    await engine.settled()
  }
  const vocabulary = path.join(model, "tokenizer.json")
  const sound = path.join(dir, "tokenizer.json")
  await copyFile(vocabulary, sound)
  await writeFile(vocabulary, (await readFile(vocabulary, "utf8")).replace('"the"', '"thf"'))

  const told: Error[] = []
  await using engine = await openSearchEngine(settings, {
    onProblem: (error) => void told.push(error as Error),
  })
  const found = await engine.search(QUESTION)
  expect(found.hits).toHaveLength(1)
  expect(found.wordsAlone).toContain("The embedding model all-MiniLM-L6-v2 cannot be opened")
  expect(engine.warnings.join()).toContain("by their words alone")
  expect(engine.warnings.join()).not.toContain(dir)
  await expect(engine.embedder.embed(["ready?"], { priority: "query" })).rejects.toThrow("tokenizer.json")

  await copyFile(sound, vocabulary)
  await expect.poll(() => engine.warnings).toEqual([])
  expect((await engine.search(QUESTION)).wordsAlone).toBeUndefined()
})

test("a missing model folder is an invalid setting, not a damaged model", async () => {
  const here = { FOSSICK_DATA_DIR: path.join(dir, "data") }
  {
    await using engine = await openEngine(readSettings(engineSettings, here), {
      mode: "write",
      embedding: "off",
    })
    await engine.index([aPage("otters")])
  }
  const elsewhere = readSettings(engineSettings, { ...here, FOSSICK_MODEL: path.join(dir, "mistyped") })
  await expect(openSearchEngine(elsewhere)).rejects.toThrow("there is no such folder")
})
