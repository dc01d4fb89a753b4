import { describe, expect, test } from "vitest"
import type { PageFilter } from "../../engine.ts"
import { sourcesOf } from "../../index/page/page.ts"
import { type PageReaders, readersLabel, readersOf } from "../../index/page/readers.ts"
import { aPage, rareWord } from "../pages.ts"
import type { Stage } from "./stage.ts"

const readers = (source: string, ...allow: string[]): PageReaders[] => [{ source, ...readersOf({ allow }) }]
const HR = readers("wiki", "group:hr")
const STAFF = readers("wiki", "group:staff")
/** A filter for a user who may read the pages with these readers. */
const of = (...those: PageReaders[][]): PageFilter => ({ readers: those.map((one) => readersLabel(one)!) })

export function readersOfPages({ open, found, foundByWords }: Stage): void {
  describe("a page that not everybody may read", () => {
    const pages = [
      aPage("open", { source: "wiki", title: "Open handbook", markdown: "Salary bands of plums." }),
      aPage("staff", {
        source: "wiki",
        title: "Staff handbook",
        markdown: "Salary of plums.",
        readers: STAFF,
      }),
      aPage("hr", {
        source: "wiki",
        title: "Secret handbook",
        markdown: "Salary rounds of plums.",
        readers: HR,
      }),
    ]
    const named = (...names: string[]) => names.map((name) => aPage(name).url).sort()

    test("is found, counted and suggested for its readers alone, in every arm", async () => {
      const engine = await open()
      await engine.index(pages)
      await engine.settled()
      for (const [filter, seen] of [
        [{}, named("open", "staff", "hr")],
        [{ readers: [] }, named("open")],
        [of(STAFF), named("open", "staff")],
        [of(STAFF, HR), named("open", "staff", "hr")],
        [{ readers: ["unknown", "' OR true --", '"] OR key > 0'] }, named("open")],
        [{ ...of(HR), sources: ["wiki"] }, named("open", "hr")],
        [{ ...of(HR), excludeSources: ["wiki"] }, []],
      ] satisfies [PageFilter, string[]][]) {
        for (const arms of ["hybrid", "lexical", "vector"] as const) {
          const { hits } = await engine.search({ text: "salary plums", limit: 9, arms, filter })
          expect([filter, hits.map(({ url }) => url).sort()]).toEqual([filter, seen])
        }
        const counts = await engine.facets({ text: "salary", fields: ["source"], filter })
        expect([filter, counts.pages, counts.facets[0]!.values[0]?.count ?? 0]).toEqual([
          filter,
          seen.length,
          seen.length,
        ])
        const suggested = await engine.suggest({ text: "handbook", limit: 9, filter })
        expect([filter, suggested.map(({ url }) => url).sort()]).toEqual([filter, seen])
      }
      const { hits } = await engine.search({ text: "secret handbook", limit: 1, filter: of(HR) })
      expect(hits[0]).toMatchObject({ readers: HR })
      expect(await engine.get(pages[2]!.url)).toEqual(pages[2])
    })

    test("gains and loses readers without new vectors, in an engine that reads too", async () => {
      const engine = await open()
      const [page] = pages
      await engine.index([page!])
      await engine.settled()
      const reader = await open({ mode: "read" })
      const by = async (from: typeof engine, filter: PageFilter) =>
        (await from.search({ text: "plums", limit: 5, filter })).hits.length
      expect(await by(reader, { readers: [] })).toBe(1)
      await engine.index([{ ...page!, readers: HR }])
      await engine.settled()
      await expect.poll(() => by(reader, { readers: [] })).toBe(0)
      for (const one of [engine, reader]) {
        expect(await by(one, { readers: [] })).toBe(0)
        expect(await by(one, of(HR))).toBe(1)
      }
      await engine.index([{ ...page!, readers: STAFF }])
      await engine.settled()
      await expect.poll(() => by(reader, of(HR))).toBe(0)
      expect(await by(engine, of(HR))).toBe(0)
      await engine.index([page!])
      await engine.settled()
      await expect.poll(() => by(reader, { readers: [] })).toBe(1)
      expect(await engine.stats()).toMatchObject({ pages: 1, pagesWithoutVectors: 0 })
    })

    test("fills no list in place of pages that may be read", async () => {
      const engine = await open()
      const many = Array.from({ length: 120 }, (_, i) =>
        aPage(`page${i}`, {
          source: "wiki",
          markdown: `Common words about ${i % 7} things.`,
          ...(i % 30 !== 0 && { readers: readers("wiki", `group:g${i % 40}`) }),
        }),
      )
      await engine.index(many)
      await engine.settled()
      for (const arms of ["hybrid", "lexical", "vector"] as const) {
        const { hits } = await engine.search({
          text: "common words",
          limit: 4,
          arms,
          filter: { readers: [] },
        })
        expect(hits.map((hit) => [sourcesOf(hit), hit.readers])).toEqual(
          Array.from({ length: 4 }, () => [["wiki"], undefined]),
        )
      }
    })

    test("is counted by its source and its readers", async () => {
      const engine = await open()
      expect(await engine.pagesByReaders()).toEqual([])
      await engine.index([
        ...pages,
        aPage("again", { source: "wiki", readers: HR }),
        aPage("other", { source: "Team B" }),
      ])
      const counts = (await engine.pagesByReaders()).map(
        ({ sources, label, pages: count }) => `${sources.join()} ${label} ${count}`,
      )
      const label = (one: PageReaders[]) => readersLabel(one)
      expect(counts.sort()).toEqual(
        ["Team B null 1", "wiki null 1", `wiki ${label(HR)} 2`, `wiki ${label(STAFF)} 1`].sort(),
      )
    })

    test("says nothing by how words are corrected", async () => {
      const engine = await open()
      const [usual, slip] = [`${rareWord(1)}en`, `${rareWord(1)}em`]
      await engine.index([
        aPage("seen", { markdown: `The ${usual} is in the cellar.` }),
        aPage("hidden", { markdown: `The ${slip} is in the attic.`, readers: HR }),
      ])
      await engine.settled()
      expect(await foundByWords(engine, slip, { readers: [] })).toEqual(named("seen"))
      expect(await found(engine, slip, of(HR))).toContain(named("hidden")[0])
    })
  })
}
