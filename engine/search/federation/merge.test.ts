import { describe, expect, test } from "vitest"
import type { Hit } from "../../engine.ts"
import { aPage } from "../../testing/pages.ts"
import { merged } from "./merge.ts"

const hit = (address: string, lexical: number, more: Partial<Hit> = {}): Hit => ({
  ...aPage(address, { title: address, source: "a" }),
  type: "html",
  score: 0.9,
  passages: [],
  parts: { lexical, passage: 0, vector: lexical, late: 0, rerank: 0, fused: 0, boost: 0 },
  evidence: {
    fingerprint: { exact: address, similar: null },
    hasVectors: true,
    holdsPhrases: false,
    lacksNumbers: 0,
  },
  ...more,
})
const urls = (hits: readonly Hit[]) => hits.map(({ url }) => new URL(url).pathname.slice(1))
const asked = { text: "pump", limit: 5 }

describe("hits from several indexes", () => {
  test("rank by their evidence, whatever their original scores", async () => {
    const weak = [hit("https://b.example/weak", 0.2, { score: 0.99 })]
    const strong = [hit("https://a.example/strong", 0.8, { score: 0.5 })]
    const hits = await merged(asked, [{ hits: weak }, { hits: strong }])
    expect(urls(hits)).toEqual(["strong", "weak"])
    expect(hits[0]!.score).toBeGreaterThan(hits[1]!.score)
  })

  test("include one page per address, from the first index, and one per text", async () => {
    const own = hit("https://a.example/page", 0.5, { source: "own" })
    const same = hit("https://a.example/page", 0.9, { source: "theirs" })
    const text = {
      title: "Pumps",
      evidence: { ...own.evidence!, fingerprint: { exact: "x", similar: "0123456789abcdef" } },
    }
    const copies = [hit("https://c.example/copy", 0.4, text), hit("https://d.example/copy-two", 0.3, text)]
    const hits = await merged(asked, [{ hits: [own, copies[0]!] }, { hits: [same, copies[1]!] }])
    expect(urls(hits)).toEqual(["page", "copy"])
    expect(hits[0]!.source).toBe("own")
    expect(hits[1]!.folded?.map(({ url }) => url)).toEqual(["https://d.example/copy-two"])
  })

  test("score low when none of the indexes has the words, but not when one has them", async () => {
    const found = [hit("https://a.example/page", 0.2)]
    const best = async (...nowhere: number[]) =>
      (await merged(asked, [...nowhere.map((one) => ({ hits: found, nowhere: one })), { hits: [] }]))[0]!
        .score
    expect(await best(0.9, 0.8)).toBeLessThan((await best(0.9, 0)) / 5)
  })

  test("come first when they contain a quoted phrase", async () => {
    const holding = hit("https://b.example/holding", 0.3)
    const hits = await merged(asked, [
      { hits: [hit("https://a.example/other", 0.8)] },
      { hits: [{ ...holding, evidence: { ...holding.evidence!, holdsPhrases: true } }] },
    ])
    expect(urls(hits)).toEqual(["holding", "other"])
  })

  test("follow the operator's boosts everywhere, and keep the local index's pins in place", async () => {
    const boost = { id: "b", kind: "boost", where: { sources: ["peer/x"] }, factor: 3 } as never
    const theirs = hit("https://b.example/theirs", 0.3, { source: "peer/x" })
    const pinned = hit("https://a.example/pinned", 0.1, { rules: [{ id: "p", kind: "pin", position: 2 }] })
    const hits = await merged({ ...asked, rules: [boost] }, [
      { hits: [hit("https://a.example/ours", 0.5), pinned] },
      { hits: [theirs] },
    ])
    expect(urls(hits)).toEqual(["theirs", "pinned", "ours"])
    const scores = hits.map(({ score }) => score)
    expect(scores).toEqual(scores.toSorted((a, b) => b - a))
    expect(hits[0]!.rules).toEqual([{ id: "b", kind: "boost", factor: 3 }])
  })

  test("are left out without evidence, since their quality is unknown", async () => {
    const { evidence: _evidence, ...bare } = hit("https://a.example/bare", 0.9)
    expect(await merged(asked, [{ hits: [bare] }])).toEqual([])
  })
})
