import { aPage, urlOf } from "../pages.ts"
import type { Engine, PageFilter } from "../../engine.ts"
import type { PageType } from "../../index/page/page-type.ts"
import { describe, expect, test } from "vitest"
import type { Stage } from "./stage.ts"

export function aFilter({ open, found, foundByWords }: Stage): void {
  describe("a filter", () => {
    test("on domains takes in subdomains of a registrable domain, and nothing but the host else", async () => {
      const engine = await open()
      const sites = [
        "https://example.com/",
        "https://docs.example.com/",
        "https://deep.docs.example.com/",
        "https://notexample.com/",
        "https://example.co.uk/",
        "https://other.co.uk/",
        "http://localhost:3000/",
        "http://192.0.2.7/",
        "http://[2001:db8::1]/",
        "https://bücher.example/",
        "https://someone.github.io/",
      ]
      await engine.index(sites.map((site) => aPage(site, { markdown: `Some text on ${site}` })))
      await engine.settled()
      const inside = async (...includeDomains: string[]) =>
        (await found(engine, "text", { includeDomains })).sort()
      const sorted = (...addresses: string[]) => addresses.map(urlOf).sort()
      expect(await inside("example.com")).toEqual(
        sorted("https://example.com/", "https://docs.example.com/", "https://deep.docs.example.com/"),
      )
      expect(await inside("docs.example.com")).toEqual(sorted("https://docs.example.com/"))
      expect(await inside("EXAMPLE.co.uk.")).toEqual(sorted("https://example.co.uk/"))
      expect(await inside("co.uk")).toEqual([])
      expect(await inside("github.io")).toEqual(sorted("https://someone.github.io/"))
      expect(await inside("github.com")).toEqual([])
      expect(await inside("localhost", "192.0.2.7")).toEqual(
        sorted("http://localhost:3000/", "http://192.0.2.7/"),
      )
      expect(await inside("2001:db8::1")).toEqual(sorted("http://[2001:db8::1]/"))
      expect(await inside("bücher.example")).toEqual(sorted("https://bücher.example/"))
      const outside = await found(engine, "text", { excludeDomains: ["example.com", "localhost"] })
      expect(outside.sort()).toEqual(sorted(...sites.slice(3, 6), ...sites.slice(7)))
      const both = { includeDomains: ["example.com"], excludeDomains: ["docs.example.com"] }
      expect((await found(engine, "text", both)).sort()).toEqual(
        sorted("https://example.com/", "https://deep.docs.example.com/"),
      )
    })

    test("on domains keeps to a port that is named, in every arm", async () => {
      const engine = await open()
      const sites = [
        "http://localhost:8080/",
        "http://localhost:8081/",
        "http://[::1]:8080/",
        "https://example.com/",
        "http://example.com/",
        "https://docs.example.com:8443/",
      ]
      await engine.index(sites.map((site) => aPage(site, { markdown: `Some text on ${site}` })))
      await engine.settled()
      for (const arms of ["hybrid", "lexical", "vector"] as const) {
        const held = async (filter: PageFilter) =>
          (await engine.search({ text: "text", limit: 10, filter, arms })).hits.map(({ url }) => url).sort()
        const inside = (...includeDomains: string[]) => held({ includeDomains })
        expect(await inside("localhost:8080")).toEqual(["http://localhost:8080/"])
        expect(await inside("localhost")).toEqual(["http://localhost:8080/", "http://localhost:8081/"])
        expect(await inside("[::1]:8080")).toEqual(["http://[::1]:8080/"])
        expect(await inside("example.com:8443")).toEqual(["https://docs.example.com:8443/"])
        expect(await inside("example.com:443", "localhost:8081")).toEqual([
          "http://localhost:8081/",
          "https://example.com/",
        ])
        expect(await inside("example.com:80")).toEqual(["http://example.com/"])
        expect(await inside("example.com:8080", "localhost:1")).toEqual([])
        expect(await held({ excludeDomains: ["localhost:8080", "[::1]", "example.com"] })).toEqual([
          "http://localhost:8081/",
        ])
      }
      const { hits } = await engine.search({ text: "text site:localhost:8081", limit: 10 })
      expect(hits.map(({ url }) => url)).toEqual(["http://localhost:8081/"])
    })

    test("on types goes by what was read, or else by the address", async () => {
      const engine = await open()
      await engine.index([
        aPage("guide", { markdown: "Text of the guide." }),
        aPage("guide.pdf", { markdown: "Text of the guide in print." }),
        aPage("download?id=7", { markdown: "Text of the guide in a file.", type: "pdf" }),
        aPage("view.pdf", { markdown: "Text of a page that shows a file.", type: "html" }),
        aPage("notes.md", { markdown: "Text of notes." }),
      ])
      await engine.settled()
      for (const arms of ["hybrid", "lexical", "vector"] as const) {
        const of = async (...types: PageType[]) => {
          const { hits } = await engine.search({ text: "text", limit: 10, filter: { types }, arms })
          expect(hits.every(({ type }) => types.length === 0 || types.includes(type))).toBe(true)
          return hits.map(({ url }) => url.slice(25)).sort()
        }
        expect(await of("pdf")).toEqual(["download?id=7", "guide.pdf"])
        expect(await of("html")).toEqual(["guide", "view.pdf"])
        expect(await of("markdown", "pdf")).toEqual(["download?id=7", "guide.pdf", "notes.md"])
        expect(await of("epub")).toEqual([])
        expect(await of()).toHaveLength(5)
      }
    })

    test("on dates keeps pages of unknown date unless they must have one", async () => {
      const engine = await open()
      const on = (day: string) =>
        aPage(day, { markdown: `Text of ${day}.`, publishedAt: new Date(`${day}T00:00:00Z`) })
      await engine.index([on("2024-01-01"), on("2024-06-01"), on("1960-05-05"), aPage("undated")])
      await engine.settled()
      const publishedFrom = new Date("2024-01-01T00:00:00Z")
      const publishedBefore = new Date("2024-06-01T00:00:00Z")
      const dated = async (filter: PageFilter) => {
        expect((await found(engine, "text", filter)).sort()).toEqual(
          await foundByWords(engine, "text", filter),
        )
        return (await foundByWords(engine, "text", filter)).map((url) => url.split("/").at(-1))
      }
      expect(await dated({ publishedFrom })).toEqual(["2024-01-01", "2024-06-01", "undated"])
      expect(await dated({ publishedBefore })).toEqual(["1960-05-05", "2024-01-01", "undated"])
      expect(await dated({ publishedFrom, publishedBefore, requirePublished: true })).toEqual(["2024-01-01"])
      expect(await dated({ requirePublished: true })).toHaveLength(4)
    })

    test("on languages, sources and phrases drops every other page, and empty lists none", async () => {
      const engine = await open()
      await engine.index([
        aPage("en", { source: 'it\'s 100% "mine"', markdown: "Text: it's 100% sure_thing." }),
        aPage("fr", { language: "fr", source: "b\\c", markdown: "Text, naïve text." }),
        aPage("none", { language: null, title: "Text in a title" }),
      ])
      await engine.settled()
      const only = async (filter: PageFilter) =>
        (await found(engine, "text", filter)).map((url) => url.slice(25))
      expect(await only({ languages: ["fr"] })).toEqual(["fr"])
      expect(await only({ languages: ["xx", "en'"] })).toEqual([])
      expect(await only({ sources: ['it\'s 100% "mine"'] })).toEqual(["en"])
      expect(await only({ sources: ["b\\c"] })).toEqual(["fr"])
      expect(await only({ sources: ["%", "' OR true --"] })).toEqual([])
      expect(await only({ phrases: ["IT'S  100%"] })).toEqual(["en"])
      expect(await only({ phrases: ["it_s"] })).toEqual([])
      expect(await only({ phrases: ["naïve text"] })).toEqual(["fr"])
      expect(await only({ phrases: ["in a title"] })).toEqual(["none"])
      expect(await only({ phrases: ["text", "no such words"] })).toEqual([])
      expect(
        await only({ languages: [], sources: [], phrases: [], includeDomains: [], excludeDomains: [] }),
      ).toHaveLength(3)
    })

    test("on topics, folders and versions drops every other page, however few there are among many", async () => {
      const engine = await open()
      await engine.index([
        aPage("docs/3.12/library/os", { markdown: "Text of the system." }),
        aPage("docs/3.12/tutorial", { markdown: "Text for beginners.", topic: "news" }),
        aPage("de/docs/3.13/os", { markdown: "Text in German.", language: "de" }),
        aPage("docs-old/os", { markdown: "Old text." }),
        ...Array.from({ length: 120 }, (_, i) =>
          aPage(`many/${i}`, { markdown: `Text, text and text ${i}.` }),
        ),
      ])
      await engine.settled()
      const only = async (filter: PageFilter, arms: "hybrid" | "lexical" | "vector" = "hybrid") => {
        const { hits } = await engine.search({ text: "text", limit: 5, filter, arms })
        return hits.map(({ url }) => url.slice(25)).sort()
      }
      for (const arms of ["hybrid", "lexical", "vector"] as const) {
        expect(await only({ paths: ["/docs"] }, arms)).toEqual(["docs/3.12/library/os", "docs/3.12/tutorial"])
        expect(await only({ paths: ["docs/3.12/library/", "/docs-old"] }, arms)).toEqual([
          "docs-old/os",
          "docs/3.12/library/os",
        ])
        expect(await only({ paths: ["/docs", "!/docs/3.12/library"] }, arms)).toEqual(["docs/3.12/tutorial"])
        expect(await only({ versions: ["3.13"] }, arms)).toEqual(["de/docs/3.13/os"])
        expect(await only({ topics: ["news"] }, arms)).toEqual(["docs/3.12/tutorial"])
      }
      expect(await only({ versions: ["3.12", "3.13"], paths: ["/de"] })).toEqual(["de/docs/3.13/os"])
      expect(await only({ paths: ["/nowhere"] })).toEqual([])
      expect(await only({ paths: ["/many"] })).toHaveLength(5)
      expect(await only({ paths: ["/"] })).toHaveLength(5)
      expect(await only({ versions: ["' OR true --"] })).toEqual([])
    })

    test("on sources finds a page by each of its own, in every arm, and it comes back with all of them", async () => {
      const engine = await open()
      const shared = aPage("shared", {
        source: "b",
        sharedWith: ["a", "it's c"],
        markdown: "Text of pears.",
      })
      const only = aPage("only", { source: "ab", markdown: "Text of more pears." })
      await engine.index([shared, only])
      await engine.settled()
      for (const arms of ["hybrid", "lexical", "vector"] as const) {
        const of = async (...sources: string[]) => {
          const { hits } = await engine.search({ text: "pears", limit: 5, arms, filter: { sources } })
          return hits.map(({ url }) => url.slice(25)).sort()
        }
        for (const source of ["a", "b", "it's c"]) expect(await of(source)).toEqual(["shared"])
        expect(await of("a", "b")).toEqual(["shared"])
        expect(await of("a", "ab")).toEqual(["only", "shared"])
        expect(await of("d", "s c", "a\u001fb")).toEqual([])
      }
      expect(await engine.get(shared.url)).toEqual(shared)
      const { hits } = await engine.search({ text: "pears", limit: 5, filter: { sources: ["a"] } })
      expect(hits[0]).toMatchObject({ source: "b", sharedWith: ["a", "it's c"] })
      expect((await engine.stats()).pages).toBe(2)
    })

    test("on sources follows a page that gains and loses them, in an engine that reads too", async () => {
      const engine = await open()
      const page = aPage("page", { source: "a", markdown: "Text of plums." })
      await engine.index([page])
      await engine.settled()
      const reader = await open({ mode: "read" })
      const by = async (from: Engine, source: string) =>
        (await from.search({ text: "plums", limit: 5, filter: { sources: [source] } })).hits.length
      expect(await by(engine, "b")).toBe(0)
      expect(await by(reader, "b")).toBe(0)
      await engine.index([{ ...page, source: "b", sharedWith: ["a"] }])
      await engine.settled()
      await expect.poll(() => by(reader, "b")).toBe(1)
      for (const one of [engine, reader]) {
        expect(await by(one, "a")).toBe(1)
        expect(await by(one, "b")).toBe(1)
      }
      await engine.index([{ ...page, source: "b" }])
      await engine.settled()
      await expect.poll(() => by(reader, "a")).toBe(0)
      for (const one of [engine, reader]) {
        expect(await by(one, "a")).toBe(0)
        expect(await by(one, "b")).toBe(1)
      }
      expect(await engine.stats()).toMatchObject({ pages: 1, pagesWithoutVectors: 0 })
    })

    test("for safe pages drops the others, in every arm, and what a page is comes back", async () => {
      const engine = await open()
      const safe = aPage("safe", { topic: "news", country: "fr", markdown: "Text about cherries." })
      const unsafe = aPage("unsafe", { unsafe: true, markdown: "Text about more cherries." })
      await engine.index([safe, unsafe])
      await engine.settled()
      for (const arms of ["hybrid", "lexical", "vector"] as const) {
        const query = { text: "cherries", limit: 5, arms }
        const all = await engine.search(query)
        expect(all.hits.map((hit) => `${hit.url} ${hit.unsafe}`).sort()).toEqual([
          `${safe.url} false`,
          `${unsafe.url} true`,
        ])
        const { hits } = await engine.search({ ...query, filter: { safe: true } })
        expect(hits).toMatchObject([{ url: safe.url, topic: "news", country: "fr", unsafe: false }])
        expect((await engine.search({ ...query, filter: { safe: false } })).hits).toHaveLength(2)
      }
      await engine.index([{ ...unsafe, unsafe: false }])
      expect(await found(engine, "cherries", { safe: true })).toHaveLength(2)
    })

    test("is applied before the limit: few pages among many still fill it", async () => {
      const engine = await open()
      const pages = Array.from({ length: 400 }, (_, i) =>
        aPage(`https://site${i % 100}.example/${i}`, { markdown: `Common words about ${i % 7} things.` }),
      )
      await engine.index(pages)
      await engine.settled()
      for (const arms of ["hybrid", "lexical", "vector"] as const) {
        const filter = { includeDomains: ["site42.example"] }
        const { hits } = await engine.search({ text: "common words", limit: 4, filter, arms })
        expect(hits).toHaveLength(4)
      }
    })
  })
}
