import { expect, test } from "vitest"
import { emptyState } from "#base/store/testing/empty-state.ts"
import { at, DAY, GONE, PAGE, VisitedSite } from "../../testing/visited.ts"
import {
  addressesByHost,
  hasPages,
  isHeldSql,
  isKnownSql,
  isPageNow,
  isUnfoundSinceSql,
  knowsAny,
  lastCheckOf,
  matchPages,
  missedBy,
  missedPages,
  othersHavePages,
  pageCount,
  pageCounts,
  pageOrSourceTriggers,
  pagesOf,
  pageTriggers,
  pageVisits,
  somePage,
  targetsOf,
  wasFoundSql,
  whereItLed,
} from "./source-pages.ts"

test("a source's pages are those that the index holds for it", () => {
  const site = new VisitedSite()
  const { db } = site
  site.visit("/a", PAGE)
  site.visit("/b", PAGE)
  site.visit("/gone", GONE)
  site.visit("/b", { ...PAGE, source: "other" })
  site.visit("/a", { ...GONE, source: "other" })
  expect([pageCount(db, "site"), pageCount(db, "other"), pageCount(db, "none")]).toEqual([2, 1, 0])
  expect(pageCounts(db, "site")).toEqual({ pages: 2, pagesShared: 1 })
  expect(pageCounts(db, "none")).toEqual({ pages: 0, pagesShared: 0 })
  expect(pagesOf(db, "site").sort()).toEqual([at("/a"), at("/b")])
  expect([somePage(db, "other"), somePage(db, "none")]).toEqual([at("/b"), null])
  expect([hasPages(db, "site"), hasPages(db, "none")]).toEqual([true, false])
})

test("a store that was never crawled into has none", () => {
  const db = emptyState()
  expect([hasPages(db, "site"), somePage(db, "site"), othersHavePages(db, "site")]).toEqual([
    false,
    null,
    false,
  ])
})

test("other sources have pages when the index holds one for any", () => {
  const site = new VisitedSite()
  site.visit("/a", PAGE)
  site.visit("/a", { ...GONE, source: "other" })
  expect([othersHavePages(site.db, "site"), othersHavePages(site.db, "other")]).toEqual([false, true])
  expect([knowsAny(site.db, "other"), knowsAny(site.db, "none")]).toEqual([true, false])
})

test("addresses are counted by their host with its port", () => {
  const site = new VisitedSite()
  for (const path of ["/", "/a/b", ":8443/"]) site.visit(path, PAGE)
  site.visit("/", { ...PAGE, source: "other" })
  expect(addressesByHost(site.db, "site")).toEqual(
    new Map([
      ["site.example", 2],
      ["site.example:8443", 1],
    ]),
  )
})

test("a page is one now when the last visit of some source found it", () => {
  const site = new VisitedSite()
  site.visit("/", PAGE)
  expect([isPageNow(site.db, at("/")), isPageNow(site.db, at("/none"))]).toEqual([true, false])
  site.visit("/", { outcome: "failed:timeout" })
  expect(isPageNow(site.db, at("/"))).toBe(false)
  site.visit("/", { outcome: "unchanged" })
  expect(isPageNow(site.db, at("/"))).toBe(true)
  site.visit("/", { outcome: "unchanged", hash: null })
  expect(isPageNow(site.db, at("/"))).toBe(false)
})

test("where an address led is told for some sources, or for all", () => {
  const site = new VisitedSite()
  const away = { outcome: "skipped:duplicate", hash: null } as const
  site.visit("/", { ...away, source: "a", leadsTo: at("/y") })
  site.visit("/", { ...away, source: "b", leadsTo: at("/x") })
  site.visit("/", { ...away, source: "c", leadsTo: at("/y") })
  site.visit("/", { ...away, source: "d" })
  expect(whereItLed(site.db, at("/"), null)).toEqual([at("/x"), at("/y")])
  expect(whereItLed(site.db, at("/"), ["c", "d"])).toEqual([at("/y")])
  expect(whereItLed(site.db, at("/"), [])).toEqual([])
  expect([...targetsOf(site.db, "a")]).toEqual([at("/y")])
  expect([...targetsOf(site.db, "d")]).toEqual([])
})

test("visits of a page tell when it was last found and last changed", () => {
  const site = new VisitedSite()
  const first = site.now
  site.visit("/", PAGE)
  site.visit("/", { ...PAGE, source: "other" })
  site.now += DAY
  site.visit("/", { outcome: "unchanged" })
  const visits = (...sources: string[]) => pageVisits(site.db, at("/"), sources)
  expect(visits("site", "other")).toEqual({ checkedAt: new Date(first + DAY), changedAt: new Date(first) })
  expect(visits("other")).toEqual({ checkedAt: new Date(first), changedAt: new Date(first) })
  expect(visits()).toEqual({ checkedAt: null, changedAt: null })
  expect([lastCheckOf(site.db, "site"), lastCheckOf(site.db, "none")]).toEqual([new Date(first + DAY), null])
  site.now += DAY
  site.visit("/", { outcome: "failed:timeout" })
  expect(visits("site")).toEqual({ checkedAt: null, changedAt: new Date(first) })
  expect(lastCheckOf(site.db, "site")).toBeNull()
})

