import { expect, test } from "vitest"
import type { TokenVectors } from "../../embedder.ts"
import { HashingEmbedder } from "../../testing/hashing-embedder.ts"
import { LateReader } from "./late-reader.ts"

/** A reader, and the texts that its model was given. */
function readerOf() {
  const embedder = new HashingEmbedder()
  const made: string[] = []
  const tokenVectors = embedder.tokenVectors.bind(embedder)
  embedder.tokenVectors = (texts, options) => {
    made.push(...texts)
    return tokenVectors(texts, options)
  }
  const reader = new LateReader(embedder)
  const read = (text: string, idf = 1, tokens?: TokenVectors) =>
    reader.against({ text, language: "en", idf: () => idf, tokens })
  const against = (...asked: Parameters<typeof read>) => {
    const late = read(...asked)
    return (passage: string) => late(passage, undefined)
  }
  return { read, against, made }
}

test("a question is tokenized once, and only when something is read", async () => {
  const { against, made } = readerOf()
  const read = against("copper kettle")
  expect(made).toEqual([])
  const scores = await Promise.all([read("The copper kettle."), read("A kettle."), read("Granite.")])
  expect(scores.toSorted((a, b) => b - a)).toEqual(scores)
  expect(made.toSorted()).toEqual(["A kettle.", "Granite.", "The copper kettle.", "copper kettle"])
})

test("a question with known tokens is not tokenized again", async () => {
  const { against, made } = readerOf()
  const tokens = (await new HashingEmbedder().tokenVectors(["copper kettle"]))[0]!
  const score = await against("copper kettle", 1, tokens)("The copper kettle.")
  expect(made).toEqual(["The copper kettle."])
  expect(score).toBe(await readerOf().against("copper kettle")("The copper kettle."))
})

test("a passage is read once per question, even for two pages at once, or for a repeated search", async () => {
  const { against, made } = readerOf()
  const read = against("copper kettle")
  const [one, other] = await Promise.all([read("A kettle."), read("A kettle.")])
  expect(other).toBe(one)
  expect(await against("copper kettle")("A kettle.")).toBe(one)
  expect(made).toHaveLength(2)
})

test("a passage is read again for another question, and when the words' weights change", async () => {
  const { against, made } = readerOf()
  await against("copper kettle")("A kettle.")
  await against("a kettle")("A kettle.")
  await against("copper kettle", 2)("A kettle.")
  expect(made.filter((text) => text === "A kettle.")).toHaveLength(3)
})

test("an interrupted reading is repeated when a search ranks again", async () => {
  const { read, made } = readerOf()
  const late = read("copper kettle")
  const over = AbortSignal.abort(new Error("The time is over."))
  await expect(Promise.all([late("A kettle.", over), late("Granite.", over)])).rejects.toThrow(
    "The time is over.",
  )
  expect(await late("A kettle.", undefined)).toBeGreaterThan(0)
  expect(made.slice(-2).toSorted()).toEqual(["A kettle.", "copper kettle"])
})
