import { readFile } from "node:fs/promises"
import path from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { cosineOf } from "../../embedder.ts"
import { nearnessOf } from "../../search/ranking/fusion.ts"
import { vocabularyScripts } from "./model/vocabulary-scripts.ts"
import { SHIPPED_MODELS } from "../../shipped-models.ts"
import { TransformersEmbedder } from "./transformers-embedder.ts"

let embedder: TransformersEmbedder
beforeAll(async () => {
  embedder = await TransformersEmbedder.open({ model: SHIPPED_MODELS.multilingual, threads: 1 })
})
afterAll(() => embedder[Symbol.asyncDispose]())

test.each([
  [
    "wie viel Plattenplatz darf ein Benutzer belegen?",
    "The administrator sets how much disk space each user may fill.",
  ],
  ["限制用户的磁盘空间", "Der Verwalter begrenzt den Plattenplatz der Benutzer."],
  ["ディスク容量の制限", "limiter l'espace disque de chaque utilisateur"],
  ["ограничение места на диске", "limitar el espacio en disco de los usuarios"],
])(
  "the multilingual model places %s near the same meaning in another language",
  async (question, answer) => {
    const [asked, same, other] = await embedder.embed([
      question,
      answer,
      "A red onion is sliced thin and fried in butter.",
    ])
    const nearness = (vector: Float32Array) => nearnessOf(cosineOf(asked!, vector), embedder.traits.cosines)
    expect(nearness(same!)).toBeGreaterThan(0.4)
    expect(nearness(other!)).toBeLessThan(nearness(same!) - 0.2)
  },
)

test("its tokens come from the whole vocabulary, even for characters beyond U+FFFF", async () => {
  const [german, emoji] = await embedder.tokenVectors(["Plattenplatz begrenzen", "so gut 😀"])
  expect(german!.tokens.join("").replaceAll("▁", " ").trim()).toBe("Plattenplatz begrenzen")
  expect(emoji!.tokens).toEqual(["▁so", "▁gut", "▁😀"])
})

test("it reports the scripts in its vocabulary", async () => {
  const file = path.join(SHIPPED_MODELS.multilingual, "tokenizer.json")
  expect(vocabularyScripts(JSON.parse(await readFile(file, "utf8")))).toEqual(embedder.traits.scripts)
})
