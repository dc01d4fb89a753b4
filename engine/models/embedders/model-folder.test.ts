import { cp, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { TransformersEmbedder, shippedModel } from "./transformers-embedder.ts"
import { readModelFolder } from "./model-folder.ts"
import { SHIPPED_MODELS } from "../../shipped-models.ts"
import { vocabularyScripts } from "./model/vocabulary-scripts.ts"

let dir: string
beforeEach(async () => {
  dir = await mkdtemp(path.join(tmpdir(), "fossick-model-folder-"))
})
afterEach(() => rm(dir, { recursive: true }))

/** The English model under its own name, with the given card or without one. */
async function modelThatSays(card: unknown): Promise<string> {
  const folder = path.join(dir, "all-MiniLM-L6-v2")
  await rm(folder, { recursive: true, force: true })
  const filter = (file: string) => !file.endsWith("fossick.json") && !file.endsWith("onnx")
  await cp(shippedModel, folder, { recursive: true, filter })
  await symlink(path.join(shippedModel, "onnx"), path.join(folder, "onnx"))
  if (card !== undefined) await writeFile(path.join(folder, "fossick.json"), JSON.stringify(card))
  return folder
}

describe("the description in a model folder", () => {
  test("gives its range of cosines and the scripts it reads", async () => {
    const cosines = { unrelated: 0.7, same: 1 }
    const folder = await modelThatSays({ cosines, scripts: ["Latin", "Han"] })
    expect((await readModelFolder(folder)).traits).toEqual({ cosines, scripts: ["Latin", "Han"] })
  })

  test("defaults to cosines from 0 to 1, and the scripts in the vocabulary", async () => {
    const { id, traits } = await readModelFolder(await modelThatSays(undefined))
    expect(traits).toEqual({ cosines: { unrelated: 0, same: 1 }, scripts: ["Latin"] })
    expect(id).toBe((await readModelFolder(shippedModel)).id)
    expect((await readModelFolder(shippedModel)).traits).toEqual(traits)
  })

  test.each([
    [{ cosine: 1 }, /fossick\.json is wrong: .*must NOT have additional properties cosine/],
    [{ cosines: { unrelated: 0.7 } }, /cosines must have required property 'same'/],
    [{ cosines: { unrelated: 0.9, same: 0.4 } }, /cosines\.unrelated must be below cosines\.same/],
    [{ pooling: "max" }, /pooling must be equal to one of the allowed values/],
    [{ prefixes: { question: 1 } }, /prefixes\.question must be string/],
    [{ scripts: ["Latin", "Elvish"] }, /scripts: Unicode knows no script "Elvish"/],
    [[], /must be object/],
  ])("is rejected by field name when it is %j", async (card, message) => {
    await expect(readModelFolder(await modelThatSays(card))).rejects.toMatchObject({
      code: "MODEL_UNAVAILABLE",
      message: expect.stringMatching(message),
    })
  })

  test("changes the model's id only where it affects the vectors", async () => {
    const { id } = await readModelFolder(shippedModel)
    const idWith = async (card: unknown) => (await readModelFolder(await modelThatSays(card))).id
    expect(await idWith({ cosines: { unrelated: 0.1, same: 0.9 } })).toBe(id)
    expect(await idWith({ prefixes: { passage: "passage: " } })).not.toBe(id)
    expect(await idWith({ pooling: "cls" })).not.toBe(id)
  })

  test("sets prefixes for questions and for passages", async () => {
    const folder = await modelThatSays({ prefixes: { question: "query: ", passage: "passage: " } })
    await using prefixed = await TransformersEmbedder.open({ model: folder, threads: 1 })
    await using plain = await TransformersEmbedder.open({ model: shippedModel, threads: 1 })
    const [question] = await prefixed.embed(["robots.txt"], { as: "question" })
    const [passage] = await prefixed.embed(["robots.txt"])
    expect([question, passage]).toEqual(await plain.embed(["query: robots.txt", "passage: robots.txt"]))
  })
})

describe("a model folder with checksums", () => {
  test.each(["onnx/model_quantized.onnx", "tokenizer.json", "tokenizer_config.json", "config.json"])(
    "is rejected when %s has changed, and names the file",
    async (file) => {
      const folder = path.join(dir, "all-MiniLM-L6-v2")
      await cp(shippedModel, folder, { recursive: true })
      const bytes = await readFile(path.join(folder, file))
      // In JSON, changes a digit or letter, so that the JSON stays valid; in the weights, any byte.
      const at = bytes.findLastIndex((byte) => byte >= 0x61 && byte < 0x7a)
      bytes[at]! += 1
      await writeFile(path.join(folder, file), bytes)
      await expect(readModelFolder(folder)).rejects.toMatchObject({
        code: "MODEL_UNAVAILABLE",
        message: expect.stringContaining(`${file} does not match SHA256SUMS`),
      })
      await rm(path.join(folder, "SHA256SUMS"))
      await cp(path.join(shippedModel, file), path.join(folder, file))
      expect((await readModelFolder(folder)).id).toBe((await readModelFolder(shippedModel)).id)
    },
  )

  test.each(Object.values(SHIPPED_MODELS))(
    "is %s, with checksums for all files that determine its vectors",
    async (folder) => {
      const sums = await readFile(path.join(folder, "SHA256SUMS"), "utf8")
      for (const file of [
        "config.json",
        "tokenizer.json",
        "tokenizer_config.json",
        "model_quantized.onnx",
        "fused-",
      ])
        expect(sums).toContain(file)
      await readModelFolder(folder)
    },
  )
})

describe.each(["english", "multilingual"] as const)("the fused graph of the %s model", (name) => {
  /** The model without its fused graph. */
  async function plainModel(): Promise<string> {
    const folder = path.join(dir, path.basename(SHIPPED_MODELS[name]))
    await cp(SHIPPED_MODELS[name], folder, {
      recursive: true,
      filter: (file) => !/fused-.*onnx$|SHA256SUMS$/.test(file),
    })
    return folder
  }

  test("gives the same vectors as the original graph", async () => {
    const texts = [
      "robots.txt",
      "",
      "The crawler waits a second between two requests. ".repeat(60),
      "naïve 日本語",
    ]
    await using fused = await TransformersEmbedder.open({ model: SHIPPED_MODELS[name], threads: 1 })
    await using plain = await TransformersEmbedder.open({ model: await plainModel(), threads: 1 })
    expect(fused.id).toBe(plain.id)
    const vectors = await fused.embed(texts)
    for (const [i, vector] of (await plain.embed(texts)).entries()) {
      expect(vector.reduce((sum, value, at) => sum + value * vectors[i]![at]!, 0)).toBeGreaterThan(0.9999)
    }
  })

  test("is used only for the weights it was made from", async () => {
    const { setup } = await readModelFolder(SHIPPED_MODELS[name])
    expect(path.basename(setup.graph)).toMatch(/^fused-/)
    const folder = await plainModel()
    await cp(setup.graph, path.join(folder, "onnx", path.basename(setup.graph)))
    await writeFile(path.join(folder, "onnx", "model_quantized.onnx"), "other weights")
    const other = (await readModelFolder(folder)).setup
    expect(other.graph).toBe(other.weights)
  })
})

describe("the scripts in a vocabulary", () => {
  test("are unknown for one based on bytes", async () => {
    const bytes = { model: { vocab: { a: 0 } }, decoder: { type: "ByteLevel" } }
    expect(vocabularyScripts(bytes)).toBeNull()
    expect(vocabularyScripts({ model: {} })).toBeNull()
  })

  test("come from pieces of several letters, not from single ones", async () => {
    const file = JSON.parse(await readFile(path.join(shippedModel, "tokenizer.json"), "utf8")) as unknown
    expect(vocabularyScripts(file)).toEqual(["Latin"])
  })
})
