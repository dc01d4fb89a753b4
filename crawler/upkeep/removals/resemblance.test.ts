import * as fc from "fast-check"
import { describe, expect, test } from "vitest"
import { resemblance, shinglesOf, wordsIn } from "./resemblance.ts"

const between = (a: string, b: string) => resemblance(shinglesOf(a), shinglesOf(b))

describe("resemblance", () => {
  test("is 1 for the same words, whatever the punctuation, and is symmetric", () => {
    expect(between("The harbour, in the evening.", "the HARBOUR in   the *evening*")).toBe(1)
    const words = fc.array(fc.constantFrom("a", "b", "c", "d", "e"), { minLength: 1, maxLength: 30 })
    fc.assert(
      fc.property(words, words, (one, other) => {
        expect(between(one.join(" "), one.join(", "))).toBe(1)
        expect(between(one.join(" "), other.join(" "))).toBe(between(other.join(" "), one.join(" ")))
      }),
    )
  })

  test("falls with every different word, and is 0 for texts with nothing in common, or empty ones", () => {
    const words = Array.from({ length: 50 }, (_, index) => `word${index}`)
    const with1 = words.with(25, "other")
    const with2 = with1.with(10, "another")
    const [one, two] = [between(words.join(" "), with1.join(" ")), between(words.join(" "), with2.join(" "))]
    expect(one).toBeLessThan(1)
    expect(two).toBeLessThan(one)
    expect(between("north wind blows", "calm sea sleeps")).toBe(0)
    expect(between("", "")).toBe(0)
  })

  test("counts characters as words in scripts without spaces", () => {
    expect(wordsIn("ページが見つかりません")).toBe(11)
    expect(between("ページが見つかりません", "ページが見つかりました")).toBeGreaterThan(0.4)
  })

  test("is the share of three-word sequences that two texts have in common", () => {
    expect(between("one two three four", "one two three five")).toBe(1 / 3)
    expect(between("one two three", "one two three four five")).toBe(1 / 3)
    expect(between("one two three", "three two one")).toBe(0)
    expect(shinglesOf("one two three four").size).toBe(2)
    expect(shinglesOf("one two three").size).toBe(1)
    // Word boundaries matter.
    expect([between("be at it", "beat i t"), between("be at", "beat")]).toEqual([0, 0])
    // A text with fewer words is a single shingle.
    expect([between("one", "one"), between("one two", "one two"), between("one two", "two one")]).toEqual([
      1, 1, 0,
    ])
    expect(between("one two", "onetwo")).toBe(0)
    expect([between("one two", "one two three"), between("one", ""), between("", "one two three")]).toEqual([
      0, 0, 0,
    ])
  })

  test("depends only on the beginning of a very long text", () => {
    const words = Array.from({ length: 5000 }, (_, index) => `w${index}`).join(" ")
    expect(shinglesOf(`${words} and more of it`)).toEqual(shinglesOf(words))
    expect(shinglesOf(words).size).toBe(4998)
    expect(resemblance(shinglesOf(words), shinglesOf(words.replace(" w4999", " other")))).toBeLessThan(1)
    // Excluded words do not count towards the limit.
    expect(shinglesOf(`left ${words}`, new Set(["left"]))).toEqual(shinglesOf(words))
  })

  test.each([
    ["", 0],
    ["...", 0],
    ["two words", 2],
    ["don't", 2],
    ["naïve Ærø 3rd", 3],
    ["漢字 かな カナ", 6],
    ["ไทย", 3],
    ["ລາວ ខ្មែរ", 8],
    ["한국어 문서", 2],
  ])("%j has %d words", (text, words) => {
    expect(wordsIn(text)).toBe(words)
  })

  test("ignores excluded words", () => {
    const one = shinglesOf("There is no page alpha here", new Set(["alpha"]))
    const other = shinglesOf("There is no page beta here", new Set(["beta"]))
    expect(resemblance(one, other)).toBe(1)
  })
})
