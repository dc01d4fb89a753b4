import { describe, expect, test } from "vitest"
import type { Engine, FacetField, FacetQuery, PageFilter } from "../../engine.ts"
import { aPage, urlOf } from "../pages.ts"
import type { Stage } from "../contract/stage.ts"

export function facetsOfPages({ open }: Stage): void {
  describe("facets", () => {
    const counts = async (engine: Engine, text: string, field: FacetField, filter: PageFilter = {}) => {
      const { facets } = await engine.facets({ text, fields: [field], filter })
      return Object.fromEntries(facets[0]!.values.map(({ value, count }) => [value, count]))
    }

    test("count the pages that match by each field, within filters, phrases and exclusions", async () => {
      const engine = await open()
      await engine.index([
        aPage("a", {
          markdown: "Seals of pumps.",
          publishedAt: new Date("2024-03-01"),
          sharedWith: ["more"],
        }),
        aPage("b.pdf", { markdown: "Valves of pumps.", publishedAt: new Date("2025-03-01"), source: "more" }),
        aPage("https://example.org/c", { markdown: "Pumpen und Pumps.", language: "de", source: "third" }),
        aPage("https://example.org/d", { markdown: "Nothing of the kind.", language: null }),
      ])
      expect(await counts(engine, "pumps", "source")).toEqual({ docs: 1, more: 2, third: 1 })
      expect(await counts(engine, "pumps", "domain")).toEqual({ "example.com": 2, "example.org": 1 })
      expect(await counts(engine, "pumps", "language")).toEqual({ en: 2, de: 1 })
      expect(await counts(engine, "pumps", "type")).toEqual({ html: 2, pdf: 1 })
      expect(await counts(engine, "pumps", "published")).toEqual({ "2024": 1, "2025": 1 })
      expect(await counts(engine, "pumps", "domain", { sources: ["more"] })).toEqual({ "example.com": 2 })
      expect(await counts(engine, "pumps", "type", { phrases: ["seals of pumps"] })).toEqual({ html: 1 })
      expect(await counts(engine, "pumps -valves", "type")).toEqual({ html: 2 })
      expect(await counts(engine, "pumps site:example.org", "type")).toEqual({ html: 1 })
      expect(await counts(engine, "pumpz", "language")).toEqual(await counts(engine, "pumps", "language"))
      expect(await counts(engine, "zebra", "type")).toEqual({})
      expect(await counts(engine, "", "type")).toEqual({})
    })

    test("tell pages apart by topic, by version, and by the first folder that not all lie in", async () => {
      const engine = await open()
      await engine.index([
        aPage("docs/3.12/guide/a", { markdown: "Pumps.", topic: "news" }),
        aPage("docs/3.12/guide/b", { markdown: "Pumps, too." }),
        aPage("docs/3.13/a", { markdown: "Pumps again." }),
        aPage("docs/latest/a", { markdown: "The latest pumps.", topic: "finance" }),
        aPage("docs/pumps", { markdown: "A page of no folder." }),
      ])
      expect(await counts(engine, "pumps", "topic")).toEqual({ news: 1, finance: 1 })
      expect(await counts(engine, "pumps", "version")).toEqual({ "3.12": 2, "3.13": 1, latest: 1 })
      expect(await counts(engine, "pumps", "path")).toEqual({
        "/docs/3.12": 2,
        "/docs/3.13": 1,
        "/docs/latest": 1,
      })
      expect(await counts(engine, "pumps", "path", { topics: ["news"] })).toEqual({})
      expect(await counts(engine, "pumps", "version", { paths: ["/docs/3.12"] })).toEqual({ "3.12": 2 })
      expect(await counts(engine, "pumps", "topic", { versions: ["3.12", "3.13"] })).toEqual({ news: 1 })
    })

    test("count what the caller names besides, each page once, and fields in the order asked", async () => {
      const engine = await open()
      await engine.index([
        aPage("a", { markdown: "Pumps." }),
        aPage("b", { markdown: "Pears.", language: "fr" }),
      ])
      const query: FacetQuery = { text: "pumps", fields: ["type", "language"] }
      const also = [urlOf("a"), urlOf("b"), urlOf("gone")]
      expect(await engine.facets({ ...query, also })).toEqual({
        pages: 2,
        isExact: true,
        facets: [
          { field: "type", values: [{ value: "html", count: 2 }] },
          {
            field: "language",
            values: [
              { value: "en", count: 1 },
              { value: "fr", count: 1 },
            ],
          },
        ],
      })
    })

    test("say when more pages match than are counted", async () => {
      const engine = await open({ embedding: "off" })
      await engine.index(Array.from({ length: 1001 }, (_, i) => aPage(`p${i}`, { markdown: `Pumps ${i}.` })))
      const found = await engine.facets({ text: "pumps", fields: ["type"] })
      expect(found).toMatchObject({ pages: 1000, isExact: false })
      expect(found.facets[0]!.values).toEqual([{ value: "html", count: 1000 }])
    })
  })
}
