import { expect, test } from "vitest"
import { emptyState } from "#base/store/testing/empty-state.ts"
import { statement } from "#base/store/testing/statement.ts"
import type { Page, PageUrl } from "#engine"
import { at, GONE, HOUR, PAGE, VisitedSite } from "../../testing/visited.ts"
import { LostPages } from "./lost-pages.ts"

const NEVER = new AbortController().signal

/** A site that was crawled an hour ago, and an index that can show these paths. */
function indexed(...shown: readonly string[]) {
  const site = new VisitedSite()
  site.now = Date.now() - HOUR
  const asked: PageUrl[] = []
  const get = async (url: PageUrl) => {
    asked.push(url)
    return shown.map(at).includes(url) ? ({ url } as Page) : null
  }
  return { site, lost: new LostPages(site.db), engine: { get }, asked }
}

test("a page that the index cannot show is lost until a visit finds it", async () => {
  const { site, lost, engine } = indexed("/a")
  const validators = { etag: '"1"', lastModified: "Thu, 01 Jan 1970 00:00:00 GMT" }
  for (const path of ["/a", "/b", "/c"]) await site.visit(path, { ...PAGE, validators })
  await site.visit("/gone", GONE)
  expect([await lost.count(), await lost.expected()]).toEqual([0, 3])
  expect(await lost.find(engine, NEVER)).toBe(2)
  expect([await lost.count(), await lost.expected()]).toEqual([2, 3])
  const none = { etag: null, lastModified: null }
  expect(await site.known.get(at("/b"))).toMatchObject({ hash: null, dueAt: 0, validators: none })
  expect(await site.known.get(at("/a"))).toMatchObject({ hash: "h", validators })
  expect(await lost.find(engine, NEVER)).toBe(0)
  expect(await lost.count()).toBe(2)

  site.now = Date.now() + HOUR
  await site.visit("/b", PAGE)
  await site.visit("/c", GONE)
  expect(await lost.count()).toBe(0)
})

test("nothing is lost in a store that was never crawled into", async () => {
  const db = emptyState()
  const lost = new LostPages(db)
  expect([await lost.count(), await lost.expected()]).toEqual([0, 0])
  // Older versions use this name for the table.
  expect(await statement(db, "select version from schema_version where part = 'lost-pages'").get()).toEqual({
    version: 1,
  })
})

test("pages too new for a process that reads the index are not expected", async () => {
  const { site, lost } = indexed()
  site.now = Date.now()
  await site.visit("/new", PAGE)
  expect(await lost.expected()).toBe(0)
  site.now = Date.now() - 60_000
  await site.visit("/new", PAGE)
  expect(await lost.expected()).toBe(1)
})

test("a page lost and found again no longer counts as lost", async () => {
  const { site, lost, engine } = indexed("/a", "/z")
  for (const path of ["/a", "/b"]) await site.visit(path, PAGE)
  await lost.find(engine, NEVER)
  await site.visit("/b", PAGE)
  await site.visit("/c", PAGE)
  const noted = async () =>
    (await statement(site.db, "select url from lost_page order by url").all()).map(({ url }) => url)
  expect(await noted()).toEqual([at("/b")])
  expect(await lost.find({ get: async (url) => (url === at("/c") ? null : ({ url } as Page)) }, NEVER)).toBe(
    1,
  )
  expect(await noted()).toEqual([at("/c")])
})

test("all pages are compared, whatever their number, until stopped", async () => {
  const { site, lost, engine, asked } = indexed("/0001", "/1200")
  const visits = Array.from({ length: 1201 }, (_, index) => ({
    url: at(`/${String(index).padStart(4, "0")}`),
    detail: null,
    ...PAGE,
  }))
  await site.known.record(
    { id: 1, source: { name: "site", revisit: { minHours: 1, maxHours: 720 } } as never },
    visits,
  )
  await expect(lost.find(engine, AbortSignal.abort(new Error("stopped")))).rejects.toThrow("stopped")
  expect(asked).toEqual([])
  expect(await lost.find(engine, NEVER)).toBe(1199)
  expect(new Set(asked).size).toBe(1201)
  expect(await lost.count()).toBe(1199)
})
