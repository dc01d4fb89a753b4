import { MAX_PASSAGE_CHARS } from "../../index/page/passage.ts"
import type { Page } from "../../index/page/page.ts"
import { aPage } from "../pages.ts"
import { describe, expect, test } from "vitest"
import type { Stage } from "./stage.ts"

export function passages({ open }: Stage): void {
  describe("passages", () => {
    const sections = Array.from(
      { length: 12 },
      (_, i) => `## Section ${i}\n\n${`Sentence about subject${i} and more. `.repeat(12)}`,
    )

    test("are short, name the headings above them, and the best comes first", async () => {
      const engine = await open()
      await engine.index([aPage("long", { title: "Long", markdown: `# Top\n\n${sections.join("\n\n")}` })])
      await engine.settled()
      for (const arms of ["hybrid", "lexical", "vector"] as const) {
        const { hits } = await engine.search({ text: "sentence about subject7", limit: 1, arms })
        const { passages } = hits[0]!
        expect(passages).toHaveLength(3)
        expect(passages[0]).toMatchObject({ headings: ["Top", "Section 7"] })
        for (const { text } of passages) expect(text.length).toBeLessThanOrEqual(MAX_PASSAGE_CHARS)
      }
    })

    test("say what leads to them, and a page that learns it keeps its text and vectors", async () => {
      const engine = await open()
      const text = sections.join("\n\n")
      const page = aPage("long", { title: "Long", markdown: text })
      await engine.index([page])
      await engine.settled()
      const ask = async (arms: "hybrid" | "lexical" | "vector") =>
        (await engine.search({ text: "sentence about subject7", limit: 1, arms })).hits[0]!
      expect((await ask("hybrid")).passages[0]).not.toHaveProperty("anchor")
      const lines = text.split("\n")
      const anchors = sections.map((_, i): [number, string] => [lines.indexOf(`## Section ${i}`), `s-${i}`])
      const named: Page = { ...page, anchors }
      await engine.index([named])
      expect(await engine.stats()).toMatchObject({ pages: 1, pagesWithoutVectors: 0 })
      for (const arms of ["hybrid", "lexical", "vector"] as const) {
        const hit = await ask(arms)
        expect(hit.passages[0]).toMatchObject({ headings: ["Section 7"], anchor: "s-7" })
        expect(hit).not.toHaveProperty("anchors")
      }
      expect(await engine.get(page.url)).toEqual(named)
      expect((await Array.fromAsync(engine.allPages())).map((one) => one.page)).toEqual([named])
    })

    test("say which page of a document they are on, of two the one that says what was asked", async () => {
      const engine = await open()
      const long = "A sentence that is told at length and ends. ".repeat(8).trim()
      const markdown = `# Seals\n\n${long}\n\n${long} The heronseal\ngoes on overleaf. ${long}`
      const page = aPage("manual.pdf", {
        title: "Manual",
        markdown,
        anchors: [
          [0, "page=5", "iv"],
          [4, "page=6", "v"],
          [5, "page=7", "1"],
        ],
      })
      await engine.index([page])
      await engine.settled()
      for (const arms of ["hybrid", "lexical"] as const) {
        const { hits } = await engine.search({ text: "heronseal", limit: 1, arms, passagesPerPage: 9 })
        const { passages } = hits[0]!
        expect(passages[0]).toMatchObject({ headings: ["Seals"], anchor: "page=6", page: "v" })
        const pages = passages.toSorted((a, b) => a.position - b.position).map((one) => one.page)
        expect(pages).toEqual(["iv", "v", "1"])
      }
      const [overleaf] = (await engine.search({ text: "overleaf", limit: 1 })).hits[0]!.passages
      expect(overleaf).toMatchObject({ headings: ["Seals"], anchor: "page=7", page: "1" })
      const [both] = (await engine.search({ text: "sentence heronseal overleaf", limit: 1 })).hits[0]!
        .passages
      expect(both).toMatchObject({ headings: ["Seals"], anchor: "page=6", page: "v–1" })
      expect(await engine.get(page.url)).toEqual(page)
    })

    test("are as many as asked for, each once", async () => {
      const engine = await open()
      await engine.index([aPage("long", { markdown: sections.join("\n\n") })])
      for (const passagesPerPage of [0, 1, 5, 1000]) {
        const { hits } = await engine.search({ text: "sentence subject3", limit: 1, passagesPerPage })
        const positions = hits[0]!.passages.map((passage) => passage.position)
        expect(positions.length).toBe(Math.min(passagesPerPage, (await engine.stats()).passages))
        expect(new Set(positions).size).toBe(positions.length)
      }
    })
  })
}
