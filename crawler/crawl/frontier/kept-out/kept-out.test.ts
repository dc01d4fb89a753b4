import { expect, test } from "vitest"
import { at, DAY, GONE, PAGE, VisitedSite } from "../../../testing/visited.ts"
import { FOUND_SOMEHOW } from "../known-addresses.ts"
import { packLinks } from "../page-links.ts"
import { keptOutCounts, keptOutPages, leadsDeeper, oldestLook, unvisitedLinks } from "./kept-out.ts"

const deep = (depth: number) => ({ ...FOUND_SOMEHOW, how: "link", depth }) as const
const links = (...paths: string[]) => packLinks(at("/"), paths.map(at))

test("addresses without a page are counted by outcome, and listed with their former title", async () => {
  const site = new VisitedSite()
  await site.visit("/", PAGE)
  await site.visit("/had", { ...PAGE, title: "Roses" })
  for (const path of ["/had", "/never"]) await site.visit(path, GONE)
  await site.visit("/robots", { outcome: "skipped:robots" })
  await site.visit("/else", { ...GONE, source: "other" })
  expect(await keptOutCounts(site.db, "site")).toHaveLength(2)
  expect(await keptOutCounts(site.db, "site")).toEqual(
    expect.arrayContaining([
      { outcome: "failed:http-status", status: 404, count: 2 },
      { outcome: "skipped:robots", status: null, count: 1 },
    ]),
  )
  const pages = (sources: string[], limit = 9) => Array.fromAsync(keptOutPages(site.db, sources, limit))
  expect((await pages(["site"])).toSorted((a, b) => (a.url < b.url ? -1 : 1))).toEqual([
    { url: at("/had"), title: "Roses" },
    { url: at("/never"), title: null },
    { url: at("/robots"), title: null },
  ])
  expect([
    (await pages(["site", "other"])).length,
    (await pages(["site", "other"], 2)).length,
    (await pages([])).length,
  ]).toEqual([4, 2, 0])
})

test("links that no source has visited are listed once, those from the nearest pages first", async () => {
  const site = new VisitedSite()
  await site.visit("/far", { ...PAGE, found: deep(2), links: links("/far-away", "/both") })
  await site.visit("/near", { ...PAGE, found: deep(1), links: links("/far", "/new", "/both", "/of-another") })
  await site.visit("/of-another", { ...PAGE, source: "other" })
  const found = (sources: string[], pages: number) => Array.fromAsync(unvisitedLinks(site.db, sources, pages))
  expect(await found(["site"], 9)).toEqual([at("/both"), at("/new"), at("/of-another"), at("/far-away")])
  expect(await found(["site", "other"], 9)).toEqual([at("/both"), at("/new"), at("/far-away")])
  expect(await found(["site"], 1)).toEqual([at("/both"), at("/new"), at("/of-another")])
  expect(await found(["other"], 9)).toEqual([])
})

test("a source's oldest check is that of a page", async () => {
  const site = new VisitedSite()
  expect(await oldestLook(site.db, "site")).toBeNull()
  await site.visit("/gone", GONE)
  site.now += DAY
  await site.visit("/a", PAGE)
  const { now } = site
  site.now += DAY
  await site.visit("/b", PAGE)
  expect([await oldestLook(site.db, "site"), await oldestLook(site.db, "other")]).toEqual([now, null])
})

test("the deepest pages lead on if they link to unknown addresses of the source", async () => {
  const site = new VisitedSite()
  const leads = (depth: number, most = 9, isMember: (url: string) => boolean = () => true) =>
    leadsDeeper(site.db, "site", depth, isMember, most)
  await site.visit("/top", { ...PAGE, found: deep(1), links: links("/unknown") })
  await site.visit("/end", { ...PAGE, found: deep(3), links: links("/top") })
  expect([await leads(3), await leads(1), await leads(9)]).toEqual([false, true, false])
  expect(await leads(1, 9, () => false)).toBe(false)
  await site.visit("/end", { ...PAGE, found: deep(3), links: links("/top", "/on") })
  expect([await leads(3), await leads(3, 9, (url) => url !== at("/on"))]).toEqual([true, false])
  await site.visit("/on", { ...PAGE, source: "other" })
  expect(await leads(3)).toBe(true)
  // There are more pages than are checked, and the checked ones lead nowhere.
  await site.visit("/end", { ...PAGE, found: deep(3), links: links("/top") })
  await site.visit("/end2", { ...PAGE, found: deep(3), links: links("/top") })
  expect([await leads(3, 2), await leads(3, 1)]).toEqual([false, null])
  await site.visit("/end3", { ...PAGE, found: deep(3), links: links("/on") })
  expect([await leads(3, 2), await leads(3, 3)]).toEqual([null, true])
  // The page has too many links to store.
  await site.visit("/index", { ...PAGE, found: deep(4), links: null })
  expect([await leads(4), await leads(4, 9, () => false)]).toEqual([true, true])
  await site.visit("/index", { ...GONE, found: deep(4) })
  expect(await leads(4)).toBe(false)
})
