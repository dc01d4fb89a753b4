import { describe, expect, test } from "vitest"
import type { PageFilter } from "../../engine.ts"
import { aPage, rareWord, urlOf } from "../pages.ts"
import type { Stage } from "./stage.ts"

const filler = (from: number) => Array.from({ length: 40 }, (_, i) => rareWord(from + i)).join(" ")

/** Questions and pages of several languages. */
export function languagesOfPages({ adapter, open, found }: Stage): void {
  describe("the language of a question", () => {
    test("brings pages in it before others that match as well, and drops none", async () => {
      const engine = await open({ embedding: "off" })
      const said = (from: number) => `mod_rewrite ${filler(from)}`
      await engine.index([
        aPage("ru/1", { language: "ru", title: "mod_rewrite", markdown: said(0) }),
        aPage("x/2", { language: "en", title: "mod_rewrite", markdown: `${said(100)} ${filler(300)}` }),
        aPage("y/3", { language: "de", title: "mod_rewrite", markdown: `${said(200)} ${filler(400)}` }),
      ])
      expect((await found(engine, "mod_rewrite")).at(-1)).toBe(urlOf("ru/1"))
      expect((await found(engine, "what is mod_rewrite"))[0]).toBe(urlOf("x/2"))
      expect((await found(engine, "was ist mod_rewrite und wie"))[0]).toBe(urlOf("y/3"))
      expect((await found(engine, "что такое mod_rewrite"))[0]).toBe(urlOf("ru/1"))
      expect(await found(engine, "what is mod_rewrite", { languages: ["ru"] })).toEqual([urlOf("ru/1")])
    })

    test("shows one of a page's translations, in the asker's language when it is there", async () => {
      const engine = await open({ embedding: "off" })
      await engine.index([
        aPage("en/pump", { language: "en", title: "XR-7", markdown: `XR-7 ${filler(0)}` }),
        aPage("de/pump", { language: "de", title: "XR-7", markdown: `XR-7 ${filler(100)}` }),
        aPage("fr/pump", { language: "fr", title: "XR-7", markdown: `XR-7 ${filler(200)}` }),
        aPage("en/valve", { language: "en", title: "Valve", markdown: `XR-7 ${filler(300)}` }),
      ])
      expect(await found(engine, "what is the XR-7")).toEqual([urlOf("en/pump"), urlOf("en/valve")])
      expect(await found(engine, "was ist die XR-7 und wie")).toEqual([urlOf("de/pump"), urlOf("en/valve")])
      const { hits } = await engine.search({ text: "XR-7", limit: 9, preference: { languages: ["fr"] } })
      expect(hits.map((hit) => hit.url)).toEqual([urlOf("fr/pump"), urlOf("en/valve")])
      const folded = hits[0]!.folded!.map(({ url, language, kind }) => [url, language, kind])
      expect(folded.toSorted((a, b) => (String(a) < String(b) ? -1 : 1))).toEqual([
        [urlOf("de/pump"), "de", "translation"],
        [urlOf("en/pump"), "en", "translation"],
      ])
      expect(hits[1]!.folded).toBeUndefined()
    })

    test(
      "is named in a notice when hardly any page that may be found is in it",
      { tags: adapter.isRecorded ? ["real-server"] : [] },
      async () => {
        const engine = await open({ embedding: "off" })
        const pages = (language: string, count: number) =>
          Array.from({ length: count }, (_, i) =>
            aPage(`${language}/${i}`, {
              language,
              source: language,
              title: "XR-7",
              markdown: `XR-7 ${filler(40 * i)}`,
            }),
          )
        await engine.index([...pages("en", 3), ...pages("de", 1)])
        const notice = async (text: string, filter?: PageFilter) =>
          (await engine.search({ text, limit: 9, ...(filter && { filter }) })).languageNotice
        const scarce = (language: string) => ({ languages: [language], isScarce: true })
        expect(await notice("¿cómo se limpia la XR-7?")).toEqual(scarce("es"))
        expect(await notice("was ist die XR-7 und wie")).toBeUndefined()
        expect(await notice("was ist die XR-7 und wie", { sources: ["en"] })).toEqual(scarce("de"))
        expect(await notice("what is the XR-7", { sources: ["de"] })).toEqual(scarce("en"))
        expect(await notice("what is the XR-7", { sources: ["de", "en"] })).toBeUndefined()
        expect(await notice("was ist die XR-7 und wie", { languages: ["en"] })).toBeUndefined()
      },
    )
  })
}
