import { mkdir, mkdtemp, rename, rm, symlink } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { afterEach, beforeEach, expect, test } from "vitest"
import { engineSettings } from "../../settings.ts"
import { shippedModel, TransformersEmbedder } from "#engine/models/embedders/transformers-embedder.ts"
import { readSettings } from "#base/settings.ts"
import { HashingEmbedder } from "#engine/testing/hashing-embedder.ts"
import { openEngine } from "../../open-engine.ts"
import { modelsOf, whereFrom } from "./models.ts"

let dir: string
beforeEach(async () => {
  dir = await mkdtemp(path.join(tmpdir(), "fossick-models-"))
})
afterEach(() => rm(dir, { recursive: true, force: true }))

const settingsOf = (dataDir: string, model = "") =>
  readSettings(engineSettings, {
    FOSSICK_DATA_DIR: dataDir,
    FOSSICK_MODEL: model,
    FOSSICK_MODEL_HUB: "https://hub.example",
  })
const idOf = async (folder: string) => {
  await using embedder = await TransformersEmbedder.open({ model: folder, threads: 1 })
  return { format: 5, embedder: embedder.id, dimensions: embedder.dimensions }
}

/** The id of an index's model, if a process whose settings name another model can find it. */
async function found(dataDir: string, info: Awaited<ReturnType<typeof idOf>>, from: string | undefined) {
  await using embedder = await modelsOf(settingsOf(dataDir), new HashingEmbedder(), null).open(info, from)
  return embedder?.id ?? null
}

test("an index's model is found where it was, even in a moved data folder, and the shipped one anywhere", async () => {
  const [before, after] = [path.join(dir, "before"), path.join(dir, "after")]
  await mkdir(path.join(before, "models", "own"), { recursive: true })
  await symlink(shippedModel, path.join(before, "models", "own", "mini"), "junction")
  const from = whereFrom(settingsOf(before, "own/mini"))
  expect(from).toBe(path.join(before, "models", "own", "mini"))
  const info = await idOf(from)
  expect(await found(before, info, from)).toBe(info.embedder)
  await rename(before, after)
  expect(await found(after, info, from)).toBe(info.embedder)
  await rm(path.join(after, "models"), { recursive: true })
  expect(await found(after, info, from)).toBeNull()

  const shipped = await idOf(shippedModel)
  expect(await found(after, shipped, undefined)).toBe(shipped.embedder)
  expect(await found(after, { ...shipped, dimensions: 3 }, undefined)).toBeNull()
})

test("an index made for a shipped model's vectors uses that model, and keeps it", async () => {
  const settings = readSettings(engineSettings, { FOSSICK_DATA_DIR: path.join(dir, "imported") })
  const modelOf = async (options: { readonly vectorsOf?: string } = {}) => {
    await using engine = await openEngine(settings, { mode: "write", embedding: "off", ...options })
    return (await engine.stats()).embedder
  }
  expect(await modelOf({ vectorsOf: "multilingual-e5-small:quantized:mean:000000000000" })).toMatch(
    /^multilingual-e5-small:quantized:mean:(?!0{12})/,
  )
  expect(await modelOf()).toMatch(/^multilingual-e5-small:/)
  const other = readSettings(engineSettings, { FOSSICK_DATA_DIR: path.join(dir, "other") })
  await using engine = await openEngine(other, {
    mode: "write",
    embedding: "off",
    vectorsOf: "own:full:cls:1",
  })
  expect((await engine.stats()).embedder).toMatch(/^all-MiniLM-L6-v2:/)
})
