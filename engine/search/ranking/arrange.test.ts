import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { arrange } from "./arrange.ts"
import { compareAddresses } from "../../index/page/preferred-address.ts"
import type { PagePreference } from "../../engine.ts"
import type { Ranked } from "./fusion.ts"
import type { PageFacts } from "../../index/page/page-facts.ts"
import { pageFacts } from "./testing/page-facts.ts"

const DAY = 24 * 60 * 60 * 1000

interface Given extends Partial<PageFacts> {
  readonly id: string
  readonly fused: number
}

/** A ranking of pages that differ, each on its own host unless stated otherwise; nothing is known about deleted ones. */
function arranged(
  given: readonly Given[],
  limit = 10,
  preference?: PagePreference,
  gone: readonly string[] = [],
) {
  const ranked = given.map(({ id, fused }): Ranked => ({
    id,
    fused,
    rerank: 0,
    lexical: fused,
    vector: 0,
    late: 0,
    score: fused ** 2,
  }))
  const facts = new Map(given.map(({ id, fused: _fused, ...about }) => [id, pageFacts(id, about)]))
  const factsOf = async (ids: readonly string[]) =>
    new Map(ids.flatMap((id) => (gone.includes(id) ? [] : [[id, facts.get(id)!]])))
  return arrange(ranked, { limit, preference, factsOf })
}
const ids = (hits: readonly { id: string }[]) => hits.map(({ id }) => id).join("")

describe("a preference", () => {
  const given: Given[] = [
    { id: "a", fused: 0.6 },
    { id: "b", fused: 0.5, topic: "news", published: Date.now() },
    { id: "c", fused: 0.1, topic: "news", published: Date.now() },
  ]

  it("moves a page up by a share of its value, so weak matches stay behind", async () => {
    const hits = await arranged(given, 10, { topic: "news" })
    expect(ids(hits)).toBe("bac")
    expect(hits[0]!.boost).toBeGreaterThan(0.1)
    expect(hits[2]!.boost).toBeLessThan(0.1)
  })

  it("gives the score that belongs to the new value, and at most the best one", async () => {
    const hits = await arranged(given, 10, { topic: "news" })
    expect(hits[0]!.score).toBeCloseTo(0.36)
    const [, between] = await arranged(
      [...given.slice(0, 1), { id: "x", fused: 0.4, language: "fr" }, { id: "y", fused: 0.3 }],
      10,
      {
        languages: ["fr"],
      },
    )
    expect(between).toMatchObject({ id: "x" })
    expect(between!.score).toBeGreaterThan(0.16)
    expect(between!.score).toBeLessThan(0.36)
  })

  it("for recent pages halves with age, and leaves undated pages unchanged", async () => {
    const recentAt = new Date("2026-01-31")
    const at = (days: number) => recentAt.getTime() - days * DAY
    const hits = await arranged(
      [
        { id: "old", fused: 0.5, published: at(3000) },
        { id: "none", fused: 0.5 },
        { id: "month", fused: 0.5, published: at(30) },
        { id: "today", fused: 0.5, published: at(0) },
        { id: "future", fused: 0.5, published: at(-400) },
      ],
      10,
      { recentAt },
    )
    const boost = (id: string) => hits.find((hit) => hit.id === id)!.boost
    expect(boost("none")).toBe(0)
    expect(boost("old")).toBeCloseTo(0)
    expect(boost("month")).toBeCloseTo(boost("today") / 2)
    expect(boost("future")).toBe(boost("today"))
  })

  it("adds to other preferences, and an empty one has no effect", async () => {
    const page = [{ id: "a", fused: 0.5, language: "fr", country: "ca" }]
    const one = (await arranged(page, 1, { languages: ["fr"] }))[0]!.boost
    const two = (await arranged(page, 1, { languages: ["fr"], countries: ["ca"] }))[0]!.boost
    expect(two).toBeGreaterThan(one)
    expect((await arranged(page, 1, { languages: [], domains: [] }))[0]!.boost).toBe(0)
  })
})

