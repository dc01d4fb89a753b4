import type { Page } from "../../index/page/page.ts"
import { pageId } from "../../index/page/page-url.ts"
import { HashingEmbedder } from "../hashing-embedder.ts"
import { aPage, rareWord } from "../pages.ts"
import { describe, expect, test } from "vitest"
import type { Stage } from "./stage.ts"

export function anIndexMoves({ open }: Stage): void {
  describe("an index moves", () => {
    const names = Array.from({ length: 70 }, (_, i) => `moved/${i}`)
    const pages = names.map((name, i) => aPage(name, { markdown: `Entry ${rareWord(i)} of a list.` }))
    const byId = (some: readonly Page[]) => some.toSorted((a, b) => (pageId(a.url) < pageId(b.url) ? -1 : 1))

    test("page by page in the order of their ids, from any of them on", async () => {
      const engine = await open()
      await engine.index(pages)
      await engine.settled()
      const all = await Array.fromAsync(engine.allPages())
      expect(all.map(({ page }) => page)).toEqual(byId(pages))
      for (const { vectors } of all) {
        expect(vectors!.map((vector) => Math.hypot(...vector))).toEqual([expect.closeTo(1, 5)])
      }
      const after = pageId(all[41]!.page.url)
      const rest = await Array.fromAsync(engine.allPages({ after }))
      expect(rest.map(({ page }) => page.url)).toEqual(all.slice(42).map(({ page }) => page.url))
    })

    test("within it: a page at another address takes the vectors along that its text had", async () => {
      const engine = await open()
      const [before, other] = pages
      await engine.index([before!, other!])
      await engine.settled()
      const found = await engine.withVectors([before!.url, aPage("moved/nowhere").url])
      expect(found.map(({ page }) => page)).toEqual([before])
      const now = { ...before!, url: aPage("moved/elsewhere").url }
      await engine.load([{ page: now, vectors: found[0]!.vectors }])
      expect((await engine.stats()).pagesWithoutVectors).toBe(0)
      expect(await engine.withVectors([])).toEqual([])
    })

    test("into another one with its vectors, so that nothing is embedded again", async () => {
      const engine = await open({ embedding: "off" })
      const vector = (await new HashingEmbedder().embed(["quokka"]))[0]!
      const [with_, without, tooMany, none] = pages
      await engine.load([
        { page: with_!, vectors: [vector] },
        { page: without!, vectors: null },
        { page: tooMany!, vectors: [vector, vector] },
        { page: { ...none!, markdown: "" }, vectors: [] },
      ])
      expect(await engine.stats()).toMatchObject({ pages: 4, passages: 3, pagesWithoutVectors: 2 })
      const { hits } = await engine.search({ text: "quokka", limit: 5, arms: "vector" })
      expect(hits.map((hit) => hit.url)).toEqual([with_!.url])
      const moved = await Array.fromAsync(engine.allPages())
      const found = moved.find(({ page }) => page.url === with_!.url)!
      expect(Math.max(...found.vectors![0]!.map((value, i) => Math.abs(value - vector[i]!)))).toBeLessThan(
        1e-6,
      )
      expect(moved.filter(({ vectors }) => vectors === null)).toHaveLength(2)
      await engine.load([{ page: { ...with_!, markdown: "Changed." }, vectors: null }])
      expect((await engine.stats()).pagesWithoutVectors).toBe(3)
    })
  })
}
