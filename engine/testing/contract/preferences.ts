import type { Page } from "../../index/page/page.ts"
import { aPage, rareWord, urlOf } from "../pages.ts"
import type { Engine, PagePreference } from "../../engine.ts"
import { describe, expect, test } from "vitest"
import type { Stage } from "./stage.ts"

export function aPreference({ open }: Stage): void {
  describe("a preference", () => {
    const plain = "A recipe for cherry cake with sugar."
    const preferring = async (engine: Engine, preference: PagePreference) => {
      const { hits } = await engine.search({
        text: "cherry cake recipe",
        limit: 10,
        arms: "lexical",
        preference,
      })
      const scores = hits.map((hit) => hit.score)
      expect(scores).toEqual([...scores].sort((a, b) => b - a))
      const values = hits.map(({ parts }) => parts.fused + parts.boost)
      expect(values).toEqual([...values].sort((a, b) => b - a))
      return hits
    }

    test.each<[string, Partial<Page>, PagePreference]>([
      ["domain", { url: urlOf("https://blog.preferred.example/x") }, { domains: ["preferred.example"] }],
      ["language", { language: "fr" }, { languages: ["de", "fr"] }],
      ["country", { country: "fr" }, { countries: ["fr"] }],
      ["topic", { topic: "news" }, { topic: "news" }],
      ["recency", { publishedAt: new Date("2026-01-01") }, { recentAt: new Date("2026-01-03"), domains: [] }],
    ])("for a %s brings its pages up, tells by how much, and drops none", async (_, about, preference) => {
      const engine = await open()
      await engine.index([
        aPage("better", { markdown: plain }),
        { ...aPage("preferred", { markdown: `${plain} With love.` }), ...about },
        aPage("old", { markdown: `${plain} As it ever was.`, publishedAt: new Date("2020-01-01") }),
        { ...aPage("unrelated", { ...about, markdown: "Weather." }), url: urlOf("unrelated") },
      ])
      await engine.settled()
      const before = await preferring(engine, {})
      const hits = await preferring(engine, preference)
      expect(hits.map((hit) => hit.url).sort()).toEqual(before.map((hit) => hit.url).sort())
      const preferred = hits.find((hit) => hit.markdown.endsWith("With love."))!
      expect(hits.indexOf(preferred)).toBe(0)
      expect(preferred.parts.boost).toBeGreaterThan(0)
      for (const hit of before) expect(hit.parts.boost).toBe(0)
      expect(hits.find((hit) => hit.url === urlOf("better"))!.parts.boost).toBe(0)
      expect(hits[0]!.score).toBeLessThanOrEqual(before[0]!.score)
    })

    test("for news counts how recent they are, and pages without a date gain nothing by it", async () => {
      const engine = await open()
      const news = (name: string, day?: string) =>
        aPage(name, {
          markdown: `${plain} Edition ${name}.`,
          topic: "news",
          publishedAt: day ? new Date(day) : null,
        })
      await engine.index([
        aPage("general", { markdown: plain }),
        news("undated"),
        news("lastyear", "2025-01-01"),
        news("yesterday", "2026-01-01"),
      ])
      await engine.settled()
      const hits = await preferring(engine, { topic: "news", recentAt: new Date("2026-01-02") })
      expect(hits[0]!.url).toBe(urlOf("yesterday"))
      expect(hits.at(-1)!.url).toBe(urlOf("general"))
      const gain = (name: string) => {
        const { parts } = hits.find((hit) => hit.url === urlOf(name))!
        return parts.boost / parts.fused
      }
      expect(gain("undated")).toBeLessThan(gain("yesterday"))
      expect(gain("lastyear")).toBeCloseTo(gain("undated"), 3)
    })

    test("finds its pages though many others match better", async () => {
      const engine = await open()
      const others = Array.from({ length: 400 }, (_, i) =>
        aPage(`o/${i}`, { markdown: `Cherry cake recipe ${rareWord(i)}: cherry cake, cherry cake.` }),
      )
      const far = aPage("https://far.example/", { markdown: "A cherry cake recipe and something else." })
      await engine.index([...others, far])
      await engine.settled()
      for (const arms of ["hybrid", "lexical"] as const) {
        const query = { text: "cherry cake recipe", limit: 400, arms }
        const preference = { domains: ["far.example"] }
        const { hits } = await engine.search({ ...query, limit: 20, preference })
        expect({ arms, urls: hits.map((hit) => hit.url) }).toMatchObject({
          arms,
          urls: expect.arrayContaining([far.url]),
        })
        const both = { ...query, limit: 20, preference, filter: { excludeDomains: ["far.example"] } }
        expect((await engine.search(both)).hits.map((hit) => hit.url)).not.toContain(far.url)
      }
    })
  })
}
