import { describe, expect, test } from "vitest"
import type { PagePreference } from "../../engine.ts"
import type { PageFacts } from "../../index/page/page-facts.ts"
import { boosted, isPreference, raised, RECENT_MS, type Boosted } from "./preferences.ts"
import { spreadHosts } from "./crowding.ts"
import { DEPTHS } from "./depths.ts"
import { compareAddresses } from "../../index/page/preferred-address.ts"
import { collapse } from "./duplicates.ts"
import { fuse, nearnessOf, type Ranked, toRerank, withReranker } from "./fusion.ts"
import { withLateInteraction } from "./late-order.ts"
import { readableFirst } from "./languages.ts"
import { pageFacts } from "./testing/page-facts.ts"

// Tests the figures that the comments promise, one by one.

const DAY = 86_400_000
const one = (id: string, fused: number, more: Partial<Boosted> = {}): Boosted => ({
  id,
  lexical: fused,
  vector: 0,
  late: 0,
  rerank: 0,
  fused,
  boost: 0,
  score: fused / 2,
  ...more,
})
const facts = (given: Readonly<Record<string, Partial<PageFacts>>>): ReadonlyMap<string, PageFacts> =>
  new Map(Object.entries(given).map(([id, about]) => [id, pageFacts(id, about)]))

describe("a preference adds", () => {
  const at = new Date("2026-01-31")
  const boostOf = (preference: PagePreference, about: Partial<PageFacts>) =>
    boosted([one("a", 0.5)], preference, facts({ a: about }))[0]!.boost / 0.5

  test.each<readonly [string, PagePreference, Partial<PageFacts>, number]>([
    ["a domain", { domains: ["a.example"] }, {}, 0.4],
    ["another domain", { domains: ["b.example"] }, {}, 0],
    ["a language", { languages: ["de"] }, { language: "de" }, 0.15],
    ["another language", { languages: ["de"] }, { language: "fr" }, 0],
    ["a language, of a page of none", { languages: ["de"] }, {}, 0],
    ["a country", { countries: ["fr"] }, { country: "fr" }, 0.15],
    ["a country, of a page of none", { countries: ["fr"] }, {}, 0],
    ["another country", { countries: ["fr"] }, { country: "de" }, 0],
    ["a topic", { topic: "news" }, { topic: "news" }, 0.5],
    ["another topic", { topic: "news" }, { topic: "finance" }, 0],
    ["today", { recentAt: at }, { published: at.getTime() }, 0.3],
    ["tomorrow", { recentAt: at }, { published: at.getTime() + DAY }, 0.3],
    ["a month", { recentAt: at }, { published: at.getTime() - 30 * DAY }, 0.15],
    ["two months", { recentAt: at }, { published: at.getTime() - 60 * DAY }, 0.075],
    ["no date", { recentAt: at }, {}, 0],
    ["no wish for what is recent", { languages: ["de"] }, { published: at.getTime() }, 0],
    [
      "all of it",
      { domains: ["a.example"], languages: ["de"], topic: "news" },
      { language: "de", topic: "news" },
      1.05,
    ],
    ["a language, of a list", { languages: ["de"] }, { language: "de", isListing: true }, -0.1],
  ])("for %s", (_, preference, about, share) => {
    expect(boostOf(preference, about)).toBeCloseTo(share, 9)
  })

  test("nothing to unknown pages, and nothing when empty", () => {
    expect(boosted([one("a", 0.5)], { languages: ["de"] }, new Map())[0]!.boost).toBe(0)
    expect(
      [undefined, {}, { domains: [], languages: [], countries: [] }].map((given) => isPreference(given)),
    ).toEqual([false, false, false])
    const given: PagePreference[] = [
      { domains: ["a"] },
      { languages: ["a"] },
      { countries: ["a"] },
      { topic: "news" },
      { recentAt: at },
    ]
    expect(given.map((one) => isPreference(one))).toEqual([true, true, true, true, true])
    expect(RECENT_MS).toBe(90 * DAY)
  })
})

