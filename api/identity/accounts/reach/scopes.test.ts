import { describe, expect, test } from "vitest"

import type { ReadOptions } from "#crawler"
import type { FacetCounts, FacetQuery, Page, PageUrl, SuggestionQuery } from "#engine"
import { aPage, urlOf } from "#engine/testing/pages.ts"

import type { Peer } from "../../../services/federation/peer.ts"
import { sourceOfPeer } from "../../../services/federation/peers-file.ts"
import { hit } from "../../../testing/fake-engine.ts"
import { type KeyScope, UNLIMITED } from "../keys/key-scope.ts"
import { knownNames, NAMELESS } from "./known-names.ts"
import { reachOf, type ReachParts } from "./reach.ts"
import {
  limitsText,
  narrowed,
  pageLimits,
  type PageLimits,
  scopedEngine,
  scopedPage,
} from "./scoped-pages.ts"
import { NO_READERS } from "../../../testing/no-readers.ts"

// Tests the effect of a scope on each way of reaching the index and the web; reach.test.ts tests the endpoints that use
// them.

const limits = (given: Partial<PageLimits>): PageLimits => ({
  sources: null,
  domains: null,
  readable: null,
  ...given,
})
const scope = (given: Partial<KeyScope>): KeyScope => ({ ...UNLIMITED, ...given })

describe("a page of the index", () => {
  const page: Page = {
    ...aPage("https://docs.example.com/a", { source: "closed" }),
    sharedWith: ["open", "inner"],
  }

  test("is shown with only those of its sources that may be named", () => {
    expect(scopedPage(page, null)).toBe(page)
    expect(scopedPage(null, limits({ sources: ["open"] }))).toBeNull()
    expect(scopedPage(page, limits({ sources: ["open"] }))).toMatchObject({ source: "open" })
    expect(scopedPage(page, limits({ sources: ["open"] }))!.sharedWith ?? []).toEqual([])
    expect(scopedPage(page, limits({ sources: ["inner", "closed"] }))).toMatchObject({
      source: "closed",
      sharedWith: ["inner"],
    })
    expect(scopedPage(page, limits({ domains: ["example.com"] }))).toMatchObject({
      source: "closed",
      sharedWith: ["inner", "open"],
    })
  })

  test("is hidden from anyone who may see none of its sources, or not its site", () => {
    expect(scopedPage(page, limits({ sources: ["other"] }))).toBeNull()
    expect(scopedPage(page, limits({ sources: [] }))).toBeNull()
    expect(scopedPage(page, limits({ sources: ["open"], domains: ["example.org"] }))).toBeNull()
  })

  test("lists copies on other sites only if those are visible", async () => {
    const folded = ["https://docs.example.com/b", "https://vault.example.org/b"].map((address) => ({
      ...hit({ url: urlOf(address) }),
      kind: "copy" as const,
    }))
    const engine = { search: async () => ({ hits: [hit({ folded }), hit()] }) }
    const found = async (given: PageLimits | null) => {
      const { hits } = await scopedEngine(engine, async () => given).search({ text: "x", limit: 10 })
      return hits.map((one) => one.folded?.map(({ url }) => new URL(url).host))
    }
    expect(await found(null)).toEqual([["docs.example.com", "vault.example.org"], undefined])
    expect(await found(limits({ domains: ["example.com"] }))).toEqual([["docs.example.com"], undefined])
    expect(await found(limits({ sources: [hit().source] }))).toEqual([
      ["docs.example.com", "vault.example.org"],
      undefined,
    ])
  })
})

