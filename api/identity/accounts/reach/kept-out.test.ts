import { beforeEach, expect, test } from "vitest"
import type { ReadersNow } from "#crawler/sources/readers/readers-now.ts"
import { readSettings } from "#base/settings.ts"
import type { FacetQuery, Page, PageUrl, SuggestionQuery } from "#engine"
import { EngineError } from "#engine/errors.ts"
import { type PageReaders, readersLabel, readersOf } from "#engine/index/page/readers.ts"
import { aPage } from "#engine/testing/pages.ts"

import { mapSite } from "../../../core/walk/map-site.ts"
import { openGates } from "../../../server/load/gates.ts"
import { apiSettings } from "../../../settings.ts"
import { UNLIMITED } from "../keys/key-scope.ts"
import { reachOf, type ReachParts } from "./reach.ts"

// Pages with a list of readers in the index, although anyone can read them on the web.

const HR: PageReaders[] = [{ source: "wiki", ...readersOf({ allow: ["group:hr"] }) }]
let known: ReadersNow
const NOW: ReadersNow = { sources: new Map(), rules: new Map([[readersLabel(HR)!, HR]]) }
const salaries = aPage("salaries", { source: "wiki", readers: HR })
let stored: (url: PageUrl) => Page | null
/** Addresses that were read live. */
let read: string[]

beforeEach(() => {
  known = NOW
  stored = (url) => (url === salaries.url ? salaries : null)
  read = []
})

const reach = (principals: readonly string[] | null) =>
  reachOf({ id: "anna", scope: UNLIMITED, principals }, {
    engine: {
      get: async (url: PageUrl) => stored(url),
      search: async () => ({ hits: [salaries, aPage("open")] }),
      suggest: async ({ filter }: SuggestionQuery) => [filter],
      facets: async ({ filter }: FacetQuery) => ({ facets: [], filter }),
    },
    reader: {
      // Returns the same page for every address, and says nothing about its readers.
      read: async (url: string) => {
        read.push(url)
        const end = url.endsWith("/hop") ? salaries.url : url
        return { kind: "read", reading: { url: end, extracted: { links: [], robots: {} } } }
      },
    },
    gates: openGates(readSettings(apiSettings, {})),
    collections: { sourcesOf: async () => [], list: async () => [] },
    sourceNames: async () => ["wiki"],
    sites: async () => () => false,
    readers: async () => known,
  } as unknown as ReachParts)

test("a page is not read live for people its readers keep out, not even through a redirect", async () => {
  const elsewhere = { kind: "skipped", because: "out-of-scope" }
  expect(await reach([]).reader.read(salaries.url)).toEqual(elsewhere)
  expect(read).toEqual([])
  expect(await reach([]).reader.read("https://docs.example.com/hop")).toEqual(elsewhere)
  for (const principals of [["group:hr"], null])
    expect(await reach(principals).reader.read("https://docs.example.com/hop")).toMatchObject({
      kind: "read",
    })
  expect(await reach([]).reader.read("https://docs.example.com/open")).toMatchObject({ kind: "read" })
})

test("while the index is away, keys that readers may keep out read no page live", async () => {
  stored = () => {
    throw new EngineError("ENGINE_UNAVAILABLE", "away")
  }
  expect(await reach([]).keepsOut(salaries.url)).toBe(true)
  expect(await reach(null).keepsOut(salaries.url)).toBe(false)
  expect(await reach([]).reader.read(salaries.url)).toMatchObject({ kind: "skipped" })
})

test("a map does not name a hidden page, even when an open page links to it", async () => {
  const open = aPage("open").url
  const links = [
    { url: salaries.url, text: "Salaries" },
    { url: aPage("news").url, text: "News" },
  ]
  const linking = (principals: readonly string[]) => {
    const { reader, ...rest } = reach(principals)
    const reading = { url: open, extracted: { links, robots: {}, title: "Open", description: null } }
    return {
      ...rest,
      reader: { ...reader, read: async () => ({ kind: "read", reading }), sitemap: async () => [] },
    }
  }
  const named = async (principals: readonly string[]) => {
    const memory = { metered: (one: unknown) => one, keep: () => {} }
    const walking = {
      reach: linking(principals),
      memory,
      relevance: null,
      signal: new AbortController().signal,
    }
    const site = { url: open, maxDepth: 1, maxBreadth: 9, limit: 9, allowExternal: false }
    const pages = await mapSite(site, walking as never)
    return pages.map(({ url }) => url)
  }
  expect(await named([])).toEqual([open, aPage("news").url])
  expect(await named(["group:hr"])).toEqual([open, salaries.url, aPage("news").url])
})

test("while no readers are known, as after the state was lost, pages with readers are hidden", async () => {
  known = { sources: new Map(), rules: new Map() }
  const [anna, admin] = [reach(["group:hr"]), reach(null)]
  const found = async ({ engine }: typeof anna) =>
    (await engine.search({ text: "x", limit: 9 })).hits.map(({ url }) => url)
  expect([await found(anna), await found(admin)]).toEqual([
    [aPage("open").url],
    [salaries.url, aPage("open").url],
  ])
  expect([await anna.page(salaries.url), await admin.page(salaries.url)]).toEqual([null, salaries])
  const filter = { readers: [], excludeSources: [] }
  expect(await anna.suggest({ text: "x", limit: 9 })).toEqual([filter])
  expect(await anna.facets({ text: "x", fields: [] })).toMatchObject({ filter })
  expect(await admin.suggest({ text: "x", limit: 9 })).toEqual([{}])
})
