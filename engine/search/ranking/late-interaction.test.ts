import { describe, expect, it } from "vitest"
import { lateInteraction, weighTokens } from "./late-interaction.ts"
import { HashingEmbedder } from "../../testing/hashing-embedder.ts"

const embedder = new HashingEmbedder()
const tokensOf = async (text: string) => (await embedder.tokenVectors([text]))[0]!
const unweighted = { tokens: ["par", "##king", "the", "café", "?"], vectors: new Float32Array(5 * 4) }
const idf = (term: string) => ({ park: 8, the: 0, cafe: 2 })[term] ?? 0

describe("late interaction", () => {
  it("prefers the passage with what the question asks, in any order", async () => {
    const question = weighTokens("green crawler", await tokensOf("green crawler"), "en", () => 1)
    const score = async (text: string) => lateInteraction(question, await tokensOf(text))
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

  it("shares a word's weight among its pieces, and gives punctuation none", () => {
    const { weights } = weighTokens("Parking the café?", unweighted, "en", idf)
    const [par, king, the, cafe, mark] = weights
    expect(par).toBeCloseTo(0.4)
    expect(king).toBeCloseTo(0.4)
    expect(the).toBe(0)
    expect(cafe).toBeCloseTo(0.2)
    expect(mark).toBe(0)
  })
})

describe("the weight of a question's tokens", () => {
  const weigh = (question: string, tokens: readonly string[], idf: (term: string) => number) =>
    [
      ...weighTokens(question, { tokens: [...tokens], vectors: new Float32Array(tokens.length) }, "en", idf)
        .weights,
    ].map((weight) => Math.round(weight * 1000) / 1000)

  it("is that of their word, however tokenizers mark it", () => {
    const idf = (term: string) => ({ alpha: 3, beta: 1 })[term] ?? 0
    for (const tokens of [
      ["alpha", "beta"],
      ["▁alpha", "▁beta"],
      ["Ġalpha", "Ġbeta"],
    ])
      expect(weigh("Alpha, beta", tokens, idf)).toEqual([0.75, 0.25])
    expect(weigh("Alpha, beta", ["alpha", ",", "beta"], idf)).toEqual([0.75, 0, 0.25])
    // Within a word, that mark is a letter.
    expect(weigh("ORĠA beta", ["ORĠA", "beta"], () => 1)).toEqual([0.5, 0.5])
    expect(weigh("alphabeta alpha", ["alpha", "##beta", "alpha"], idf)).toEqual([0, 0, 1])
    expect(weigh("beta alpha beta", ["beta", "alpha", "beta"], idf)).toEqual([0.2, 0.6, 0.2])
  })

  it("is that of the lowercase word, which distinguishes more letters than capitals do", () => {
    // Warm water, in Turkish.
    const idf = (term: string) => ({ ilik: 3, su: 1 })[term] ?? 0
    expect(weigh("ılık su", ["ılık", "su"], idf)).toEqual([0.75, 0.25])
  })

  it("is zero for tokens not in the question, and later ones stay aligned", () => {
    const idf = () => 1
    expect(weigh("one two", ["[CLS]", "one", "##", "two", "[SEP]"], idf)).toEqual([0, 0.5, 0, 0.5, 0])
    expect(weigh("one two", ["two", "one"], idf)).toEqual([1, 0])
  })

  it("is zero when no word has any weight", () => {
    expect(weigh("the", ["the"], () => 0)).toEqual([0])
    expect(weigh("the", ["the"], () => -1)).toEqual([0])
    expect(weigh("?!", ["?", "!"], () => 1)).toEqual([0, 0])
  })
})

describe("a passage's score", () => {
  const EAST = [1, 0]
  const NORTH = [0, 1]
  const tokens = (...vectors: readonly number[][]) => ({ vectors: Float32Array.from(vectors.flat()) })
  const question = (...weighted: readonly (readonly [number, number[]])[]) => ({
    weights: Float64Array.from(weighted, ([weight]) => weight),
    vectors: Float32Array.from(weighted.flatMap(([, vector]) => vector)),
  })
  const range = { unrelated: 0, same: 1 }

  it("sums each token's nearest cosine, to the fourth power, by weight", () => {
    const asked = question([0.75, EAST], [0.25, NORTH])
    expect(lateInteraction(asked, tokens(NORTH, [0.6, 0.8], EAST), range)).toBeCloseTo(1, 5)
    expect(lateInteraction(asked, tokens([0.6, 0.8]), range)).toBeCloseTo(
      0.75 * 0.6 ** 4 + 0.25 * 0.8 ** 4,
      2,
    )
    expect(lateInteraction(asked, tokens(EAST), range)).toBeCloseTo(0.75, 5)
    expect(lateInteraction(question([0, EAST], [1, NORTH]), tokens(EAST), range)).toBe(0)
  })

  it("is scaled between unrelated and same", () => {
    const near = (cosines: { readonly unrelated: number; readonly same: number }) =>
      lateInteraction(question([1, EAST]), tokens([0.6, 0.8]), cosines)
    expect(near({ unrelated: 0.2, same: 1 })).toBeCloseTo(0.5 ** 4, 2)
    expect(near({ unrelated: 0.2, same: 0.5 })).toBe(1)
    expect(near({ unrelated: 0.7, same: 1 })).toBe(0)
    expect(lateInteraction(question([1, EAST]), tokens([-1, 0]), range)).toBe(0)
  })

  it("is zero without tokens in the passage or the question", () => {
    expect(lateInteraction(question([1, EAST]), tokens(), range)).toBe(0)
    expect(lateInteraction(question(), tokens(EAST), range)).toBe(0)
  })
})
