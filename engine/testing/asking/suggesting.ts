import { describe, expect, test } from "vitest"
import { aPage } from "../pages.ts"
import type { Engine, SuggestionFilter } from "../../engine.ts"
import type { Stage } from "../contract/stage.ts"

const GUIDE = "## Install the pump\n\nUnpack it.\n\n### Seals\n\nGrease them.\n\n## Crème brûlée\n\nServe it."

export function whatIsTyped({ open }: Stage): void {
  describe("what somebody types", () => {
    const typing =
      (engine: Engine) =>
      async (text: string, filter?: SuggestionFilter, limit = 8) =>
        (await engine.suggest({ text, limit, ...(filter && { filter }) })).map(
          (one) => `${one.kind}: ${one.text}`,
        )

    test("brings titles and headings that begin with it, then those that hold it, each once", async () => {
      const engine = await open()
      await engine.index([
        aPage("guide", { title: "Guide to pumps", markdown: GUIDE, anchors: [[0, "install"]] }),
        aPage("install", { title: "Install guide", markdown: "# Install guide\n\nText." }),
        aPage("other", { title: "Before you install a pump", markdown: "## Seals\n\nText." }),
        aPage("anleitung", { title: "安装指南", language: "zh", markdown: "文字。" }),
      ])
      const typed = typing(engine)
      expect(await typed("ins")).toEqual([
        "title: Install guide",
        "heading: Install the pump",
        "title: Before you install a pump",
      ])
      expect(await typed("install the p")).toEqual(["heading: Install the pump"])
      expect(await typed("pump inst")).toEqual([
        "title: Before you install a pump",
        "heading: Install the pump",
      ])
      expect(await typed("SEAL")).toEqual(["heading: Seals"])
      expect(await typed("creme BRU")).toEqual(["heading: Crème brûlée"])
      expect(await typed("安装")).toEqual(["title: 安装指南"])
      expect(await typed("i", undefined, 1)).toEqual(["title: Install guide"])
      for (const nothing of ["", "  ", '"*', "zebra", "nstall", "- ^ ( ) : OR"]) {
        expect(await typed(nothing)).toEqual([])
      }
      const [heading] = await engine.suggest({ text: "install the", limit: 1 })
      expect(heading!.url).toBe("https://docs.example.com/guide#install")
    })

    test("stays within sources, domains and ports", async () => {
      const engine = await open()
      await engine.index([
        aPage("https://a.example/one", { title: "Pumps of one", source: "it's one" }),
        aPage("https://docs.a.example/two", { title: "Pumps of two", source: "two", sharedWith: ["three"] }),
        aPage("http://localhost:8080/", { title: "Pumps at home", source: "two" }),
        aPage("http://localhost:8081/", { title: "Pumps next door", source: "two" }),
      ])
      const within = async (filter: SuggestionFilter) =>
        (await typing(engine)("pumps", filter)).map((one) => one.slice("title: Pumps ".length)).sort()
      expect(await within({ sources: ["it's one"] })).toEqual(["of one"])
      expect(await within({ sources: ["three"] })).toEqual(["of two"])
      expect(await within({ sources: ["none"] })).toEqual([])
      expect(await within({ includeDomains: ["a.example"] })).toEqual(["of one", "of two"])
      expect(await within({ includeDomains: ["docs.a.example"] })).toEqual(["of two"])
      expect(await within({ includeDomains: ["localhost:8080"] })).toEqual(["at home"])
      expect(await within({ includeDomains: ["localhost"], sources: ["two"] })).toEqual([
        "at home",
        "next door",
      ])
      expect(await within({ includeDomains: ["localhost"], sources: ["three"] })).toEqual([])
      expect(await within({ sources: [], includeDomains: [] })).toHaveLength(4)
    })

    test("follows pages that change and go, also in an engine that reads", async () => {
      const engine = await open()
      await engine.index([aPage("page", { title: "Pears" }), aPage("gone", { title: "Pearls" })])
      const reader = await open({ mode: "read" })
      expect((await typing(reader)("pear")).toSorted()).toEqual(["title: Pearls", "title: Pears"])
      await engine.index([aPage("page", { title: "Plums" })])
      await engine.remove([aPage("gone").url])
      for (const one of [engine, reader]) {
        expect(await typing(one)("pear")).toEqual([])
        expect(await typing(one)("plu")).toEqual(["title: Plums"])
      }
    })
  })
}