describe("a listing page", () => {
  const listing = { isListing: true } as const

  it("comes after pages that match about as well, and before much weaker ones", async () => {
    const hits = await arranged([
      { id: "l", fused: 0.8, ...listing },
      { id: "a", fused: 0.7 },
      { id: "b", fused: 0.61 },
      { id: "c", fused: 0.59 },
    ])
    expect(ids(hits)).toBe("ablc")
    expect(hits.map(({ boost }) => boost)).toEqual([0, 0, expect.closeTo(-0.2), 0])
    expect(hits[2]!.score).toBeGreaterThanOrEqual(hits[3]!.score)
    expect(hits[2]!.score).toBeLessThanOrEqual(hits[1]!.score)
  })

  it("is never lost, even if it is the only one", async () => {
    expect(ids(await arranged([{ id: "l", fused: 0.3, ...listing }]))).toBe("l")
  })

  it("has its penalty subtracted from the boost of a preference", async () => {
    const hits = await arranged([{ id: "l", fused: 0.5, language: "fr", ...listing }], 1, {
      languages: ["fr"],
    })
    expect(hits[0]!.boost).toBeCloseTo(0.5 * (0.15 - 0.25))
  })

  it("gives way to articles beyond the first ones considered", async () => {
    const lists = Array.from({ length: 40 }, (_, i) => ({ id: `l${i}`, fused: 0.8, ...listing }))
    const hits = await arranged([...lists, { id: "x", fused: 0.7 }, { id: "y", fused: 0.65 }], 2)
    expect(ids(hits)).toBe("xy")
  })
})

describe("duplicates", () => {
  const same = { title: "Same", fingerprint: { exact: "same", similar: "0123456789abcdef" } }

  it("appear once, in the best one's place, under the plainest address of the equally good ones", async () => {
    const hits = await arranged([
      { id: "a", fused: 0.9, ...same, url: "https://x.example/a?utm=1" },
      { id: "b", fused: 0.895, ...same, url: "https://x.example/a" },
      { id: "c", fused: 0.8 },
      { id: "d", fused: 0.7, ...same, url: "https://x.example/" },
    ])
    expect(ids(hits)).toBe("bc")
    expect(hits[0]!.score).toBeCloseTo(0.81)
  })

  it("give their places to others, however many they are", async () => {
    const many = Array.from({ length: 300 }, (_, i) => ({ id: `m${i}`, fused: 0.9, ...same }))
    expect(ids(await arranged([...many, { id: "x", fused: 0.5 }, { id: "y", fused: 0.4 }], 2))).toBe("m0x")
  })

  it("prefer a page's canonical-looking address", async () => {
    const addresses = [
      "https://x.example/a",
      "https://www.x.example/a",
      "https://x.example/a?b=1",
      "https://x.example/print/a",
      "http://x.example/a",
    ]
    expect([...addresses].reverse().sort(compareAddresses)).toEqual(addresses)
  })
})

describe("a crowding host", () => {
  const host = { host: "big.example" }
  const big = (count: number, fused: number, from = 0): Given[] =>
    Array.from({ length: count }, (_, i) => ({ id: `b${from + i}`, fused: fused - i * 0.001, ...host }))

  it("gives way to others that match nearly as well, and loses no page", async () => {
    const others = Array.from({ length: 4 }, (_, i) => ({ id: `o${i}`, fused: 0.58 - i * 0.001 }))
    const given = [...big(8, 0.6), ...others]
    expect(ids(await arranged(given, 5))).toBe("b0b1b2o0o1")
    expect(await arranged(given, 12)).toHaveLength(12)
    const scores = (await arranged(given, 12)).map(({ score }) => score)
    expect(scores).toEqual([...scores].sort((a, b) => b - a))
  })

  it("keeps its places ahead of weaker matches, with or without www", async () => {
    const given = [
      ...big(4, 0.6),
      { ...big(1, 0.59, 4)[0]!, host: "www.big.example" },
      { id: "o", fused: 0.4 },
    ]
    expect(ids(await arranged(given, 5))).toBe("b0b1b2b3b4")
  })

  it("is not limited when it is the only one", async () => {
    expect((await arranged(big(20, 0.6), 10)).map(({ id }) => id)).toEqual(big(10, 0.6).map(({ id }) => id))
  })
})