describe("a query within limits", () => {
  test("keeps only the sources that both allow", () => {
    const of = (sources: readonly string[] | undefined, mine: readonly string[] | null) =>
      narrowed(sources ? { sources } : {}, limits({ sources: mine }))
    expect(of(["a", "b", "c"], ["b", "c", "d"])).toEqual({ sources: ["b", "c"] })
    expect(of(["a"], ["b"])).toBeNull()
    expect(of(undefined, ["b"])).toEqual({ sources: ["b"] })
    expect(of(["a"], null)).toEqual({ sources: ["a"] })
    expect(of(undefined, [])).toBeNull()
  })

  test.each([
    ["example.com:8443", "example.com", ["example.com:8443"]],
    ["example.com", "docs.example.com:8443", ["docs.example.com:8443"]],
    ["example.com:8443", "example.com:8443", ["example.com:8443"]],
    ["example.com:8443", "example.com:9443", null],
    ["example.com", "docs.example.com", ["docs.example.com"]],
    ["example.com:8443", "example.org", null],
    ["example.com", "example.org", null],
  ])("uses the port that either names: %s and %s", (asked, mine, expected) => {
    const of = (includeDomains: string, domains: string) =>
      narrowed({ includeDomains: [includeDomains] }, limits({ domains: [domains] }))?.includeDomains ?? null
    expect([of(asked, mine), of(mine, asked)]).toEqual([expected, expected])
  })

  test("has the same text for callers who see the same pages, and no others", () => {
    const texts = [
      limitsText(null),
      limitsText(limits({})),
      limitsText(limits({ sources: [] })),
      limitsText(limits({ sources: ["a", "b"] })),
      limitsText(limits({ domains: ["a", "b"] })),
      limitsText(limits({ sources: ["a", "b"], domains: ["a", "b"] })),
    ]
    expect(new Set(texts).size).toBe(texts.length)
    expect(texts[0]).toBe("")
    const orders = [
      ["a", "b", "c"],
      ["b", "c", "a"],
      ["c", "b", "a"],
      ["c", "a", "b"],
    ]
    expect(new Set(orders.map((sources) => limitsText(limits({ sources }))))).toEqual(
      new Set(['[["a","b","c"],null]']),
    )
    expect(new Set(orders.map((domains) => limitsText(limits({ domains }))))).toEqual(
      new Set(['[null,["a","b","c"]]']),
    )
  })
})

/** The collections of an index with two sources: one collection contains one of the sources, and the other also names a source that isn't declared. */
const COLLECTIONS = { parts: ["open"], all: ["open", "closed", "nowhere"] } as const
const collections = {
  sourcesOf: async (names: readonly string[]) =>
    names.flatMap((name) => [...(COLLECTIONS[name as "parts"] ?? [])]),
  list: async () => Object.entries(COLLECTIONS).map(([name, sources]) => ({ name, sources })),
} as unknown as ReachParts["collections"]

