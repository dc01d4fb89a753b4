import { expect, test } from "vitest"
import { at, DAY, GONE, PAGE, VisitedSite } from "../../../testing/visited.ts"
import { FOUND_SOMEHOW } from "../known-addresses.ts"
import { packLinks } from "../page-links.ts"
import { keptOutCounts, keptOutPages, leadsDeeper, oldestLook, unvisitedLinks } from "./kept-out.ts"

const deep = (depth: number) => ({ ...FOUND_SOMEHOW, how: "link", depth }) as const
const links = (...paths: string[]) => packLinks(at("/"), paths.map(at))

test("addresses without a page are counted by how they ended, and listed with the title that they had", () => {
  const site = new VisitedSite()
  site.visit("/", PAGE)
  site.visit("/had", { ...PAGE, title: "Roses" })
  for (const path of ["/had", "/never"]) site.visit(path, GONE)
  site.visit("/robots", { outcome: "skipped:robots" })
  site.visit("/else", { ...GONE, source: "other" })
  expect(keptOutCounts(site.db, "site")).toHaveLength(2)
  expect(keptOutCounts(site.db, "site")).toEqual(
    expect.arrayContaining([
      { outcome: "failed:http-status", status: 404, count: 2 },
      { outcome: "skipped:robots", status: null, count: 1 },
    ]),
  )
  const pages = (sources: string[], limit = 9) => [...keptOutPages(site.db, sources, limit)]
  expect(pages(["site"]).toSorted((a, b) => (a.url < b.url ? -1 : 1))).toEqual([
    { url: at("/had"), title: "Roses" },
    { url: at("/never"), title: null },
    { url: at("/robots"), title: null },
  ])
  expect([pages(["site", "other"]).length, pages(["site", "other"], 2).length, pages([]).length]).toEqual([
    4, 2, 0,
  ])
})

test("links that no source has visited come once, those of the nearest pages first", () => {
  const site = new VisitedSite()
  site.visit("/far", { ...PAGE, found: deep(2), links: links("/far-away", "/both") })
  site.visit("/near", { ...PAGE, found: deep(1), links: links("/far", "/new", "/both", "/of-another") })
  site.visit("/of-another", { ...PAGE, source: "other" })
  const found = (sources: string[], pages: number) => [...unvisitedLinks(site.db, sources, pages)]
  expect(found(["site"], 9)).toEqual([at("/both"), at("/new"), at("/of-another"), at("/far-away")])
  expect(found(["site", "other"], 9)).toEqual([at("/both"), at("/new"), at("/far-away")])
  expect(found(["site"], 1)).toEqual([at("/both"), at("/new"), at("/of-another")])
  expect(found(["other"], 9)).toEqual([])
})

test("the oldest look at a source is that at a page", () => {
  const site = new VisitedSite()
  expect(oldestLook(site.db, "site")).toBeNull()
  site.visit("/gone", GONE)
  site.now += DAY
  site.visit("/a", PAGE)
  const { now } = site
  site.now += DAY
  site.visit("/b", PAGE)
  expect([oldestLook(site.db, "site"), oldestLook(site.db, "other")]).toEqual([now, null])
})

test("the deepest pages lead on when they name addresses of the source that it does not know", () => {
  const site = new VisitedSite()
  const leads = (depth: number, most = 9, isMember: (url: string) => boolean = () => true) =>
    leadsDeeper(site.db, "site", depth, isMember, most)
  site.visit("/top", { ...PAGE, found: deep(1), links: links("/unknown") })
  site.visit("/end", { ...PAGE, found: deep(3), links: links("/top") })
  expect([leads(3), leads(1), leads(9)]).toEqual([false, true, false])
  expect(leads(1, 9, () => false)).toBe(false)
  site.visit("/end", { ...PAGE, found: deep(3), links: links("/top", "/on") })
  expect([leads(3), leads(3, 9, (url) => url !== at("/on"))]).toEqual([true, false])
  site.visit("/on", { ...PAGE, source: "other" })
  expect(leads(3)).toBe(true)
  // More pages than are looked through, of which these lead nowhere.
  site.visit("/end", { ...PAGE, found: deep(3), links: links("/top") })
  site.visit("/end2", { ...PAGE, found: deep(3), links: links("/top") })
  expect([leads(3, 2), leads(3, 1)]).toEqual([false, null])
  site.visit("/end3", { ...PAGE, found: deep(3), links: links("/on") })
  expect([leads(3, 2), leads(3, 3)]).toEqual([null, true])
  // Its links were too many to keep.
  site.visit("/index", { ...PAGE, found: deep(4), links: null })
  expect([leads(4), leads(4, 9, () => false)]).toEqual([true, true])
  site.visit("/index", { ...GONE, found: deep(4) })
  expect(leads(4)).toBe(false)
})
