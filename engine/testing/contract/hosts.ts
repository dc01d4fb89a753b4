import { aPage, rareWord } from "../pages.ts"
import { describe, expect, test } from "vitest"
import type { Stage } from "./stage.ts"

export function hitsOfOneHost({ open }: Stage): void {
  describe("hits of one host", () => {
    const about = (host: string, i: number) =>
      aPage(`https://${host}/${i}`, { title: `Page ${i}`, markdown: `Cherry cake ${rareWord(i)}.` })

    test("leave room for other hosts that match as well", async () => {
      const engine = await open()
      await engine.index([
        ...Array.from({ length: 20 }, (_, i) => about("big.example", i)),
        ...Array.from({ length: 4 }, (_, i) => about(`small${i}.example`, 20 + i)),
      ])
      const { hits } = await engine.search({ text: "cherry cake", limit: 10, arms: "lexical" })
      const big = hits.map((hit) => new URL(hit.url).hostname === "big.example")
      expect(big.slice(0, 10).filter(Boolean)).toHaveLength(6)
      const all = await engine.search({ text: "cherry cake", limit: 30, arms: "lexical" })
      expect(all.hits).toHaveLength(24)
    })

    test("all stand in their order when no other host is close, and in an index of one host", async () => {
      const engine = await open()
      const pages = Array.from({ length: 12 }, (_, i) => about("big.example", i))
      await engine.index([
        ...pages,
        aPage("https://small.example/", {
          markdown: `Long words of other things. ${"And on. ".repeat(60)} Cherry.`,
        }),
      ])
      const { hits } = await engine.search({ text: "cherry cake", limit: 10, arms: "lexical" })
      expect(hits.every((hit) => hit.url.startsWith("https://big.example/"))).toBe(true)
      expect(hits).toHaveLength(10)
    })
  })
}
