import { type Expression, sql, type SqlBool } from "kysely"
import type { PageUrl } from "#engine"
import { queriesOf } from "#base/store/query/queries.ts"
import { SCHEMA_WORDS } from "#base/store/query/schema-words.ts"
import { statement } from "#base/store/testing/statement.ts"
import { expect, test } from "vitest"
import { emptyState } from "#base/store/testing/empty-state.ts"
import { at, DAY, GONE, PAGE, VisitedSite } from "../../testing/visited.ts"
import {
  addressesByHost,
  hasPages,
  heldAfter,
  heldAmong,
  isHeld,
  isKnown,
  isPageNow,
  isUnfoundSince,
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
  wasFound,
  whereItLed,
} from "./source-pages.ts"

test("a source's pages are those that the index holds for it", async () => {
  const site = new VisitedSite()
  const { db } = site
  await site.visit("/a", PAGE)
  await site.visit("/b", PAGE)
  await site.visit("/gone", GONE)
  await site.visit("/b", { ...PAGE, source: "other" })
  await site.visit("/a", { ...GONE, source: "other" })
  expect([await pageCount(db, "site"), await pageCount(db, "other"), await pageCount(db, "none")]).toEqual([
    2, 1, 0,
  ])
  expect(await pageCounts(db, "site")).toEqual({ pages: 2, pagesShared: 1 })
  expect(await pageCounts(db, "none")).toEqual({ pages: 0, pagesShared: 0 })
  expect((await pagesOf(db, "site")).sort()).toEqual([at("/a"), at("/b")])
  expect([await somePage(db, "other"), await somePage(db, "none")]).toEqual([at("/b"), null])
  expect([await hasPages(db, "site"), await hasPages(db, "none")]).toEqual([true, false])
  const [a, b, gone] = ["/a", "/b", "/gone"].map(at) as [PageUrl, PageUrl, PageUrl]
  expect([await heldAfter(db, "site", "", 9), await heldAfter(db, "site", a, 1)]).toEqual([[a, b], [b]])
  expect(await heldAmong(db, "site", [b, gone])).toEqual(new Set([b]))
})

test("a store that was never crawled into has none", async () => {
  const db = emptyState()
  expect([await hasPages(db, "site"), await somePage(db, "site"), await othersHavePages(db, "site")]).toEqual(
    [false, null, false],
  )
})

test("other sources have pages when the index holds one for any", async () => {
  const site = new VisitedSite()
  await site.visit("/a", PAGE)
  await site.visit("/a", { ...GONE, source: "other" })
  expect([await othersHavePages(site.db, "site"), await othersHavePages(site.db, "other")]).toEqual([
    false,
    true,
  ])
  expect([await knowsAny(site.db, "other"), await knowsAny(site.db, "none")]).toEqual([true, false])
})

test("addresses are counted by their host with its port", async () => {
  const site = new VisitedSite()
  for (const path of ["/", "/a/b", ":8443/"]) await site.visit(path, PAGE)
  await site.visit("/", { ...PAGE, source: "other" })
  expect(await addressesByHost(site.db, "site")).toEqual(
    new Map([
      ["site.example", 2],
      ["site.example:8443", 1],
    ]),
  )
})

test("an address is a page if the last visit of some source found it", async () => {
  const site = new VisitedSite()
  await site.visit("/", PAGE)
  expect([await isPageNow(site.db, at("/")), await isPageNow(site.db, at("/none"))]).toEqual([true, false])
  await site.visit("/", { outcome: "failed:timeout" })
  expect(await isPageNow(site.db, at("/"))).toBe(false)
  await site.visit("/", { outcome: "unchanged" })
  expect(await isPageNow(site.db, at("/"))).toBe(true)
  await site.visit("/", { outcome: "unchanged", hash: null })
  expect(await isPageNow(site.db, at("/"))).toBe(false)
})