describe("names", () => {
  const names = (given: Partial<KeyScope>, sources = ["open", "closed"]) =>
    knownNames(
      { scope: scope(given), principals: null },
      { collections, sourceNames: async () => sources, readers: NO_READERS },
    )

  test("of collections expand to their sources, together with the named ones", async () => {
    expect(await names({}).named({ collections: "parts", sources: ["closed"] })).toEqual(["closed", "open"])
    expect(await names({}).named({ collections: ["parts", "all"] })).toEqual(["open", "closed", "nowhere"])
    expect(await names({}).named({})).toBeUndefined()
    await expect(() => names({}).named({ collections: "prats" })).rejects.toThrow(
      /There is no collection "prats"; did you mean "parts"/,
    )
  })

  test("of collections are visible only within the key's scope, and never suggested outside it", async () => {
    expect(await names({ collections: ["parts"] }).named({ collections: "parts" })).toEqual(["open"])
    const mine = [
      { collections: ["parts"] },
      { sources: ["open", "closed", "nowhere"] },
      { domains: ["a.example"] },
    ]
    for (const given of mine)
      for (const other of ["all", "al"])
        await expect(() => names(given).named({ collections: other })).rejects.toThrow(
          `Invalid collections. There is no collection "${other}".`,
        )
  })

  test("that are unknown are shortened in the error", async () => {
    const long = "z".repeat(200)
    const shown = long.slice(0, 100)
    await expect(() => names({}).named({ sources: ["open", long] })).rejects.toThrow(
      `Invalid sources. There is no source "${shown}".`,
    )
    await expect(() => names({}).named({ collections: long })).rejects.toThrow(
      `Invalid collections. There is no collection "${shown}".`,
    )
  })

  test("of a page include its known sources and the collections that contain one of them", async () => {
    const filed = async (given: Partial<KeyScope>, sources = ["open", "closed"]) => {
      const { sources: shown, collections: holding } = (await names(given).filing())(sources)
      return [shown, holding]
    }
    expect(await filed({})).toEqual([
      ["open", "closed"],
      ["parts", "all"],
    ])
    expect(await filed({}, ["closed"])).toEqual([["closed"], ["all"]])
    expect(await filed({}, ["other"])).toEqual([["other"], []])
    expect(await filed({ collections: ["parts"] })).toEqual([["open"], ["parts"]])
    expect(await filed({ sources: ["closed"] })).toEqual([["closed"], []])
    expect(await filed({ domains: ["example.com"] })).toEqual([[], []])
  })

  test("are ignored if names are hidden from everyone", async () => {
    expect(await NAMELESS.named({ sources: "anything", collections: "prats" })).toBeUndefined()
  })

  test("of a scope are exactly its sources and those of its collections", async () => {
    const parts = {
      collections: { sourcesOf: async (asked: readonly string[]) => asked.map((name) => `of ${name}`) },
      readers: NO_READERS,
    }
    const sourcesOf = async (given: Partial<KeyScope>) =>
      (await pageLimits({ scope: scope(given), principals: null }, parts))?.sources
    expect(await sourcesOf({ sources: ["open"] })).toEqual(["open"])
    expect(await sourcesOf({ collections: ["parts"] })).toEqual(["of parts"])
    expect(await sourcesOf({ sources: ["open", "of parts"], collections: ["parts"] })).toEqual([
      "open",
      "of parts",
    ])
    expect(await sourcesOf({ domains: ["example.com"] })).toBeNull()
    expect(await sourcesOf({})).toBeUndefined()
  })

  test("are all accepted if no source is known, unless the key's scope is limited", async () => {
    expect(await names({}, []).named({ sources: "anything" })).toEqual(["anything"])
    await expect(() => names({}).named({ sources: "opne" })).rejects.toThrow(
      /There is no source "opne"; did you mean "open"/,
    )
    await expect(() => names({ domains: ["example.com"] }, []).named({ sources: "open" })).rejects.toThrow(
      "There is no source",
    )
    await expect(() => names({ sources: [] }, []).named({ sources: "open" })).rejects.toThrow(
      "There is no source",
    )
  })

  test("are all listed for unlimited keys, by name, and for others only their own", async () => {
    expect(await names({}).all()).toEqual({ sources: ["closed", "open"], collections: ["parts", "all"] })
    expect(await names({ sources: ["open", "closed"] }).all()).toEqual({
      sources: ["closed", "open"],
      collections: [],
    })
    expect(await names({ collections: ["parts"] }).all()).toEqual({
      sources: ["open"],
      collections: ["parts"],
    })
    expect(await names({ domains: ["example.com"] }).all()).toEqual({ sources: [], collections: [] })
  })
})

