import { describe, expect, test } from "vitest"
import { relevantPart } from "./relevant-part.ts"

const filler = (word: string, count: number) => `${Array(count).fill(word).join(" ")}. `
const weights = new Map([
  ["kettl", 3],
  ["copper", 2],
  ["the", 0.1],
])
const part = (text: string) => relevantPart(text, "en", weights)

describe("the part of a passage that is read", () => {
  test("is the whole of a short one", () => {
    expect(part("Copper pipes.\nThe kettle sings.")).toBe("Copper pipes.\nThe kettle sings.")
  })

  test("is the run of sentences that matches most of the question", () => {
    const text = `${filler("slate", 40)}A copper kettle sings. ${filler("chalk", 40)}`
    expect(part(text)).toContain("A copper kettle sings.")
    expect(part(text).length).toBeLessThanOrEqual(200)
    expect(part(text).length).toBeGreaterThan(100)
  })

  test("weighs matching words, each once", () => {
    const text = `${filler("copper", 20)}${filler("slate", 40)}${filler("kettle", 1)}${filler("chalk", 40)}`
    expect(part(text)).toContain("kettle")
    expect(part(text)).not.toContain("copper")
  })

  test("is its beginning when it has no words in the question", () => {
    expect(part(`Granite. ${filler("slate", 60)}`)).toMatch(/^Granite\. slate/)
  })

  test("cuts long sentences between words, and long words anywhere", () => {
    const text = `${"slate ".repeat(40)}kettle ${"chalk ".repeat(40)}`
    expect(
      part(text)
        .split(" ")
        .filter((word) => !["slate", "kettle", "chalk"].includes(word)),
    ).toEqual([])
    expect(part("x".repeat(400)).length).toBeLessThanOrEqual(181)
  })

  test("is a third as long in Chinese and Japanese", () => {
    const text = "石板。".repeat(40)
    expect(relevantPart(text, "zh", new Map()).replaceAll(" ", "")).toHaveLength(60)
  })
})
