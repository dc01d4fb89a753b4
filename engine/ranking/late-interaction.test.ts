import { describe, expect, it } from "vitest"
import { lateInteraction, packTokens, weighTokens } from "./late-interaction.ts"
import { HashingEmbedder } from "../testing/hashing-embedder.ts"

const embedder = new HashingEmbedder()
const tokensOf = async (text: string) => (await embedder.tokenVectors([text]))[0]!
const unweighted = { tokens: ["par", "##king", "the", "café", "?"], vectors: new Float32Array(5 * 4) }
const idf = (term: string) => ({ park: 8, the: 0, cafe: 2 })[term] ?? 0

describe("late interaction", () => {
  it("prefers the passage that says what the question asks, in any order", async () => {
    const question = weighTokens("green crawler", await tokensOf("green crawler"), "en", () => 1)
    const score = async (text: string) => lateInteraction(question, packTokens(await tokensOf(text)))
    const [all, half, none] = [
      await score("a crawler that is green"),
      await score("a crawler and snow"),
      await score("soup"),
    ]
    expect(all).toBeCloseTo(1, 1)
    expect(half).toBeGreaterThan(none)
    expect(all).toBeGreaterThan(half + 0.3)
    expect(await score("")).toBe(0)
  })

  it("shares a word's weight among its pieces, and gives marks none", () => {
    const { weights } = weighTokens("Parking the café?", unweighted, "en", idf)
    const [par, king, the, cafe, mark] = weights
    expect(par).toBeCloseTo(0.4)
    expect(king).toBeCloseTo(0.4)
    expect(the).toBe(0)
    expect(cafe).toBeCloseTo(0.2)
    expect(mark).toBe(0)
  })

  it("loses next to nothing by packing", async () => {
    const tokens = await tokensOf("words of a passage about crawlers")
    const question = weighTokens("words of a passage about crawlers", tokens, "en", () => 1)
    expect(lateInteraction(question, packTokens(tokens))).toBeGreaterThan(0.97)
  })
})
