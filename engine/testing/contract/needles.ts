import { describe, expect, test } from "vitest"
import { aPage, rareWord, urlOf } from "../pages.ts"
import type { Stage } from "./stage.ts"

/** Text unrelated to the subject, with this many sentences. */
const filler = (from: number, sentences: number) =>
  Array.from(
    { length: sentences },
    (_, i) => `The ${rareWord(from + i)} turns beside the ${rareWord(from + i + 1)}.`,
  ).join(" ")

/** A fact that only one of several pages about the same subject states. */
export function theNeedle({ open, found }: Stage): void {
  describe("the one page that says it", () => {
    test("is found in a section of a manual, beside short pages that say half of it", async () => {
      const engine = await open({ embedding: "off" })
      const chapters = Array.from({ length: 250 }, (_, i) => {
        const text =
          i === 170
            ? "The zebracorn throttle is set with the lever below the seat. Turn it left for less."
            : filler(i * 20, 18)
        return `## Chapter ${i}\n\n${text}`
      })
      await engine.index([
        aPage("manual", { title: "Machine manual", markdown: chapters.join("\n\n") }),
        ...Array.from({ length: 30 }, (_, i) =>
          aPage(`zebra/${i}`, {
            title: `Zebras ${i}`,
            markdown: `How zebras live. ${filler(9000 + i * 9, 6)}`,
          }),
        ),
        ...Array.from({ length: 30 }, (_, i) =>
          aPage(`belt/${i}`, {
            title: `Throttled belts ${i}`,
            markdown: `How the throttled belt of throttle ${i} is set. ${filler(12_000 + i * 9, 6)}`,
          }),
        ),
      ])
      const { hits } = await engine.search({ text: "how is the zebracorn throttle set?", limit: 10 })
      expect(hits[0]!.url).toBe(urlOf("manual"))
      expect(hits[0]!.passages[0]!.text).toContain("zebracorn throttle is set with the lever")
    })

    test("is the one with this title, this file name, or this identifier, before pages that mention it", async () => {
      const engine = await open({ embedding: "off" })
      const mentions = (what: string) => `See ${what}, which uses ${what}. ${filler(500, 30)}`
      await engine.index([
        aPage("docs/wal.html", {
          title: "Write-Ahead Logging",
          markdown: `How writes become safe. ${filler(0, 40)}`,
        }),
        aPage("mod/mod_rewrite.html", {
          title: "Apache Module",
          markdown: `The module mod_rewrite has rules for addresses. ${filler(50, 40)}`,
        }),
        aPage("options", {
          title: "Options",
          markdown: `${filler(100, 80)} maxOpenFilesPerVolume is 20. ${filler(200, 80)}`,
        }),
        aPage("a", { title: "Notes on logging", markdown: mentions("write-ahead logging") }),
        aPage("b", { title: "Notes on rules", markdown: mentions("mod_rewrite") }),
        aPage("c", {
          title: "Notes on files",
          markdown: `A volume has most files open at night: see max open files. ${filler(500, 30)}`,
        }),
      ])
      const first = async (text: string) => (await found(engine, text))[0]
      expect(await first("write-ahead logging")).toBe(urlOf("docs/wal.html"))
      expect(await first("mod_rewrite")).toBe(urlOf("mod/mod_rewrite.html"))
      expect(await first("mod_rewrite.html")).toBe(urlOf("mod/mod_rewrite.html"))
      expect(await first("maxOpenFilesPerVolume")).toBe(urlOf("options"))
    })

    test("with the word as written comes before pages with what a misspelt one may stand for", async () => {
      const engine = await open({ embedding: "off" })
      if (!engine.supports.typoTolerance) return
      await engine.index([
        aPage("written", { markdown: `A gardn is named once here. ${filler(0, 60)}` }),
        ...Array.from({ length: 8 }, (_, i) =>
          aPage(`near/${i}`, {
            title: "Kubernetes",
            markdown: `Kubernetes, kubernetes. ${filler(100 + i * 9, 5)}`,
          }),
        ),
      ])
      expect((await found(engine, "gardn"))[0]).toBe(urlOf("written"))
    })
  })
}