describe("moving a page", () => {
  const listed = [one("a", 0.8, { score: 0.8 }), one("b", 0.6, { score: 0.5 }), one("c", 0.4, { score: 0.4 })]
  const moved = (id: string, preference: PagePreference, about: Partial<PageFacts> = {}) =>
    boosted(listed, preference, facts({ [id]: about }))

  test("gives it the score that belongs to its new value", () => {
    // 0.6 plus 15% of that is 0.69, which is 0.45 of the way from 0.6 to 0.8.
    const [, second] = moved("b", { languages: ["de"] }, { language: "de" })
    expect(second).toMatchObject({ id: "b", boost: expect.closeTo(0.09, 9) })
    expect(second!.score).toBeCloseTo(0.5 + 0.45 * 0.3, 9)
    expect(moved("b", { topic: "news" }, { topic: "news" }).map(({ id, score }) => [id, score])).toEqual([
      ["b", 0.8],
      ["a", 0.8],
      ["c", 0.4],
    ])
  })

  test("gives it the last score when it drops below the last", () => {
    const [, , last] = moved("c", {}, { isListing: true })
    expect(last).toMatchObject({ id: "c", boost: expect.closeTo(-0.1, 9), score: 0.4 })
  })

  test("gives it the score of its neighbours when they are equal", () => {
    const alike = [
      one("a", 0.6, { score: 0.6 }),
      one("b", 0.6, { score: 0.6 }),
      one("z", 0.48, { score: 0.2 }),
    ]
    const to = boosted(alike, { domains: ["z.example"] }, facts({ z: { isListing: true } }))
    // 0.48 plus 40% of that minus 25% of that is 0.552.
    expect(to.map(({ id }) => id)).toEqual(["a", "b", "z"])
    expect(to[2]!.score).toBeCloseTo(0.2 + (0.072 / 0.12) * 0.4, 9)
  })

  test("orders it by id among pages of the same value", () => {
    const tie = boosted(
      [one("b", 0.5), one("a", 0.5), one("c", 0.4)],
      { topic: "news" },
      facts({ a: { topic: "news" }, b: { topic: "news" } }),
    )
    expect(tie.map(({ id }) => id)).toEqual(["a", "b", "c"])
  })

  test("does not happen without a preference", () => {
    const order = [one("b", 0.5, { score: 0.5 }), one("a", 0.5, { score: 0.4 })]
    expect(boosted(order, undefined, facts({ a: {}, b: {} }))).toEqual(order)
  })
})

describe("pages that contain a phrase", () => {
  const ranked = [
    one("a", 0.8, { score: 0.9, boost: 0.1 }),
    one("b", 0.5, { score: 0.5 }),
    one("c", 0.4, { score: 0.95, boost: 0.2 }),
  ]

  test("come first in their order, with at least the best score of the others", () => {
    const up = raised(ranked, new Set(["b", "c"]))
    expect(up.map(({ id }) => id)).toEqual(["b", "c", "a"])
    expect(up.map(({ boost }) => boost)).toEqual([expect.closeTo(0.99, 9), expect.closeTo(1.19, 9), 0.1])
    expect(up.map(({ score }) => score)).toEqual([0.9, 0.95, 0.9])
  })

  test("change nothing when all or none contain it", () => {
    expect(raised(ranked, new Set())).toBe(ranked)
    expect(raised(ranked, new Set(["x"]))).toBe(ranked)
    expect(raised(ranked, new Set(["a", "b", "c"]))).toBe(ranked)
    expect(raised([], new Set(["a"]))).toEqual([])
  })
})

describe("pages with the same text", () => {
  const readsAll = () => true
  const same = { title: "Same", fingerprint: { exact: "same", similar: "0123456789abcdef" } }
  const translated = (language: string) => ({
    url: `https://t.example/${language}/guide`,
    host: "t.example",
    language,
  })

  test("are folded behind the displayed one, best first, ten at most", () => {
    const many = Array.from({ length: 13 }, (_, at) => one(`m${String(at).padStart(2, "0")}`, 0.9 - at / 100))
    const [hit, ...others] = collapse(
      many,
      facts(Object.fromEntries(many.map(({ id }) => [id, same]))),
      readsAll,
    )
    expect(others).toEqual([])
    expect(hit!.id).toBe("m00")
    expect(hit!.folded).toEqual(many.slice(1, 11).map(({ id }) => ({ id, kind: "copy" })))
    expect("folded" in collapse([one("a", 0.5)], facts({ a: same }), readsAll)[0]!).toBe(false)
  })

  test("are shown under a plainer address when its value is within a fiftieth", () => {
    const shown = (value: number) =>
      collapse(
        [one("long", 0.5, { boost: 0.5 }), one("s", value - 0.4, { boost: 0.4 })],
        facts({
          long: { ...same, url: "https://x.example/long" },
          s: { ...same, url: "https://x.example/s" },
        }),
        readsAll,
      )[0]!
    expect(shown(0.98)).toMatchObject({ id: "s", fused: 0.5, folded: [{ id: "long", kind: "copy" }] })
    expect(shown(0.979)).toMatchObject({ id: "long" })
  })

  test("in two languages are one, shown in the user's language", () => {
    const about = facts({ a: translated("en"), b: translated("de"), c: {} })
    const ranked = [one("a", 0.9), one("c", 0.8), one("b", 0.7)]
    const german = collapse(ranked, about, (language) => language === "de")
    expect(german.map(({ id }) => id)).toEqual(["b", "c"])
    expect(german[0]).toMatchObject({ fused: 0.9, folded: [{ id: "a", kind: "translation" }] })
    expect(collapse(ranked, about, readsAll).map(({ id }) => id)).toEqual(["a", "c"])
    expect(collapse(ranked, about, () => false).map(({ id }) => id)).toEqual(["a", "c"])
    // There are no facts about x.
    for (const [first, second] of ["xa", "ax"])
      expect(collapse([one(first!, 0.9), one(second!, 0.8)], about, readsAll).map(({ id }) => id)).toEqual([
        first,
        second,
      ])
  })

  test("prefer addresses by their form, then alphabetically", () => {
    const better = (a: string, b: string) => [compareAddresses(a, b) < 0, compareAddresses(b, a) > 0]
    expect(better("https://x.example/a", "https://x.example/b")).toEqual([true, true])
    expect(compareAddresses("https://x.example/a", "https://x.example/a")).toBe(0)
    for (const print of [
      "https://x.example/print",
      "https://x.example/a?print=1",
      "https://x.example/amp/a",
      "https://x.example/a/printable",
    ])
      expect([print, ...better(`https://x.example/${"long".repeat(9)}?q=1`, print)]).toEqual([
        print,
        true,
        true,
      ])
    expect(better("https://x.example/printer-driver-long", "https://x.example/print")).toEqual([true, true])
    expect(better("https://x.example/long/path", "https://x.example/?q")).toEqual([true, true])
  })
})