test("what a job missed is told by how, and whether it was there before", () => {
  const site = new VisitedSite()
  const { status } = GONE
  const missing = { outcome: "failed:http-status", status } as const
  for (const path of ["/held", "/held-long"]) site.visit(path, PAGE)
  site.visit("/held-long", missing)
  site.now += DAY
  for (const path of ["/held", "/held-long", "/never", "/never-too"]) site.visit(path, { ...missing, job: 2 })
  site.visit("/robots", { outcome: "skipped:robots", job: 2, detail: "disallowed" })
  site.visit("/", { ...PAGE, job: 2 })
  const kind = { outcome: "failed:http-status", status, isOnlyListed: false, count: 1 }
  expect(missedBy(site.db, 2)).toHaveLength(4)
  expect(missedBy(site.db, 2)).toEqual(
    expect.arrayContaining([
      { ...kind, isHeld: false, isNew: false, count: 2 },
      { ...kind, isHeld: true, isNew: true },
      { ...kind, isHeld: true, isNew: false },
      { ...kind, outcome: "skipped:robots", status: null, isHeld: false, isNew: false },
    ]),
  )
  const missed = { outcome: "failed:http-status", detail: null, status, leadsTo: null }
  expect(missedPages(site.db, 2, "", 9)).toEqual([
    { ...missed, url: at("/held") },
    { ...missed, url: at("/held-long") },
  ])
  expect(missedPages(site.db, 2, "", 1).map(({ url }) => url)).toEqual([at("/held")])
  expect(missedPages(site.db, 2, at("/held"), 9).map(({ url }) => url)).toEqual([at("/held-long")])
  site.visit("/held", { job: 3, outcome: "skipped:noindex", detail: "asks for it", leadsTo: at("/away") })
  expect(missedPages(site.db, 3, "", 9)).toEqual([
    {
      url: at("/held"),
      outcome: "skipped:noindex",
      detail: "asks for it",
      status: null,
      leadsTo: at("/away"),
    },
  ])
})

test("sources are matched with the pages that a table names, and what differs is read anew", () => {
  const site = new VisitedSite()
  const validators = { etag: '"1"', lastModified: "Thu, 01 Jan 1970 00:00:00 GMT" }
  for (const path of ["/same", "/differs", "/unheld"]) site.visit(path, { ...PAGE, validators })
  site.visit("/missing", { ...GONE, validators })
  site.db.exec("create table pages_now (url text, source text, hash text)")
  const hold = site.db.prepare("insert into pages_now values (?, ?, ?)")
  hold.run(at("/same"), "site", "h")
  hold.run(at("/differs"), "site", "other")
  hold.run(at("/missing"), "site", "back")
  hold.run(at("/unheld"), "other", "h")
  expect(matchPages(site.db, "pages_now")).toBe(3)
  const none = { etag: null, lastModified: null }
  expect(site.known.get(at("/same"), "site")).toMatchObject({ hash: "h", validators })
  expect(site.known.get(at("/differs"), "site")).toMatchObject({ hash: "other", validators: none, dueAt: 0 })
  expect(site.known.get(at("/missing"), "site")).toMatchObject({ hash: "back", validators: none, dueAt: 0 })
  expect(site.known.get(at("/unheld"), "site")).toMatchObject({ hash: null, validators: none, dueAt: 0 })
  expect(matchPages(site.db, "pages_now")).toBe(0)
})

test("conditions of others' SQL hold for known, held, found and missing pages", () => {
  const site = new VisitedSite()
  site.visit("/found", PAGE)
  site.visit("/missed", PAGE)
  site.visit("/missed", { outcome: "failed:timeout", job: 3 })
  site.visit("/none", { ...GONE, job: 3 })
  const holds = (condition: string) =>
    ["/found", "/missed", "/none", "/unknown"].filter(
      (path) =>
        site.db
          .prepare(`select 1 from (select ? as url, 'site' as source) as row where ${condition}`)
          .get(at(path)) !== undefined,
    )
  expect(holds(isKnownSql("row.url", "row.source"))).toEqual(["/found", "/missed", "/none"])
  expect(holds(isKnownSql("row.url", "'other'"))).toEqual([])
  expect(holds(isHeldSql("row.url", "row.source"))).toEqual(["/found", "/missed"])
  expect(holds(wasFoundSql("row.url", "row.source", "1"))).toEqual(["/found"])
  expect(holds(wasFoundSql("row.url", "row.source", "3"))).toEqual([])
  expect(holds(isUnfoundSinceSql("row.url", "row.source", "1"))).toEqual(["/found", "/missed"])
  expect(holds(isUnfoundSinceSql("row.url", "row.source", "0"))).toEqual(["/missed"])
})

test("triggers tell of pages that come, change, go, and are forgotten", () => {
  const site = new VisitedSite()
  const { db } = site
  db.exec("create table told (change text, url text)")
  const note = (change: string) => (url: string) => `insert into told values ('${change}', ${url})`
  const condition = "'site' in (select value from json_each('[\"site\"]'))"
  db.exec(pageTriggers("told", condition, (change) => note(change)("new.url")))
  db.exec(pageOrSourceTriggers("also", "true", note("touched")))
  db.exec(pageTriggers("never", "false", () => note("never")("new.url")))
  const told = () => {
    const rows = db.prepare("select change, url from told").all()
    db.exec("delete from told")
    return rows.map(({ change, url }) => `${String(change)} ${new URL(String(url)).pathname}`).sort()
  }
  site.visit("/none", GONE)
  expect(told()).toEqual([])
  site.visit("/", PAGE)
  expect(told()).toEqual(["new /", "touched /"])
  site.visit("/", { outcome: "unchanged" })
  expect(told()).toEqual([])
  site.visit("/", { ...PAGE, hash: "other" })
  expect(told()).toEqual(["changed /", "touched /"])
  site.visit("/", GONE)
  expect(told()).toEqual(["removed /", "touched /"])
  site.visit("/", GONE)
  expect(told()).toEqual([])
  site.visit("/", PAGE)
  expect(told()).toEqual(["new /", "touched /"])
  site.known.forget(at("/"), "site")
  site.known.forget(at("/none"), "site")
  expect(told()).toEqual(["touched /"])
})