describe("a caller of the index and the web", () => {
  const URL_A = urlOf("https://docs.example.com/a")
  const controller = () => new AbortController()

  /** The reach of a caller with this scope, and a record of everything that was requested. */
  function reach(given: Partial<KeyScope>, more: Partial<ReachParts> = {}) {
    const asked = {
      facets: [] as [FacetQuery, unknown][],
      suggest: [] as SuggestionQuery[],
      reads: [] as ReadOptions[],
      held: [] as number[],
      turns: [] as unknown[],
    }
    const counts: FacetCounts = {
      pages: 3,
      isExact: false,
      facets: [
        { field: "source", values: ["open", "closed"].map((value) => ({ value, count: 2 })) },
        { field: "language", values: [{ value: "en", count: 3 }] },
      ],
    }
    const gate = {
      run: async (work: () => Promise<unknown>, { key, ...options }: { key: string }) => {
        asked.turns.push([key, options])
        return await work()
      },
    }
    const parts = {
      engine: {
        search: async () => ({ hits: [] }),
        get: async () => aPage("https://docs.example.com/a", { source: "closed", markdown: "12345" }),
        suggest: async (query: SuggestionQuery) => {
          asked.suggest.push(query)
          return [{ text: "Pumps", kind: "title", url: URL_A }]
        },
        facets: async (query: FacetQuery, options: unknown) => {
          asked.facets.push([query, options])
          return counts
        },
      },
      reader: {
        read: async (_url: unknown, options: ReadOptions) => {
          asked.reads.push(options)
          return { kind: "failed", because: "robots", detail: "" }
        },
        sitemap: async (_site: unknown, options: ReadOptions) => {
          asked.reads.push(options)
          return [URL_A]
        },
      },
      collections,
      sourceNames: () => ["open", "closed"],
      readers: NO_READERS,
      sites: async (sources: readonly string[]) => (url: PageUrl) =>
        sources.some((name) => url.includes(`/${name}/`)),
      gates: { searches: gate, reads: gate },
      ...more,
    } as unknown as ReachParts
    const memory = { hold: (bytes: number) => void asked.held.push(bytes) }
    return {
      seen: reachOf({ id: "key", scope: scope(given), principals: null }, parts, memory),
      asked,
      counts,
      parts,
    }
  }

  test("searches in turn, within the time limit of the call or its own", async () => {
    const { signal } = controller()
    const found = { hits: [hit({ markdown: "12345", description: null, passages: [] })] }
    const asked: unknown[] = []
    const engine = {
      search: async (...given: unknown[]) => {
        asked.push(given)
        return found
      },
    } as unknown as ReachParts["engine"]
    const { seen, asked: went, parts } = reach({}, { engine })
    const query = { text: "pump", limit: 3 }
    const federated = { ...query, peers: [] }
    expect(await seen.engine.search(federated, { signal })).toEqual(found)
    await seen.engine.search(query)
    const patient = reachOf({ id: "task", scope: UNLIMITED, principals: null, isPatient: true }, parts)
    await patient.engine.search(query, { signal })
    expect(asked).toEqual([
      [query, { signal }],
      [query, undefined],
      [query, { signal }],
    ])
    expect(went.turns).toEqual([
      ["key", { signal, isPatient: false }],
      ["key", { signal: undefined, isPatient: false }],
      ["task", { signal, isPatient: true }],
    ])
    // Background work doesn't use the memory of any call.
    expect(went.held).toEqual([5, 5])
  })

  test("also searches other appliances if there are any", async () => {
    const both = { hits: [hit(), hit()] }
    const { seen } = reach({}, { federated: () => ({ search: async () => both }) })
    expect(await seen.engine.search({ text: "pump", limit: 3 })).toEqual(both)
  })

  test("gets counts of visible pages only, with only visible sources named", async () => {
    const query: FacetQuery = { text: "pump", fields: ["source", "language"] }
    const all = reach({})
    expect(await all.seen.facets(query)).toBe(all.counts)
    expect(all.asked.facets).toEqual([[{ ...query, filter: {} }, {}]])

    const { signal } = controller()
    const some = reach({ sources: ["open"] })
    const asked = { ...query, filter: { language: "en" } }
    expect(await some.seen.facets(asked as FacetQuery, signal)).toEqual({
      ...some.counts,
      facets: [{ field: "source", values: [{ value: "open", count: 2 }] }, some.counts.facets[1]],
    })
    expect(some.asked.facets).toEqual([
      [{ ...query, filter: { language: "en", sources: ["open"] } }, { signal }],
    ])
    expect(some.asked.turns).toEqual([["key", { signal, isPatient: false }]])

    const site = reach({ domains: ["example.com"] })
    expect((await site.seen.facets(query)).facets[0]).toEqual({ field: "source", values: [] })

    const none = reach({ sources: ["open"] })
    expect(await none.seen.facets({ ...query, filter: { sources: ["closed"] } })).toEqual({
      pages: 0,
      isExact: true,
      facets: query.fields.map((field) => ({ field, values: [] })),
    })
    expect(none.asked.facets).toEqual([])
  })

  test("gets title suggestions only from visible pages", async () => {
    const query: SuggestionQuery = { text: "pu", limit: 5 }
    const [all, some, none] = [reach({}), reach({ sources: ["open"] }), reach({ sources: [] })]
    expect(await all.seen.suggest(query)).toHaveLength(1)
    expect(await all.seen.suggest({ ...query, filter: { language: "en" } } as SuggestionQuery)).toHaveLength(
      1,
    )
    expect(await some.seen.suggest(query)).toHaveLength(1)
    expect(await none.seen.suggest(query)).toEqual([])
    expect([all, some, none].map(({ asked }) => asked.suggest)).toEqual([
      [
        { ...query, filter: {} },
        { ...query, filter: { language: "en" } },
      ],
      [{ ...query, filter: { sources: ["open"] } }],
      [],
    ])
  })

  test("holds memory for a page that it is shown", async () => {
    const [all, some] = [reach({}), reach({ sources: ["open"] })]
    const { signal } = controller()
    expect(await all.seen.page(URL_A, signal)).toMatchObject({ source: "closed" })
    expect(all.asked.turns).toEqual([["key", { signal }]])
    expect(await some.seen.page(URL_A)).toBeNull()
    expect([all.asked.held, some.asked.held]).toEqual([[5], []])
    expect(
      await reachOf({ id: "work", scope: UNLIMITED, principals: null }, all.parts).page(URL_A),
    ).not.toBeNull()
  })

  test("is sent to another appliance for pages that it may see there", async () => {
    const peer = { spec: { name: "hall" } } as Peer
    const holderOf = () => peer
    expect(await reach({}).seen.holderOf(URL_A)).toBeNull()
    expect(await reach({}, { holderOf: () => null }).seen.holderOf(URL_A)).toBeNull()
    expect(await reach({}, { holderOf }).seen.holderOf(URL_A)).toBe(peer)
    expect(await reach({ sources: ["open"] }).seen.holderOf(URL_A)).toBeNull()
    expect(await reach({ sources: ["open"] }, { holderOf }).seen.holderOf(URL_A)).toBeNull()
    expect(await reach({ sources: [sourceOfPeer("hall")] }, { holderOf }).seen.holderOf(URL_A)).toBe(peer)
  })

  test("may read addresses on its domains that belong to its sources", async () => {
    const addresses = [
      "https://a.example/open/x",
      "https://b.example/open/x",
      "https://a.example/closed/x",
    ].map(urlOf)
    const may = async (given: Partial<KeyScope>) => addresses.map(await reach(given).seen.addresses())
    expect(await may({})).toEqual([true, true, true])
    expect(await may({ sources: ["open"] })).toEqual([true, true, false])
    expect(await may({ domains: ["a.example"] })).toEqual([true, false, true])
    expect(await may({ sources: ["open"], domains: ["a.example"] })).toEqual([true, false, false])
  })

  test("reads sites with those addresses only, and nothing once the call has ended", async () => {
    const { signal } = controller()
    for (const way of ["read", "sitemap"] as const) {
      const read = (seen: ReturnType<typeof reachOf>, options: ReadOptions) =>
        way === "read" ? seen.reader.read(URL_A, options) : seen.reader.sitemap(URL_A, options as never)
      const [all, some] = [reach({}), reach({ sources: ["open"] })]
      await read(all.seen, { signal })
      await read(some.seen, { signal })
      expect(all.asked.reads).toEqual([{ signal }])
      expect(some.asked.reads[0]!.signal).toBe(signal)
      expect(
        ["https://x.example/open/", "https://x.example/closed/"].map((address) =>
          some.asked.reads[0]!.admits!(urlOf(address)),
        ),
      ).toEqual([true, false])
      expect(some.asked.turns).toEqual([["key", { signal }]])

      const fails = { run: () => Promise.reject(new Error("no turn")) }
      const full = reach({}, { gates: { searches: fails, reads: fails } as unknown as ReachParts["gates"] })
      await expect(read(full.seen, { signal })).rejects.toThrow("no turn")
      await expect(read(full.seen, {})).rejects.toThrow("no turn")
      expect(await read(full.seen, { signal: AbortSignal.abort() })).toEqual(
        way === "read" ? { kind: "failed", because: "cancelled", detail: "the call has ended" } : [],
      )
    }
  })
})