describe("pages that the user cannot read", () => {
  const reads = (language: string) => language === "de"
  const about = facts({ a: { language: "en" }, b: { language: "de" }, c: {} })

  test("lose 0.15 of their value, and those in an unknown language nothing", () => {
    const ranked = [one("a", 0.6, { boost: 0.2 }), one("b", 0.5), one("c", 0.4), one("x", 0.3)]
    expect(readableFirst(ranked, reads, about).map(({ boost }) => boost)).toEqual([
      expect.closeTo(0.08, 9),
      0,
      0,
      0,
    ])
  })

  test("lose nothing when all pages or none are unreadable", () => {
    const [unread, read] = [[one("a", 0.8)], [one("b", 0.8), one("c", 0.5)]]
    expect(readableFirst(unread, reads, about)).toBe(unread)
    expect(readableFirst(read, reads, about)).toBe(read)
  })
})

test("a host that has used up its places gives way to pages worth at least 0.92 of its own", () => {
  const host = { host: "www.big.example" }
  const bigs = ["b0", "b1", "b2"].map((id) => one(id, 0.5, { boost: 0.5 }))
  const about = (id: string) =>
    facts({ b0: host, b1: { host: "big.example" }, b2: host, [id]: { host: "www.big.example.org" } })
  const ids = (value: number) =>
    spreadHosts([...bigs, one("o", value - 0.5, { boost: 0.5 })], 3, about("o")).map(({ id }) => id)
  expect(ids(0.92)).toEqual(["b0", "b1", "o"])
  expect(ids(0.919)).toEqual(["b0", "b1", "b2"])
  const deep = { host: "docs.www.example" }
  const others = facts({ b0: deep, b1: deep, b2: deep, o: { host: "docs.example" } })
  expect(spreadHosts([...bigs, one("o", 1)], 3, others).map(({ id }) => id)).toEqual(["b0", "b1", "o"])
  // Nothing is known about these pages: each counts as being on a separate host.
  expect(spreadHosts(bigs, 3, new Map()).map(({ id }) => id)).toEqual(["b0", "b1", "b2"])
})

