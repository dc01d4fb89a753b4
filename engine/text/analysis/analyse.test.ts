import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { analyse, analyseQuery, wholeTerm } from "./analyse.ts"

describe("the terms of a text", () => {
  it("are lowercase stems, so that forms of a word match", () => {
    expect(analyse("Crawling crawled CRAWLS", "en")).toEqual(["crawl", "crawl", "crawl"])
    expect(analyse("Häuser", "de")).toEqual(analyse("Hauses", "de"))
    expect(analyse("настройки", "ru")).toEqual(analyse("настройка", "ru"))
  })

  it("are stemmed as English when the language is unknown or has no stemmer", () => {
    expect(analyse("crawling", null)).toEqual(["crawl"])
    expect(analyse("crawling", "xx")).toEqual(["crawl"])
  })

  it.each([
    "node:sqlite",
    "Node.js",
    "foo_bar",
    "3.11",
    "@tavily/core",
    "std::vec::Vec",
    "C++",
    "C#",
    "__init__",
  ])("include the name %s as a whole and in parts", (name) => {
    const terms = analyse(name, "en")
    expect(terms).toContain(name.toLowerCase().replace(/^@/, ""))
    const parts = name.match(/[a-z]+|\d+/gi)!
    for (const part of parts) expect(terms).toEqual(expect.arrayContaining(analyse(part, "en")))
  })

  it("split names where their case or their digits change", () => {
    expect(analyse("useEffect", "en")).toEqual(["useeffect", "use", "effect"])
    expect(analyse("HTTPServer2", "en")).toEqual(["httpserver2", "http", "server", "2"])
  })

  it("omit a possessive ending", () => {
    expect(analyse("the crawler's queue", "en")).toEqual(["the", "crawler", "queue"])
    expect(analyse("Python 3.11’s", "en")).toEqual(analyse("Python 3.11", "en"))
  })

  it("are the same with and without accents, and in full and half width", () => {
    expect(analyse("café", "fr")).toEqual(analyse("cafe", "fr"))
    expect(analyse("naïve", null)).toEqual(analyse("naive", null))
    expect(analyse("ＡＢＣ", null)).toEqual(analyse("abc", null))
    expect(analyse("cafe\u0301", null)).toEqual(analyse("café", null))
  })

  it("are characters and bigrams in scripts without spaces", () => {
    expect(analyse("東京都", "ja")).toEqual(["東", "東京", "京", "京都", "都"])
    expect(analyse("Node.jsを使う", "ja")).toEqual(expect.arrayContaining(["node.js", "使う"]))
    expect(analyse("ภาษาไทย", "th").length).toBeGreaterThan(3)
  })

  it("never contain white space, and are found by the same text as a query", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        const terms = analyse(text, "en")
        expect(terms.filter((term) => term === "" || /\s/.test(term))).toEqual([])
        expect(terms).toEqual(expect.arrayContaining([...analyseQuery(text, "en").terms]))
      }),
    )
  })

  it("take linear time, whatever the text", () => {
    for (const text of [
      "a".repeat(200_000),
      "a.".repeat(100_000),
      "aB".repeat(100_000),
      "漢".repeat(100_000),
    ]) {
      expect(analyse(text, "en").length).toBeGreaterThan(0)
    }
  })
})

describe("the terms of a question", () => {
  it("omit question words", () => {
    expect(analyseQuery("How do I schedule a crawl?", "en").terms).toEqual(["schedul", "crawl"])
    expect(analyseQuery("Wie kann ich das planen?", "de").terms).toEqual(analyse("planen", "de"))
    expect(analyseQuery("איך אני מכבה את השרת?", "he").terms).toEqual(analyse("מכבה השרת", "he"))
  })

  it("are all of its words when it has only question words", () => {
    expect(analyseQuery("who is it", "en").terms).toEqual(["who", "is", "it"])
    expect(analyseQuery("?!", "en").terms).toEqual([])
  })

  it("appear once each", () => {
    expect(analyseQuery("crawl crawling crawler's crawl", "en").terms).toEqual(["crawl", "crawler"])
  })

  it("keep every word of a quoted phrase, and the phrase as written", () => {
    const { terms, quoted } = analyseQuery('where is "The State of Play" now', "en")
    expect(quoted).toEqual(["The State of Play"])
    expect(terms).toEqual(expect.arrayContaining(["the", "state", "of", "play"]))
    expect(analyseQuery("say “hello world”", "en").quoted).toEqual(["hello world"])
  })

  it("omit its operators", () => {
    const { terms } = analyseQuery('cats -dogs site:docs.example.com -"big birds"', "en")
    expect(terms).toEqual(["cat"])
  })

  it("are single characters in a script without spaces, and bigrams for longer words", () => {
    expect(analyseQuery("猫", "ja").terms).toEqual(["猫"])
    expect(analyseQuery("東京都", "ja").terms).toEqual(["東京", "京都"])
  })
})

describe("the single term of a word", () => {
  it.each(["Crawling", "node.js", "useEffect", "C++", "e-mail", "crawler's", "crème"])(
    "%s is in every text that contains the word",
    (word) => {
      const term = wholeTerm(word, "en")
      expect(term).not.toBeNull()
      expect(analyse(`before ${word}, after`, "en")).toContain(term)
    },
  )

  it("does not exist for several words, symbols or scripts without spaces", () => {
    for (const text of ["two words", "++", "", "猫", "x".repeat(100)]) {
      expect(wholeTerm(text, "en")).toBeNull()
    }
  })
})
