import * as fc from "fast-check"
import { describe, expect, it, test } from "vitest"
import { type QueryText, parseQueryText } from "./query-text.ts"

const none: Omit<QueryText, "text"> = {
  phrases: [],
  excludedWords: [],
  excludedPhrases: [],
  includeDomains: [],
  excludeDomains: [],
}

describe("search operators", () => {
  test.each([
    ['where is "The State  of Play" now', "where is The State of Play now", ["The State of Play"]],
    ["say “hello world”", "say hello world", ["hello world"]],
    ["„Guten Tag“ sagen", "Guten Tag sagen", ["Guten Tag"]],
    ["« bon jour »", "bon jour", ["bon jour"]],
    ['("in brackets")', "( in brackets )", ["in brackets"]],
    ['say:"hello"', "say: hello", ["hello"]],
    ['東京"天気予報"', "東京 天気予報", ["天気予報"]],
    ['"a“b”c"', "a“b”c", ["a“b”c"]],
    ['"one" "two"', "one two", ["one", "two"]],
    ['"->>"', "->>", ["->>"]],
  ])("%s: quotes make a phrase", (question, text, phrases) => {
    expect(parseQueryText(question)).toEqual({ ...none, text, phrases })
  })

  test.each([
    ["cats -dogs", "cats", ["dogs"]],
    ["-dogs cats", "cats", ["dogs"]],
    ["cats -dogs, -e-mail.", "cats", ["dogs", "e-mail"]],
    ["runtime -node.js", "runtime", ["node.js"]],
    ["language -c++ -C#", "language", ["c++", "C#"]],
    ["ペット　-猫", "ペット", ["猫"]],
    ["кошки -собаки", "кошки", ["собаки"]],
    ["file -mp3", "file", ["mp3"]],
  ])("%s: a minus drops a word", (question, text, excludedWords) => {
    expect(parseQueryText(question)).toEqual({ ...none, text, excludedWords })
  })

  it("exclude phrases, and sites in the form used by filters", () => {
    expect(parseQueryText('jaguar -"big cat" speed')).toEqual({
      ...none,
      text: "jaguar speed",
      excludedPhrases: ["big cat"],
    })
    expect(parseQueryText("cron site:docs.Example.com -site:old.example.com")).toEqual({
      ...none,
      text: "cron",
      includeDomains: ["docs.example.com"],
      excludeDomains: ["old.example.com"],
    })
    expect(parseQueryText("x SITE:bücher.example. site:localhost:3000 site:[::1]").includeDomains).toEqual([
      "xn--bcher-kva.example",
      "localhost:3000",
      "[::1]",
    ])
  })

  test.each([
    "e-mail",
    "git log --oneline",
    "gcc -O2 -v",
    "-1 + 1",
    "head -5",
    "std::vec",
    "a - b",
    "well-known non-word",
    'a 5" disk',
    '5" x 3" card',
    '<a class="btn primary">',
    'an "unclosed phrase',
    "an “unclosed phrase",
    '""',
    "site:",
    "site: example.com",
    "site:*.example.com",
    "site:example.com/path",
    "site:https://example.com",
    "website:example.com",
    "+must (or) [x] ~z^2 *",
    "rock 'n' roll",
    "AND OR NOT",
  ])("%s: is plain text", (question) => {
    expect(parseQueryText(question)).toEqual({ ...none, text: question })
  })

  it.each(["-word", "-word -other", '-"a phrase"', "-site:example.com", "-word !"])(
    "%s: is plain text, since nothing would be left to search for",
    (question) => {
      expect(parseQueryText(question)).toEqual({ ...none, text: question })
    },
  )

  it("search a site's pages when there is nothing else", () => {
    expect(parseQueryText("site:docs.example.com -draft")).toEqual({
      ...none,
      text: "docs.example.com",
      includeDomains: ["docs.example.com"],
      excludedWords: ["draft"],
    })
  })

  it("are plain text inside a phrase", () => {
    expect(parseQueryText('"gcc -Wall site:x"')).toMatchObject({
      phrases: ["gcc -Wall site:x"],
      excludedWords: [],
      includeDomains: [],
    })
  })

  it("never lose a question, and take linear time", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        const parsed = parseQueryText(text)
        expect(parsed.text === "" ? text.trim() : parsed.text).toBe(parsed.text)
      }),
    )
    for (const part of ['"', '"a" ', "“", "-a", ' -"', "site:"]) parseQueryText(part.repeat(20_000))
  })
})
