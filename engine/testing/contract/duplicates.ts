import { aPage, rareWord, urlOf } from "../pages.ts"
import { describe, expect, test } from "vitest"
import type { Stage } from "./stage.ts"

export function pagesOfOneText({ open, found, foundByWords }: Stage): void {
  describe("pages of one text", () => {
    const article = Array.from(
      { length: 90 },
      (_, i) => `${rareWord(i % 45)} stands by ${rareWord(i)}.`,
    ).join(" ")

    test("under several addresses come once, under the plainest, and others fill the limit", async () => {
      const engine = await open()
      const addresses = [
        "https://example.com/article?ref=feed",
        "http://example.com/article",
        "https://www.example.com/article",
        "https://example.com/article",
        "https://example.com/print/article",
        "https://mirror.example.org/a/b/article",
      ]
      await engine.index([
        ...addresses.map((url) => aPage(url, { title: "Article", markdown: article })),
        ...[1, 2, 3].map((i) =>
          aPage(`other/${i}`, {
            title: `Other ${i}`,
            markdown: `${rareWord(0)} in passing, ${rareWord(50 + i)}.`,
          }),
        ),
      ])
      await engine.settled()
      for (const arms of ["hybrid", "lexical", "vector"] as const) {
        const { hits } = await engine.search({ text: `${rareWord(0)} article`, limit: 4, arms })
        const articles = hits.filter((hit) => hit.title === "Article").map((hit) => hit.url)
        expect(articles).toEqual(["https://example.com/article"])
        // The article's duplicates among the found pages are folded behind it.
        const [first] = hits.filter((hit) => hit.title === "Article")
        expect(first!.folded?.every(({ kind }) => kind === "copy")).toBe(true)
        expect(first!.folded?.map(({ url }) => url).sort()).toEqual(
          addresses.filter((_, i) => i !== 3).sort(),
        )
        expect(arms === "vector" || hits.length === 4).toBe(true)
      }
      const filter = { includeDomains: ["mirror.example.org"] }
      expect(await found(engine, `${rareWord(0)} article`, filter)).toEqual([addresses[5]])
    })

    test("come once when a copy differs by a few words, and pages of one template stay apart", async () => {
      const engine = await open()
      const template = (name: string) => `Class ${name} is final. ${article}`
      await engine.index([
        aPage("article", { title: "Article", markdown: article }),
        aPage("print/article", { title: "Article (print version)", markdown: `${article} Printed today.` }),
        aPage("class/a", { title: "Class Alpha", markdown: template("Alpha") }),
        aPage("class/b", { title: "Class Beta", markdown: template("Beta") }),
        aPage("short/a", { title: "One", markdown: `${rareWord(0)} is missing.` }),
        aPage("short/b", { title: "Two", markdown: `${rareWord(0)} is missing.` }),
      ])
      expect((await foundByWords(engine, rareWord(0))).map((url) => url.slice(25))).toEqual([
        "article",
        "class/a",
        "class/b",
        "short/a",
        "short/b",
      ])
    })

    test("are told apart again when one of them changes", async () => {
      const engine = await open()
      const copy = aPage("copy/of/it", { title: "Article", markdown: article })
      await engine.index([aPage("it", { title: "Article", markdown: article }), copy])
      expect(await foundByWords(engine, rareWord(0))).toEqual([urlOf("it")])
      await engine.index([{ ...copy, markdown: `${rareWord(0)} has moved.` }])
      expect(await foundByWords(engine, rareWord(0))).toEqual([urlOf("copy/of/it"), urlOf("it")])
      await engine.index([copy])
      await engine.remove([urlOf("it")])
      expect(await foundByWords(engine, rareWord(0))).toEqual([copy.url])
    })
  })
}