describe("any arrangement", () => {
  it("has each page once, at most as many as requested, with scores that never rise", async () => {
    const pages = fc.uniqueArray(
      fc.record(
        {
          id: fc.string({ minLength: 1, maxLength: 3, unit: fc.constantFrom("a", "b", "c", "d", "e", "f") }),
          fused: fc.double({ min: 0.01, max: 1, noNaN: true }),
          host: fc.constantFrom("one.example", "two.example", "three.example"),
          language: fc.constantFrom("en", "fr", null),
          topic: fc.constantFrom("news" as const, null),
          isListing: fc.constant(true as const),
          published: fc.option(fc.integer({ min: 0, max: 2e12 })),
        },
        { requiredKeys: ["id", "fused", "host", "language", "topic", "published"] },
      ),
      { selector: ({ id }) => id, maxLength: 120 },
    )
    await fc.assert(
      fc.asyncProperty(pages, fc.integer({ min: 1, max: 50 }), async (given, limit) => {
        const ranked = given.toSorted((a, b) => b.fused - a.fused)
        for (const preference of [
          undefined,
          { topic: "news" as const, languages: ["fr"], recentAt: new Date(2e12) },
        ]) {
          const hits = await arranged(ranked, limit, preference)
          expect(hits).toHaveLength(Math.min(limit, given.length))
          expect(new Set(hits.map(({ id }) => id)).size).toBe(hits.length)
          for (const [i, hit] of hits.entries()) {
            expect(hit.score).toBeLessThanOrEqual(hits[i - 1]?.score ?? 1)
            expect(hit.boost).toBeGreaterThanOrEqual(-0.25)
          }
        }
      }),
    )
  })
})

describe("pages that match equally", () => {
  it("are ordered by their addresses, whatever their ids", async () => {
    const alike: Given[] = [
      { id: "a", fused: 0.5, url: "https://x.example/docs/12" },
      { id: "b", fused: 0.5 + 1e-12, url: "https://y.example/docs/112" },
      { id: "c", fused: 0.5, url: "https://z.example/docs/2" },
      { id: "d", fused: 0.4, url: "https://w.example/" },
    ]
    expect(ids(await arranged(alike))).toBe("cabd")
    expect(ids(await arranged([alike[2]!, alike[1]!, alike[0]!, alike[3]!]))).toBe("cabd")
  })

  it("keep their order when one has been deleted and nothing is known about it", async () => {
    const alike: Given[] = [
      { id: "a", fused: 0.5, url: "https://x.example/docs/12" },
      { id: "b", fused: 0.5 },
    ]
    for (const given of [alike, alike.toReversed()])
      expect(ids(await arranged(given, 10, undefined, ["b"]))).toBe(ids(given))
  })
})

describe("the number of pages considered", () => {
  const lookedAt = async (given: readonly Given[], limit: number) => {
    const facts = new Map(given.map(({ id, fused: _fused, ...about }) => [id, pageFacts(id, about)]))
    const ranked = given.map(({ id, fused }): Ranked => ({
      id,
      fused,
      rerank: 0,
      lexical: fused,
      vector: 0,
      late: 0,
      score: fused,
    }))
    let asked = 0
    const factsOf = async (wanted: readonly string[]) => {
      asked += wanted.length
      return facts
    }
    const hits = await arrange(ranked, { limit, preference: undefined, factsOf })
    return [hits.length, asked]
  }
  /** Pages with texts that are each repeated on this many consecutive pages. */
  const texts = (count: number, copies: number): Given[] =>
    Array.from({ length: count }, (_, i) => ({
      id: `p${i}`,
      fused: 1 - i / 1000,
      title: `title ${Math.floor(i / copies)}`,
      fingerprint: { exact: `text ${Math.floor(i / copies)}`, similar: null },
    }))

  it("is just enough for the requested number of distinct ones", async () => {
    expect(await lookedAt(texts(60, 1), 5)).toEqual([5, 15])
    expect(await lookedAt(texts(60, 1), 10)).toEqual([10, 30])
    expect(await lookedAt(texts(60, 3), 5)).toEqual([5, 15])
    expect(await lookedAt(texts(60, 4), 5)).toEqual([5, 30])
    expect(await lookedAt(texts(40, 20), 5)).toEqual([2, 40])
    // One more page is examined because of the list page.
    const [list, ...others] = texts(60, 1)
    expect(await lookedAt([{ ...list!, isListing: true }, ...others], 5)).toEqual([5, 16])
  })
})
