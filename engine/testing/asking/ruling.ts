import { describe, expect, test } from "vitest"
import type { Engine, Query } from "../../engine.ts"
import type { Rule } from "../../search/rules/rule.ts"
import { aPage } from "../pages.ts"
import type { Stage } from "../contract/stage.ts"

export function rulesOfTheOperator({ open }: Stage): void {
  describe("rules", () => {
    const asking =
      (engine: Engine) =>
      async (text: string, rules: readonly Rule[], query: Partial<Query> = {}): Promise<string[]> => {
        const { hits } = await engine.search({ text, limit: 5, depth: "fast", rules, ...query })
        for (const [i, hit] of hits.entries()) expect(hit.score).toBeLessThanOrEqual(hits[i - 1]?.score ?? 1)
        return hits.map(({ url }) => url.slice("https://docs.example.com/".length))
      }

    test("synonyms find each other, one way or both, as words and phrases, below the word as written", async () => {
      const engine = await open({ embedding: "off" })
      const body = "A page of words."
      await engine.index([
        aPage("written", { title: "Kubernetes setup", markdown: `Kubernetes. ${body}` }),
        aPage("short", { title: "K8s setup", markdown: `K8s. ${body}` }),
        aPage("sign", { title: "Sign in", markdown: `How to sign in here. ${body}` }),
        aPage("login", { title: "Login", markdown: `Login page. ${body}` }),
      ])
      const ask = asking(engine)
      const both: Rule = { id: "k8s", kind: "synonym", words: ["k8s", "kubernetes"] }
      expect(await ask("kubernetes", [])).toEqual(["written"])
      expect(await ask("kubernetes", [both])).toEqual(["written", "short"])
      expect(await ask("k8s", [both])).toEqual(["short", "written"])
      const oneWay: Rule = { id: "login", kind: "synonym", from: ["login"], to: ["sign in"] }
      expect(await ask("login", [oneWay])).toEqual(["login", "sign"])
      expect(await ask("sign in", [oneWay])).toEqual(["sign"])
      const phrase: Rule = { id: "phrase", kind: "synonym", words: ["sign in", "login"] }
      expect(await ask("sign in", [phrase])).toEqual(["sign", "login"])
      expect(await ask('"sign in"', [phrase])).toEqual(["sign"])
      const { hits } = await engine.search({ text: "k8s", limit: 2, depth: "fast", rules: [both] })
      expect(hits[1]!.rules).toEqual([{ id: "k8s", kind: "synonym", question: "kubernetes" }])
      const counted = { text: "k8s", fields: ["type"] as const }
      expect((await engine.facets({ ...counted, rules: [both] })).pages).toBe(2)
      expect((await engine.facets(counted)).pages).toBe(1)
    })

    test("pins put a page in its place, within filters and exclusions, and none that is gone", async () => {
      const engine = await open({ embedding: "off" })
      await engine.index([
        aPage("one", { title: "Pumps one", markdown: "Pumps, pumps." }),
        aPage("two", { title: "Pumps two", markdown: "About pumps." }),
        aPage("pinned", { title: "Start here", markdown: "Nothing about them.", source: "start" }),
      ])
      const ask = asking(engine)
      const pin = (given: object = {}): Rule[] => [
        {
          id: "start",
          kind: "pin",
          questions: ["Pumps!"],
          url: "https://docs.example.com/pinned",
          ...given,
        },
      ]
      const plain = await ask("pumps", [])
      expect(plain).not.toContain("pinned")
      expect(await ask("PUMPS", pin())).toEqual(["pinned", ...plain])
      expect(await ask("pumps", pin({ position: 2 }))).toEqual([plain[0], "pinned", plain[1]])
      expect(await ask("pumps", pin({ url: "https://docs.example.com/two" }))).toEqual(["two", "one"])
      expect(await ask("pumps repair", pin())).not.toContain("pinned")
      expect(await ask("repairing a pump", pin({ match: "words", questions: ["pumps"] }))).toContain("pinned")
      expect(await ask("pumps", pin(), { limit: 1 })).toEqual(["pinned"])
      expect(await ask("pumps", pin(), { filter: { sources: ["docs"] } })).toEqual(plain)
      expect(await ask("pumps site:example.org", pin())).toEqual([])
      expect(await ask("pumps -nothing", pin({ questions: ["pumps", "pumps -nothing"] }))).toEqual(plain)
      expect(await ask("zebra", pin({ questions: ["zebra"] }))).toEqual(["pinned"])
      const { hits } = await engine.search({ text: "pumps", limit: 1, depth: "fast", rules: pin() })
      expect(hits[0]!.rules).toEqual([{ id: "start", kind: "pin", position: 1 }])
      await engine.remove([aPage("pinned").url])
      expect(await ask("pumps", pin())).toEqual(plain)
    })

    test("boosts move pages up and down by what they are, and say so", async () => {
      const engine = await open({ embedding: "off" })
      const page = (address: string, given: Parameters<typeof aPage>[1] = {}) =>
        aPage(address, { title: `Pumps of ${address}`, markdown: `Pumps, as ${address} has them.`, ...given })
      await engine.index([
        page("v1/guide", { publishedAt: new Date("1990-01-01") }),
        page("v2/guide", { source: "new", language: "de" }),
        page("sheet.pdf", { publishedAt: new Date("2020-01-01") }),
      ])
      const ask = asking(engine)
      const boost = (where: object, factor: number): Rule[] => [{ id: "boost", kind: "boost", where, factor }]
      for (const [where, raised] of [
        [{ sources: ["new"] }, "v2/guide"],
        [{ paths: ["/v1/*"] }, "v1/guide"],
        [{ languages: ["de"] }, "v2/guide"],
        [{ types: ["pdf"] }, "sheet.pdf"],
        [{ youngerThanDays: daysSince("2000-01-01") }, "sheet.pdf"],
        [{ domains: ["example.com"], paths: ["*.pdf"] }, "sheet.pdf"],
      ] as const) {
        expect((await ask("pumps", boost(where, 2)))[0]).toBe(raised)
        expect((await ask("pumps", boost(where, 0.5))).at(-1)).toBe(raised)
      }
      const none = boost({ sources: ["none"], types: ["pdf"] }, 4)
      expect(await ask("pumps", none)).toEqual(await ask("pumps", []))
      const rules = boost({ types: ["pdf"] }, 2)
      const { hits } = await engine.search({ text: "pumps", limit: 3, depth: "fast", rules })
      expect(hits.map((hit) => hit.rules)).toEqual([
        [{ id: "boost", kind: "boost", factor: 2 }],
        undefined,
        undefined,
      ])
    })
  })
}

/** Requests to a server are recorded, so page dates are fixed, and the age limit has to grow with time. */
const daysSince = (date: string) => Math.ceil((Date.now() - Date.parse(date)) / 864e5)
