import { describe, expect, test } from "vitest"
import { textOfMarkdown, wholeTextOfMarkdown, wordsOfHtml, wordsOfMarkdown } from "./texts.ts"

const wordsIn = (text: string): string[] => text.trim().split(/\s+/)

describe("the text that judges compare", () => {
  test("has a space where an HTML block ends, and none within a word", () => {
    expect(wordsIn(wordsOfHtml("<p>low<b>tide</b></p><p>high</p><script>x</script>"))).toEqual([
      "lowtide",
      "high",
    ])
  })

  test("includes image descriptions, in HTML and in markdown", () => {
    expect(wordsIn(wordsOfHtml('<p>low <img src="/a" alt="the quay"> tide</p>'))).toEqual(
      wordsIn(wholeTextOfMarkdown("low ![the quay](/a) tide")),
    )
    expect(textOfMarkdown("low ![the quay](/a) tide")).not.toContain("quay")
  })

  test("leaves out list numbers, tags, and the marks of callouts and footnotes", () => {
    const text =
      "1. low\n\n> [!warning] high\n\n[^2]: tide <iframe src='/a'></iframe> `<b>` <keeper@quay.example>"
    expect(wordsIn(wholeTextOfMarkdown(text))).toEqual([
      "low",
      "high",
      "tide",
      "<b>",
      "<keeper@quay.example>",
    ])
    expect(wholeTextOfMarkdown("```\n1. low <b>\n```")).toBe("1. low <b>")
  })

  test("leaves out formulas on both sides if a suite expects symbols", () => {
    const html = `low <math><mi>x</mi></math> <img src="/math/render/1" alt="x^2"> tide`
    expect(wordsIn(wordsOfHtml(html))).toEqual(["low", "tide"])
    expect(wordsIn(wordsOfMarkdown("low $x$ $x^2$ tide"))).toEqual(["low", "tide"])
    expect(wholeTextOfMarkdown("low $x$ tide")).toContain("$x$")
  })
})
