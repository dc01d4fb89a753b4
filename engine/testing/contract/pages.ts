import { aPage, rareWord, urlOf } from "../pages.ts"
import { describe, expect, test } from "vitest"
import type { Stage } from "./stage.ts"

export function pagesComeAndGo({ open, found, foundByWords }: Stage): void {
  describe("pages come and go", () => {
    test("a page is found by its text when index() resolves, and by its vectors when settled", async () => {
      const engine = await open()
      const page = aPage("tides", { title: "Tides", markdown: "The moon raises the tides of the sea." })
      await engine.index([page, aPage("bread", { title: "Bread", markdown: "Flour, water and yeast." })])
      expect(await found(engine, "what raises the tides")).toContain(page.url)
      await engine.settled()
      expect((await engine.stats()).pagesWithoutVectors).toBe(0)
      const { hits } = await engine.search({ text: "moon raises tides", limit: 1, arms: "vector" })
      expect(hits[0]).toMatchObject({ url: page.url, parts: { lexical: 0 } })
      expect(hits[0]!.parts.vector).toBeGreaterThan(0)
    })

    test("of a page it is known how many passages it has, and how many vectors", async () => {
      const engine = await open({ embedding: "off" })
      const page = aPage("tides", { markdown: "The moon raises the tides. ".repeat(60) })
      await engine.index([page, aPage("bread")])
      const { passages, vectors } = (await engine.coverage(page.url))!
      expect(passages).toBeGreaterThan(1)
      expect(vectors).toBe(0)
      expect(await engine.coverage(urlOf("nowhere"))).toBeNull()
      await engine[Symbol.asyncDispose]()
      const embedding = await open()
      await embedding.settled()
      expect(await embedding.coverage(page.url)).toEqual({ passages, vectors: passages })
    })

    test("of a page it is known which sources hold it", async () => {
      const engine = await open({ embedding: "off" })
      const page = { ...aPage("tides"), source: "sea", sharedWith: ["moon", "coast"] }
      await engine.index([page, aPage("bread")])
      expect(await engine.holdersOf(page.url)).toEqual(["sea", "moon", "coast"])
      expect(await engine.holdersOf(urlOf("bread"))).toEqual([aPage("bread").source])
      expect(await engine.holdersOf(urlOf("nowhere"))).toEqual([])
    })

    test("what was stored comes back whole", async () => {
      const engine = await open()
      const page = aPage("whole?a=1&b=it's", {
        title: "Quotes \" and ' and \\ and %",
        description: "Everything — 漢字, emoji 🦔, zero\u200bwidth",
        markdown: "# Heading\n\nText with\ttabs and 'quotes'.",
        author: "O'Brien",
        publishedAt: new Date("2025-06-07T08:09:10.123Z"),
        images: [{ url: "https://docs.example.com/a.png", description: null }],
        favicon: "https://docs.example.com/favicon.ico",
      })
      const plain = aPage("plain", { language: null })
      await engine.index([page, plain])
      expect(await engine.get(page.url)).toEqual(page)
      expect(await engine.get(plain.url)).toEqual(plain)
      expect(await engine.get(urlOf("never"))).toBeNull()
      const { hits } = await engine.search({ text: "tabs", limit: 1 })
      expect(hits[0]).toMatchObject(page)
    })

    test("indexing an address again replaces its page, text and vectors", async () => {
      const engine = await open()
      await engine.index([aPage("animal", { title: "Cats", markdown: "Cats purr and sleep." })])
      await engine.settled()
      await engine.index([aPage("animal", { title: "Dogs", markdown: "Dogs bark and run." })])
      expect(await foundByWords(engine, "purr")).toEqual([])
      expect(await foundByWords(engine, "bark")).toEqual([urlOf("animal")])
      const stale = await engine.search({ text: "cats purr and sleep", limit: 5, arms: "vector" })
      // The page's new vectors may already be there; the vectors of its old text would give a higher value.
      for (const hit of stale.hits) expect(hit.parts.vector).toBeLessThan(0.8)
      await engine.settled()
      const { hits } = await engine.search({ text: "dogs bark and run", limit: 5, arms: "vector" })
      expect(hits.map((hit) => hit.title)).toEqual(["Dogs"])
      expect(await engine.stats()).toMatchObject({ pages: 1, pagesWithoutVectors: 0 })
    })

    test("the last of two pages with one address in a call counts", async () => {
      const engine = await open()
      await engine.index([aPage("x", { markdown: "former" }), aPage("x", { markdown: "latter" })])
      expect(await foundByWords(engine, "former latter")).toEqual([urlOf("x")])
      expect((await engine.get(urlOf("x")))!.markdown).toBe("latter")
    })

    test("a removed page is gone from search and get", async () => {
      const engine = await open()
      await engine.index([
        aPage("here", { markdown: "Stays put." }),
        aPage("gone", { markdown: "Goes away." }),
      ])
      await engine.settled()
      await engine.remove([urlOf("gone"), urlOf("never-there")])
      expect(await engine.get(urlOf("gone"))).toBeNull()
      expect(await found(engine, "goes away")).not.toContain(urlOf("gone"))
      expect(await found(engine, "stays put")).toEqual([urlOf("here")])
      expect((await engine.stats()).pages).toBe(1)
    })

    test("a page without any text is kept, found by its title, and waits for no vectors", async () => {
      const engine = await open()
      await engine.index([aPage("empty", { title: "Nothing but a heading", markdown: "" })])
      await engine.settled()
      expect(await foundByWords(engine, "heading")).toEqual([urlOf("empty")])
      expect(await engine.stats()).toMatchObject({ pages: 1, passages: 0, pagesWithoutVectors: 0 })
    })

    test("many pages in one call are all found, before and after their vectors are made", async () => {
      const engine = await open()
      const pages = Array.from({ length: 120 }, (_, i) =>
        aPage(`many/${i}`, { markdown: `Entry ${rareWord(i)} of a long list.` }),
      )
      await engine.index(pages)
      for (const i of [0, 59, 119]) expect(await foundByWords(engine, rareWord(i))).toEqual([pages[i]!.url])
      await engine.settled()
      expect(await engine.stats()).toMatchObject({ pages: 120, passages: 120, pagesWithoutVectors: 0 })
    })
  })
}
