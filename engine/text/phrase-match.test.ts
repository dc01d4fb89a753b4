import { describe, expect, test } from "vitest"
import { toPassages } from "./passages.ts"
import { holdsPhrases } from "./phrase-match.ts"

const holds = (phrase: string, markdown: string, title = "Title") =>
  holdsPhrases({ title, markdown, passages: toPassages(markdown) }, [phrase])

describe("a page contains a phrase", () => {
  test.each([
    ["to be, or not to be", "He said: To be, or not to be; that was it."],
    ["C++", "Written in C++."],
    ["foo.bar()", "Call `foo.bar()` first."],
    ["foo.bar()", "```js\nfoo.bar()\n```"],
    ["quick brown fox", "The *quick*\nbrown **fox** jumps."],
    ["snake_case name", "A snake\\_case name."],
    ['it\'s a "test"', "It’s a “test”."],
    ["it’s", "it's"],
    ["fine print", "ﬁne print"],
    ["ＡＢＣ", "abc"],
    ["well-known", "well\u2011known"],
    ["hyphenation", "hyphen\u00adation"],
    ["My Heading", "# My Heading\n\nText."],
    ["outer part", "# Outer part\n\n## Inner\n\nText."],
    ["天気は晴れ", "明日の東京の天気は晴れです。"],
    ["ภาษาไทย", "นี่คือภาษาไทยครับ"],
    ["->>", "a ->> b"],
    ["a link", "See [a link](https://example.com/) here."],
  ])("%s in: %s", (phrase, markdown) => {
    expect(holds(phrase, markdown)).toBe(true)
  })

  test.each([
    ["to be or not to be", "To be, or not to be."],
    ["art of", "The start of it."],
    ["quick fox", "Some quick foxes."],
    ["C+", "Written in B."],
    ["brown quick", "quick brown"],
    ["im Haus", "heim Haus"],
  ])("%s not in: %s", (phrase, markdown) => {
    expect(holds(phrase, markdown)).toBe(false)
  })

  test("that continues from one passage to the next, or is in its title", () => {
    const long = `# Part\n\n${"Words that fill. ".repeat(40)}\n\n${"More words that fill. ".repeat(40)}`
    const passages = toPassages(long)
    expect(passages.length).toBeGreaterThan(2)
    const [first, second] = passages
    const across = `${first!.text.split(/\s+/).slice(-2).join(" ")} ${second!.text.split(/\s+/).slice(0, 2).join(" ")}`
    expect(holds(across, long)).toBe(true)
    expect(holds("in the title", "Text.", "Words in the Title")).toBe(true)
  })
})