describe("a reranker", () => {
  const found = (words: number) =>
    fuse(
      ["a", "b", "c"].map((id, at) => ({ id, words: words - at / 50, cosine: 0.5 - at / 50 })),
      { hasWords: true },
    )

  test("reads the first ten, unless a page has 0.45 of the words", () => {
    const many = Array.from({ length: 14 }, (_, at): Ranked => one(`p${at}`, 0.4))
    expect(toRerank(many).map(({ id }) => id)).toEqual(many.slice(0, 10).map(({ id }) => id))
    expect(toRerank(many.with(9, one("p9", 0.45)))).toEqual([])
    expect(toRerank(many.with(10, one("p10", 0.9)))).toHaveLength(10)
  })

  test.each([6, 12])(
    "changes values by a tenth over %i of log-odds, and the best keeps the best value",
    (range) => {
      const before = found(0.3)
      const even = 1 / (1 + Math.exp(range / 2))
      const after = withReranker(
        before,
        new Map([
          ["a", even],
          ["b", 0.5],
          ["c", 1 - even],
        ]),
      )
      const mixed = {
        a: 0.9 * before[0]!.fused,
        b: 0.9 * before[1]!.fused + 0.05,
        c: 0.9 * before[2]!.fused + 0.1,
      }
      const shift = before[0]!.fused - Math.max(...Object.values(mixed))
      expect(after.map(({ id }) => id)).toEqual(["c", "b", "a"])
      for (const { id, fused } of after) expect(fused).toBeCloseTo(mixed[id as "a"] + shift, 9)
      expect(after.map(({ rerank }) => rerank)).toEqual([1 - even, 0.5, even])
      expect(after[0]!.fused).toBeCloseTo(before[0]!.fused, 9)
    },
  )

  test("does not stretch smaller differences, and moves 0 and 1 inwards by a millionth", () => {
    const before = found(0.3)
    const [best] = withReranker(
      before,
      new Map([
        ["a", 0.5],
        ["b", 0.5],
      ]),
    )
    expect(best!.id).toBe("a")
    const sure = withReranker(
      before,
      new Map([
        ["a", 0],
        ["b", 1],
      ]),
    )
    const nearly = withReranker(
      before,
      new Map([
        ["a", 1e-6],
        ["b", 1 - 1e-6],
      ]),
    )
    expect(sure.map(({ fused }) => fused)).toEqual(nearly.map(({ fused }) => fused))
    // A page that wasn't read counts as the worst possible.
    expect(sure.find(({ id }) => id === "c")).toMatchObject({ rerank: 0 })
    expect(withReranker(before, new Map())).toEqual(before)
  })

  test("keeps values positive, and scores like a late ranking if there was one", () => {
    const low = [one("a", 0.9), one("b", 1e-9)] as Ranked[]
    const after = withReranker(
      low,
      new Map([
        ["a", 1],
        ["b", 1e-6],
      ]),
    )
    expect(after.at(-1)!.fused).toBeGreaterThan(0)
    const scoreOf = (late: number) =>
      withReranker([{ ...low[0]!, late }, low[1]!], new Map([["a", 1]]))[0]!.score
    // The logistic of each calibration at its best value.
    const logistic = (value: number) => 1 / (1 + Math.exp(-value))
    expect(scoreOf(0)).toBeCloseTo(logistic(-8.87 + 6.14 + 5.84 * 0.9), 9)
    expect(scoreOf(0.5)).toBeCloseTo(logistic(-8.35 + 5.95 + 5.27 * 0.9), 9)
  })
})

describe("late interaction", () => {
  const ranked = [one("a", 0.5, { lexical: 0 }), one("b", 0.4, { lexical: 0 }), one("c", 0.3, { lexical: 0 })]

  test("weighs 0.4 when no page has the words, and treats unread pages like similar read ones", () => {
    const after = withLateInteraction(
      ranked,
      new Map([
        ["a", 0.2],
        ["b", 0.9],
      ]),
    )
    expect(after.map(({ id, late }) => [id, late])).toEqual([
      ["b", 0.9],
      ["c", 0],
      ["a", 0.2],
    ])
    expect(after.map(({ fused }) => fused)).toEqual([0.6, 0.4, 0.38].map((value) => expect.closeTo(value, 9)))
    for (const { fused, score } of after)
      expect(score).toBeCloseTo(1 / (1 + Math.exp(8.35 - 5.95 * (fused / 0.6) ** 2 - 5.27 * 0.6)), 9)
  })

  test("weighs half of that when a page has half of enough, and nothing when none was read", () => {
    const half = withLateInteraction([one("a", 0.5, { lexical: 0.24 })], new Map([["a", 1]]))
    expect(half[0]!.fused).toBeCloseTo(0.8 * 0.5 + 0.2, 9)
    expect(withLateInteraction(ranked, new Map())).toEqual(ranked)
  })
})

test("a cosine's nearness is its position between unrelated and same", () => {
  const range = { unrelated: 0.2, same: 0.7 }
  expect([0.2, 0.7, 0.45, 0.1].map((cosine) => nearnessOf(cosine, range))).toEqual(
    [0, 1, 0.5, -0.2].map((value) => expect.closeTo(value, 9)),
  )
})

test("each depth does as much as its comment says", () => {
  expect(DEPTHS).toEqual({
    "ultra-fast": { arms: "lexical", latePages: 0, pages: 60, passages: 0, read: 20 },
    fast: { arms: "lexical", latePages: 0, pages: 60, passages: 0, read: 20 },
    basic: { arms: "hybrid", latePages: 0, pages: 60, passages: 60, read: 10 },
    advanced: { arms: "hybrid", latePages: 16, pages: 60, passages: 150, read: 20 },
  })
})