test("the target of an address is returned for some sources, or for all", async () => {
  const site = new VisitedSite()
  const away = { outcome: "skipped:duplicate", hash: null } as const
  await site.visit("/", { ...away, source: "a", leadsTo: at("/y") })
  await site.visit("/", { ...away, source: "b", leadsTo: at("/x") })
  await site.visit("/", { ...away, source: "c", leadsTo: at("/y") })
  await site.visit("/", { ...away, source: "d" })
  expect(await whereItLed(site.db, at("/"), null)).toEqual([at("/x"), at("/y")])
  expect(await whereItLed(site.db, at("/"), ["c", "d"])).toEqual([at("/y")])
  expect(await whereItLed(site.db, at("/"), [])).toEqual([])
  expect(await Array.fromAsync(targetsOf(site.db, "a"))).toEqual([at("/y")])
  expect(await Array.fromAsync(targetsOf(site.db, "d"))).toEqual([])
})

test("visits of a page tell when it was last found and last changed", async () => {
  const site = new VisitedSite()
  const first = site.now
  await site.visit("/", PAGE)
  await site.visit("/", { ...PAGE, source: "other" })
  site.now += DAY
  await site.visit("/", { outcome: "unchanged" })
  const visits = (...sources: string[]) => pageVisits(site.db, at("/"), sources)
  expect(await visits("site", "other")).toEqual({
    checkedAt: new Date(first + DAY),
    changedAt: new Date(first),
  })
  expect(await visits("other")).toEqual({ checkedAt: new Date(first), changedAt: new Date(first) })
  expect(await visits()).toEqual({ checkedAt: null, changedAt: null })
  expect([await lastCheckOf(site.db, "site"), await lastCheckOf(site.db, "none")]).toEqual([
    new Date(first + DAY),
    null,
  ])
  site.now += DAY
  await site.visit("/", { outcome: "failed:timeout" })
  expect(await visits("site")).toEqual({ checkedAt: null, changedAt: new Date(first) })
  expect(await lastCheckOf(site.db, "site")).toBeNull()
})

test("a job's misses are reported by kind, and by whether the page existed before", async () => {
  const site = new VisitedSite()
  const { status } = GONE
  const missing = { outcome: "failed:http-status", status } as const
  for (const path of ["/held", "/held-long"]) await site.visit(path, PAGE)
  await site.visit("/held-long", missing)
  site.now += DAY
  for (const path of ["/held", "/held-long", "/never", "/never-too"])
    await site.visit(path, { ...missing, job: 2 })
  await site.visit("/robots", { outcome: "skipped:robots", job: 2, detail: "disallowed" })
  await site.visit("/", { ...PAGE, job: 2 })
  const kind = { outcome: "failed:http-status", status, isOnlyListed: false, count: 1 }
  expect(await missedBy(site.db, 2)).toHaveLength(4)
  expect(await missedBy(site.db, 2)).toEqual(
    expect.arrayContaining([
      { ...kind, isHeld: false, isNew: false, count: 2 },
      { ...kind, isHeld: true, isNew: true },
      { ...kind, isHeld: true, isNew: false },
      { ...kind, outcome: "skipped:robots", status: null, isHeld: false, isNew: false },
    ]),
  )
  const missed = { outcome: "failed:http-status", detail: null, status, leadsTo: null }
  expect(await missedPages(site.db, 2, "", 9)).toEqual([
    { ...missed, url: at("/held") },
    { ...missed, url: at("/held-long") },
  ])
  expect((await missedPages(site.db, 2, "", 1)).map(({ url }) => url)).toEqual([at("/held")])
  expect((await missedPages(site.db, 2, at("/held"), 9)).map(({ url }) => url)).toEqual([at("/held-long")])
  await site.visit("/held", {
    job: 3,
    outcome: "skipped:noindex",
    detail: "asks for it",
    leadsTo: at("/away"),
  })
  expect(await missedPages(site.db, 3, "", 9)).toEqual([
    {
      url: at("/held"),
      outcome: "skipped:noindex",
      detail: "asks for it",
      status: null,
      leadsTo: at("/away"),
    },
  ])
})

