import { expect, test } from "vitest"
import type { PageUrl } from "#engine"
import { KnownAddresses } from "../../crawl/frontier/known-addresses.ts"
import { CrawlFixture, testConfig } from "../../testing/crawl-fixture.ts"
import { article, startTestSite } from "../../testing/test-site.ts"
import { applySources, planSources } from "./plan.ts"
import { removeAskedPages } from "../../upkeep/removals/remove-pages.ts"
import { readSourceSpec } from "../source-spec.ts"
import { Sources } from "../sources.ts"
import { planLines } from "../../commands/sources/sources-text.ts"

class Fixture extends CrawlFixture {
  readonly sources = new Sources(this.db, this.jobs)

  async plan(written: readonly object[], { removePages = false } = {}): Promise<string[]> {
    return planLines(
      await planSources(
        this.db,
        this.sources,
        written.map((one) => readSourceSpec(one)),
      ),
      removePages,
    )
  }

  async apply(written: readonly object[], options = {}): Promise<void> {
    await applySources(
      this.sources,
      written.map((one) => readSourceSpec(one)),
      options,
    )
  }
}

test("a plan lists what a file would change, and changes nothing", async () => {
  await using fixture = await Fixture.open()
  await using site = await startTestSite({
    "/": article("Home", { links: ["/docs/a", "/docs/b", "/blog/c"] }),
    "/docs/a": article("Chapter A"),
    "/docs/b": article("Chapter B"),
    "/blog/c": article("Post C"),
  })
  const docs = { name: "docs", seeds: [site.url("/")], rendering: "http" as const }
  const other = { name: "other", seeds: "other.example" }
  const mine = { name: "mine", seeds: "mine.example" }
  expect(await fixture.plan([docs, other])).toEqual(["+ docs: new", "+ other: new"])
  expect(await fixture.sources.list()).toEqual([])
  await fixture.apply([docs, other])
  await fixture.sources.put(mine)
  expect(await fixture.plan([docs, other])).toEqual(["2 unchanged"])
  await fixture.crawl(docs)

  const changed = {
    ...docs,
    exclude: "/blog/**",
    limits: { pages: 100 },
    login: { kind: "basic", user: "ann", password: "${DOCS_PASSWORD}" },
  }
  expect(await fixture.plan([changed, { ...mine, scope: "domain" }])).toEqual([
    "~ docs: changed",
    '    exclude: [] -> ["/blog/**"]',
    "    limits.pages: 10000 -> 100",
    '    login: null -> "basic (values not shown)"',
    "    1 of its 4 pages would no longer belong to it",
    "~ mine: was declared over the API, now in the file",
    '    scope: "host" -> "domain"',
    "- other: no longer declared; it has no pages",
  ])
  await fixture.apply([changed, mine])
  expect((await fixture.sources.list()).map(({ source, origin }) => [source.name, origin])).toEqual([
    ["docs", "file"],
    ["mine", "file"],
  ])
  expect(await fixture.plan([mine])).toEqual([
    "- docs: no longer declared; its 4 pages will stay in the index; to remove them, use --remove-pages",
    "1 unchanged",
  ])
  expect((await fixture.plan([mine], { removePages: true }))[0]).toBe(
    "- docs: no longer declared; its 4 pages will be removed from the index",
  )
})

test("pages of a removed source stay for the sources that share them, as the plan says", async () => {
  await using fixture = await Fixture.open()
  await using site = await startTestSite({
    "/": article("Home", { links: ["/a/"] }),
    "/a/": article("Chapter A"),
  })
  const whole = { name: "whole", seeds: [site.url("/")], rendering: "http" as const }
  const chapter = { name: "chapter", seeds: [site.url("/a/")], scope: "prefix" as const }
  await fixture.apply([whole, chapter])
  await fixture.crawl(whole)
  await fixture.crawl(chapter)
  expect((await fixture.plan([chapter], { removePages: true }))[0]).toBe(
    "- whole: no longer declared; its 2 pages will be removed from the index, except 1 that other sources also have",
  )
  await fixture.apply([chapter], { removePages: true })
  const { db, engine, sources } = fixture
  expect(await removeAskedPages({ db, engine, sources, signal: new AbortController().signal })).toBe(1)
  expect((await engine.stats()).pages).toBe(1)
})

test("a removed source leaves its pages, unless they are to be removed too", async () => {
  await using fixture = await Fixture.open()
  await using site = await startTestSite({
    "/": article("Home", { links: ["/a"] }),
    "/a": article("Chapter A"),
  })
  await using other = await startTestSite({ "/": article("Elsewhere") })
  const docs = { name: "docs", seeds: [site.url("/")], rendering: "http" as const }
  const { db, engine, sources } = fixture
  const work = () => removeAskedPages({ db, engine, sources, signal: new AbortController().signal })
  await fixture.apply([docs])
  await fixture.crawl(docs)
  await fixture.crawl({ name: "other", seeds: [other.url("/")], rendering: "http" })

  await fixture.apply([])
  expect(await work()).toBe(0)
  expect((await engine.stats()).pages).toBe(3)

  await fixture.apply([docs])
  await fixture.apply([], { removePages: true })
  expect(await work()).toBe(2)
  expect(await engine.get(site.url("/a") as PageUrl)).toBeNull()
  expect((await engine.stats()).pages).toBe(1)
  expect(await new KnownAddresses(db).get(site.url("/a") as PageUrl)).toBeNull()
  expect(await sources.removals()).toEqual([])

  // When crawled again, the pages are added as new ones.
  expect(await fixture.crawl(docs)).toMatchObject({ state: "finished", outcomes: { indexed: 2 } })
})

test("a change shows how long a full crawl takes, from what is known", async () => {
  await using site = await startTestSite({ "/": article("Home", { links: ["/a"] }), "/a": article("A") })
  await using fixture = await Fixture.open()
  const docs = { name: "docs", seeds: [site.url("/")], rendering: "http" } as const
  await fixture.crawl(docs)
  const slow = readSourceSpec({ ...docs, politeness: { delayMs: 30_000 } })
  const planned = await planSources(fixture.db, fixture.sources, [slow], testConfig())
  expect(planned[0]?.fullCrawl).toEqual({ pages: 2, areKnown: true, seconds: 60, delayMs: 30_000 })
  expect(planLines(planned, false).at(-1)).toBe(
    "    a full crawl: about 2 pages, 1 min at one request per host every 30 s",
  )
})

test("a plan warns when it opens a source to more readers", async () => {
  await using fixture = await Fixture.open()
  const hr = { name: "hr", seeds: ["https://hr.example/"] }
  await fixture.apply([{ ...hr, readers: { allow: "group:hr" } }])
  const plan = async (readers: object | null) =>
    (await fixture.plan([{ ...hr, readers }])).filter((line) => line.startsWith("!"))
  const opened = "will be able to read its 0 pages, except pages with their own readers"
  expect(await plan(null)).toEqual([`! hr: everybody ${opened}`])
  expect(await plan({ deny: "group:interns" })).toEqual([`! hr: everybody ${opened}`])
  expect(await plan({ allow: ["signed-in"] })).toEqual([`! hr: everybody who signs in ${opened}`])
  expect(await plan({ allow: ["group:hr", "group:law"] })).toEqual([])
  await fixture.apply([hr])
  expect(await plan({ allow: "signed-in" })).toEqual([])
})
