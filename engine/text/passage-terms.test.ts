import { describe, expect, it } from "vitest"
import { packTerms, passageShares } from "./passage-terms.ts"

const terms = [
  { term: "rare", idf: 6 },
  { term: "common", idf: 1 },
]
const shares = (...passages: string[]) =>
  Array.from(passageShares(packTerms(passages.map((text) => text.split(" ").filter(Boolean))), terms))

describe("the words of passages", () => {
  it("count by how rare they are", () => {
    const [rare, common, both, neither] = shares("a rare b", "a common b", "rare common a", "a b c")
    expect(both).toBeGreaterThan(rare!)
    expect(rare).toBeGreaterThan(5 * common!)
    expect(neither).toBe(0)
  })

  it("count for more the oftener they stand in fewer words, and never for more than all", () => {
    const [once, twice, diluted] = shares("rare a b", "rare rare b", `rare${" a".repeat(200)}`)
    expect(twice).toBeGreaterThan(once!)
    expect(diluted).toBeLessThan(once!)
    expect(shares("rare common ".repeat(500))[0]).toBeLessThanOrEqual(1)
  })

  it("stay with their passage, empty ones among them", () => {
    expect(shares("", "rare", "").map((share) => share > 0)).toEqual([false, true, false])
    expect(shares()).toEqual([])
  })

  it("are read wherever their bytes lie", () => {
    const packed = packTerms([["rare"]])
    const moved = new Uint8Array(packed.length + 1)
    moved.set(packed, 1)
    expect(passageShares(moved.subarray(1), terms)).toEqual(passageShares(packed, terms))
  })

  it("say nothing for a question without terms", () => {
    expect(Array.from(passageShares(packTerms([["rare"]]), []))).toEqual([0])
  })
})
