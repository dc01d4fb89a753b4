import { describe, expect, test } from "vitest"
import { trigramOverlap, wordOverlap } from "./scoring.ts"

describe("a suite judge's text comparison", () => {
  test("counts a word as often as it is expected", () => {
    const { precision, recall } = wordOverlap("the tide, the tide, the moon", "the Tide and the moon")
    expect([precision, recall]).toEqual([4 / 6, 4 / 5])
  })

  test("uses trigrams to see word order", () => {
    expect(trigramOverlap("one two three four", "one two three four").score).toBe(1)
    expect(trigramOverlap("four three two one", "one two three four").score).toBe(0)
  })

  test("gives full marks for empty text if nothing is expected, and none for any text", () => {
    expect(wordOverlap("", "").score).toBe(1)
    expect(wordOverlap("word", "").score).toBe(0)
    expect(wordOverlap("", "word").score).toBe(0)
  })

  test("treats letters of scripts without spaces as words, wherever a space is", () => {
    expect(
      trigramOverlap("你可以开发自己的第三方插件和主题", "你可以开发自己的 第三方插件 和 主题").score,
    ).toBe(1)
    expect(trigramOverlap("题主和件插方三第", "第三方插件和主题").score).toBe(0)
  })
})