test("sources are matched with the pages in a table, and differences are read again", async () => {
  const site = new VisitedSite()
  const validators = { etag: '"1"', lastModified: "Thu, 01 Jan 1970 00:00:00 GMT" }
  for (const path of ["/same", "/differs", "/unheld"]) await site.visit(path, { ...PAGE, validators })
  await site.visit("/missing", { ...GONE, validators })
  await site.db.script("create table pages_now (url text, source text, hash text)")
  const hold = statement(site.db, "insert into pages_now values (?, ?, ?)")
  await hold.run(at("/same"), "site", "h")
  await hold.run(at("/differs"), "site", "other")
  await hold.run(at("/missing"), "site", "back")
  await hold.run(at("/unheld"), "other", "h")
  expect(await matchPages(site.db, "pages_now")).toBe(3)
  const none = { etag: null, lastModified: null }
  expect(await site.known.get(at("/same"), "site")).toMatchObject({ hash: "h", validators })
  expect(await site.known.get(at("/differs"), "site")).toMatchObject({
    hash: "other",
    validators: none,
    dueAt: 0,
  })
  expect(await site.known.get(at("/missing"), "site")).toMatchObject({
    hash: "back",
    validators: none,
    dueAt: 0,
  })
  expect(await site.known.get(at("/unheld"), "site")).toMatchObject({
    hash: null,
    validators: none,
    dueAt: 0,
  })
  expect(await matchPages(site.db, "pages_now")).toBe(0)
})

test("query conditions select known, held, found and missing pages", async () => {
  const site = new VisitedSite()
  await site.visit("/found", PAGE)
  await site.visit("/missed", PAGE)
  await site.visit("/missed", { outcome: "failed:timeout", job: 3 })
  await site.visit("/none", { ...GONE, job: 3 })
  const url = sql.ref<PageUrl>("row.url")
  const source = sql.ref<string>("row.source")
  const holds = async (condition: Expression<SqlBool>) => {
    const paths: string[] = []
    for (const path of ["/found", "/missed", "/none", "/unknown"]) {
      const row = sql`(select cast(${at(path)} as text) as url, 'site' as source) as row`
      const { rows } = await sql`select 1 from ${row} where ${condition}`.execute(queriesOf(site.db))
      if (rows.length > 0) paths.push(path)
    }
    return paths
  }
  const job = (id: number) => sql.lit(id)
  expect(await holds(isKnown(url, source))).toEqual(["/found", "/missed", "/none"])
  expect(await holds(isKnown(url, sql.lit("other")))).toEqual([])
  expect(await holds(isHeld(url, source))).toEqual(["/found", "/missed"])
  expect(await holds(wasFound(url, source, 1))).toEqual(["/found"])
  expect(await holds(wasFound(url, source, 3))).toEqual([])
  expect(await holds(isUnfoundSince(url, source, job(1)))).toEqual(["/found", "/missed"])
  expect(await holds(isUnfoundSince(url, source, job(0)))).toEqual(["/missed"])
})

test("triggers report pages that are added, changed, removed and forgotten", async () => {
  const site = new VisitedSite()
  const { db } = site
  await db.script("create table told (change text, url text)")
  const note = (change: string) => (url: string) => `insert into told values ('${change}', ${url})`
  const condition = "'site' in (select value from json_each('[\"site\"]'))"
  const words = SCHEMA_WORDS[db.dialect]
  await db.script(pageTriggers(words, "told", condition, (change) => note(change)("new.url")))
  await db.script(pageOrSourceTriggers(words, "also", "true", note("touched")))
  await db.script(pageTriggers(words, "never", "false", () => note("never")("new.url")))
  const told = async () => {
    const rows = await statement(db, "select change, url from told").all()
    await db.script("delete from told")
    return rows.map(({ change, url }) => `${String(change)} ${new URL(String(url)).pathname}`).sort()
  }
  await site.visit("/none", GONE)
  expect(await told()).toEqual([])
  await site.visit("/", PAGE)
  expect(await told()).toEqual(["new /", "touched /"])
  await site.visit("/", { outcome: "unchanged" })
  expect(await told()).toEqual([])
  await site.visit("/", { ...PAGE, hash: "other" })
  expect(await told()).toEqual(["changed /", "touched /"])
  await site.visit("/", GONE)
  expect(await told()).toEqual(["removed /", "touched /"])
  await site.visit("/", GONE)
  expect(await told()).toEqual([])
  await site.visit("/", PAGE)
  expect(await told()).toEqual(["new /", "touched /"])
  await site.known.forget(at("/"), "site")
  await site.known.forget(at("/none"), "site")
  expect(await told()).toEqual(["touched /"])
})
