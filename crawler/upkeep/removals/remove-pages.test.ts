import { afterEach, beforeEach, expect, test } from "vitest"

import { Serial } from "#base/flow/serial.ts"
import { toPageUrl } from "#engine"

import { KnownAddresses } from "../../crawl/frontier/known-addresses.ts"
import { Sources } from "../../sources/sources.ts"
import { DailyCrawls, DAY_MS } from "../../testing/daily-crawls.ts"
import { article, bytes, startTestSite, status, type TestSite } from "../../testing/test-site.ts"
import { removeAskedPages } from "./remove-pages.ts"
import { Removals } from "./removals.ts"
import { statement } from "#base/store/testing/statement.ts"

// A site with a page that has an image, a copy of that page, a missing page, and a list of all pages. The source `all`
// crawls everything, `docs` only the part below /docs/.

let site: TestSite
let fixture: DailyCrawls
let sources: Sources

beforeEach(async () => {
  fixture = await DailyCrawls.open()
  sources = new Sources(fixture.db, fixture.jobs)
  const image = '</h1><p><img src="/pump.jpg" width="800" height="600" alt="A pump"></p>'
  const pump = article("Pump").replace("</h1>", image)
  site = await startTestSite({
    "/": article("Home", { links: ["/pump", "/missing", "/docs/", "/pump-again"] }),
    "/pump": pump,
    "/pump-again": pump,
    "/missing": status(404),
    "/docs/": article("Docs", { links: ["/docs/a"] }),
    "/docs/a": article("Alpha"),
  })
  const urls = ["/", "/pump", "/docs/"].map((path) => `<url><loc>${site.url(path)}</loc></url>`)
  site.serve({
    "/sitemap.xml": bytes(`<urlset>${urls.join("")}</urlset>`, { "content-type": "application/xml" }),
  })
})
afterEach(async () => {
  await fixture[Symbol.asyncDispose]()
  await site[Symbol.asyncDispose]()
})

const SPECS = {
  all: () => ({ name: "all", seeds: [site.url("/")], sitemaps: [site.url("/sitemap.xml")] }),
  docs: () => ({ name: "docs", seeds: [site.url("/docs/")], scope: "prefix" as const }),
}

async function run(name: keyof typeof SPECS): Promise<void> {
  const spec = { removal: { maxShare: 1 }, ...SPECS[name]() }
  await sources.put(spec)
  await fixture.crawlNextDay(spec)
}

const remove = (more: Partial<Parameters<typeof removeAskedPages>[0]> = {}) =>
  removeAskedPages({
    db: fixture.db,
    engine: fixture.engine,
    sources,
    signal: new AbortController().signal,
    ...more,
  })
const paths = () => [...fixture.engine.pages.keys()].map((url) => url.slice(site.origin.length)).sort()
const rows = async (table: string) =>
  Number((await statement(fixture.db, `select count(*) as n from ${table}`).get())!["n"])
/** Everything stored about addresses, as row counts. */
const kept = async (): Promise<Record<string, number>> => {
  const counts: Record<string, number> = {}
  for (const table of [
    "known_address",
    "page_links",
    "page_text",
    "page_alias",
    "page_images",
    "listing",
    "removal",
    "removed_page",
  ])
    counts[table] = await rows(table)
  return counts
}

test("deleting a source with its pages leaves nothing behind, and counts the pages", async () => {
  await run("all")
  // One page is removed beforehand, and a copy of it is kept.
  site.serve({ "/docs/a": status(410) })
  await run("all")
  await run("all")
  expect(paths()).toEqual(["/", "/docs/", "/pump"])
  for (const [table, count] of Object.entries(await kept())) expect([table, count > 0]).toEqual([table, true])
  await sources.delete("all", { removePages: true })
  expect(await remove()).toBe(3)
  expect(paths()).toEqual([])
  expect(new Set(Object.values(await kept()))).toEqual(new Set([0]))
  expect(await sources.removals()).toEqual([])
  expect(await remove()).toBe(0)
})

test("pages that another source holds stay with it, even if it no longer runs, and are not counted", async () => {
  await run("docs")
  await run("all")
  await sources.delete("docs")
  fixture.now += 365 * DAY_MS
  await sources.delete("all", { removePages: true })
  expect(await remove()).toBe(2)
  expect(paths()).toEqual(["/docs/", "/docs/a"])
  expect(await new KnownAddresses(fixture.db).get(toPageUrl(site.url("/docs/a"))!, "docs")).not.toBeNull()
})

test("a source being crawled waits, and an interrupted removal continues with the next call", async () => {
  await run("docs")
  await run("all")
  await sources.removePages("docs")
  await sources.removePages("all")
  expect(await remove({ except: new Set(["all", "docs"]) })).toBe(0)
  expect((await sources.removals()).toSorted()).toEqual(["all", "docs"])
  expect(await remove({ except: new Set(["docs"]), signal: AbortSignal.abort() })).toBe(0)
  expect(paths()).toHaveLength(4)
  expect(await remove({ except: new Set(["docs"]) })).toBe(2)
  expect([paths(), await sources.removals()]).toEqual([["/docs/", "/docs/a"], ["docs"]])
  expect(await remove()).toBe(2)
  expect([paths(), await sources.removals()]).toEqual([[], []])
})

test("removing pages waits its turn among the writers", async () => {
  await run("docs")
  await sources.removePages("docs")
  const writes = new Serial()
  const { promise: before, resolve: ended } = Promise.withResolvers<void>()
  const other = writes.run(() => before)
  const removed = remove({ writes })
  await new Promise((done) => setImmediate(done))
  expect(paths()).toHaveLength(2)
  ended()
  await other
  expect(await removed).toBe(2)
  expect(await new Removals(fixture.db).list("removed")).toEqual([])
})
