import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { type PageUrl, sourcesOf } from "#engine"
import { KnownAddresses } from "./crawl/frontier/known-addresses.ts"
import { carryOutRemovals } from "./upkeep/removals/carry-out.ts"
import { removeAskedPages } from "./upkeep/removals/remove-pages.ts"
import { Removals } from "./upkeep/removals/removals.ts"
import type { SourceSpec } from "./source.ts"
import { readersLabel } from "#engine/index/page/readers.ts"
import { forgetReadersNow, readersNow } from "./sources/readers/readers-now.ts"
import { Sources } from "./sources/sources.ts"
import { DailyCrawls, DAY_MS } from "./testing/daily-crawls.ts"
import { article, conditional, html, startTestSite, status, type TestSite } from "./testing/test-site.ts"
import { tracePage } from "./reporting/why/trace.ts"
import { statement } from "#base/store/testing/statement.ts"

// One site with two sources that crawl overlapping parts: `all` the whole site, `docs` the part below /docs/.

let site: TestSite
let fixture: DailyCrawls
let sources: Sources

beforeEach(async () => {
  fixture = await DailyCrawls.open()
  sources = new Sources(fixture.db, fixture.jobs)
  const image = '<p><img src="/pump.jpg" width="800" height="600" alt="A pump"></p>'
  site = await startTestSite({
    "/": article("Home", { links: ["/docs/", "/news"] }),
    "/news": article("News"),
    "/docs/": article("Docs", { links: ["/docs/a", "/docs/b"] }),
    "/docs/a": conditional(article("Alpha").replace("</h1>", `</h1>${image}`), { etag: '"a"' }),
    "/docs/b": article("Beta"),
  })
})
afterEach(async () => {
  await fixture[Symbol.asyncDispose]()
  await site[Symbol.asyncDispose]()
})

const SPECS = {
  all: () => ({ name: "all", seeds: [site.url("/")] }),
  docs: () => ({ name: "docs", seeds: [site.url("/docs/")], scope: "prefix" as const }),
}

/** A run of a declared source, followed by its judgement, a day after the previous run. */
async function run(name: keyof typeof SPECS, more: Partial<SourceSpec> = {}, isDeclared = true) {
  const spec = { removal: { maxShare: 1 }, ...SPECS[name](), ...more }
  if (isDeclared) await sources.put(spec)
  const { job } = await fixture.crawlNextDay(spec, "run")
  return job.outcomes
}

const url = (path: string) => site.url(path) as PageUrl
const held = () =>
  Object.fromEntries(
    [...fixture.engine.pages.values()].map((page) => [
      page.url.slice(site.origin.length),
      sourcesOf(page).sort().join("+"),
    ]),
  )
const countOf = async (name: string) =>
  Number(
    (
      await statement(
        fixture.db,
        "select count(*) as n from known_address where source = ? and hash is not null",
      ).get(name)
    )?.["n"],
  )
const why = async (path: string) => {
  const { db, jobs, engine } = fixture
  const trace = await tracePage(url(path), {
    db,
    jobs,
    sources,
    removals: new Removals(db, fixture.clock),
    engine,
    clock: fixture.clock,
  })
  return trace.steps.map(({ name, text }) => `${name}: ${text}`).join("\n")
}

describe("a page that two sources crawl", () => {
  test("belongs to both, is counted by both, and stays that way while nothing changes", async () => {
    expect(await run("all")).toMatchObject({ indexed: 5 })
    expect(await run("docs", { pages: { topic: "finance" } })).toMatchObject({ indexed: 3 })
    const shared = {
      "/": "all",
      "/docs/": "all+docs",
      "/docs/a": "all+docs",
      "/docs/b": "all+docs",
      "/news": "all",
    }
    expect(held()).toEqual(shared)
    expect([await countOf("all"), await countOf("docs")]).toEqual([5, 3])
    // The sources set different topics, but do not keep overwriting each other's topic.
    expect(await run("all")).toEqual({ unchanged: 5 })
    expect(await run("docs", { pages: { topic: "finance" } })).toEqual({ unchanged: 3 })
    expect(held()).toEqual(shared)
    expect(await why("/docs/a")).toContain(
      "index: 1 passage, all with vectors; it belongs to the sources all, docs",
    )
    expect(await why("/docs/a")).toMatch(
      /outcome: read, and the same as before .*job 4; for all: read, and the same/,
    )
  })

  test("stays for the other when one excludes it, and belongs to both again when restored", async () => {
    await run("all")
    await run("docs")
    const exclude = ["/docs/a"]
    await run("docs", { exclude })
    expect(held()["/docs/a"]).toBe("all+docs")
    await run("docs", { exclude })
    expect(held()).toMatchObject({ "/docs/a": "all", "/docs/b": "all+docs" })
    expect([await countOf("all"), await countOf("docs")]).toEqual([5, 2])
    expect(await why("/docs/a")).toMatch(/removal: for docs it was removed on/)
    expect(
      await statement(fixture.db, "select count(*) as n from page_images where url like '%/docs/a'").get(),
    ).toEqual({
      n: 1,
    })
    const removals = new Removals(fixture.db, fixture.clock)
    expect(await removals.restore({ urls: [url("/docs/a")] })).toBe(1)
    await carryOutRemovals({ db: fixture.db, engine: fixture.engine, clock: fixture.clock })
    expect(held()["/docs/a"]).toBe("all+docs")
    expect(await countOf("docs")).toBe(3)
  })

  test("has the readers that each of them knows, even after one has excluded and restored it", async () => {
    site.serve({ "/docs/b": html(article("Beta"), { "x-fossick-readers": "allow=group:hr" }) })
    const hr = (source: string) => ({ source, allow: [["group:hr"]], deny: [] })
    const readers = () => fixture.engine.pages.get(url("/docs/b"))?.readers
    await run("all")
    await run("docs")
    expect(readers()).toEqual(expect.arrayContaining([hr("all"), hr("docs")]))
    const exclude = ["/docs/b"]
    await run("docs", { exclude })
    await run("docs", { exclude })
    expect(readers()).toEqual([hr("all")])
    await new Removals(fixture.db, fixture.clock).restore({ urls: [url("/docs/b")] })
    await carryOutRemovals({ db: fixture.db, engine: fixture.engine, clock: fixture.clock })
    expect(readers()).toEqual(expect.arrayContaining([hr("all"), hr("docs")]))
    forgetReadersNow(fixture.db)
    expect((await readersNow(fixture.db)).rules.has(readersLabel(readers())!)).toBe(true)
  })

  test("is removed when both have found it missing, each in two of its own runs", async () => {
    await run("all")
    await run("docs")
    site.serve({ "/docs/a": status(404) })
    await run("docs")
    await run("all")
    expect(held()["/docs/a"]).toBe("all+docs")
    await run("docs")
    expect(held()["/docs/a"]).toBe("all")
    await run("all")
    expect(held()["/docs/a"]).toBeUndefined()
    // Either source can restore the page for itself.
    expect(await new Removals(fixture.db, fixture.clock).restore({ source: "all" })).toBe(1)
    await carryOutRemovals({ db: fixture.db, engine: fixture.engine, clock: fixture.clock })
    expect(held()["/docs/a"]).toBe("all")
  })

  test("stays with the other when one is deleted along with its pages", async () => {
    await run("all")
    await run("docs")
    await sources.delete("all", { removePages: true })
    const { db, engine } = fixture
    await removeAskedPages({ db, engine, sources, signal: new AbortController().signal })
    expect(held()).toEqual({ "/docs/": "docs", "/docs/a": "docs", "/docs/b": "docs" })
    expect([await countOf("all"), await countOf("docs")]).toEqual([0, 3])
    expect(await why("/news")).toContain("no run has seen it: all was deleted with all its records")
    expect(await run("docs")).toEqual({ unchanged: 3 })
    await sources.delete("docs", { removePages: true })
    await removeAskedPages({ db, engine, sources, signal: new AbortController().signal })
    expect(held()).toEqual({})
    expect(await statement(db, "select count(*) as n from page_images").get()).toEqual({ n: 0 })
    expect(await statement(db, "select count(*) as n from page_links").get()).toEqual({ n: 0 })
  })

  test("is not kept by a source that no longer runs, once its site reports it gone", async () => {
    await run("all", {}, false)
    fixture.now += 40 * DAY_MS
    await run("docs")
    site.serve({ "/docs/a": status(410) })
    await run("docs", { exclude: ["/docs/b"] })
    await run("docs", { exclude: ["/docs/b"] })
    // A page that docs leaves out only because of its own rules stays in the index for the other source.
    expect(held()).toMatchObject({ "/docs/b": "all" })
    expect(held()["/docs/a"]).toBeUndefined()
    expect(await new KnownAddresses(fixture.db).get(url("/docs/a"), "all")).toMatchObject({ hash: null })
  })

  test("has a place in each source when they disagree on which addresses are the same page", async () => {
    const same = article("Same", {
      text: "The same text stands at two addresses of this site, word for word. ",
    })
    site.serve({ "/": article("Home", { links: ["/same", "/docs/"] }), "/same": same, "/docs/a": same })
    for (let round = 0; round < 3; round++) {
      await run("all")
      await run("docs")
      expect(held()).toMatchObject({ "/same": "all", "/docs/a": "docs", "/docs/b": "all+docs" })
    }
  })

  test("belongs only to the source that read it last when their logins differ: one may see what the other must not", async () => {
    const login = { kind: "headers", headers: { "x-team": "${TEAM_TOKEN}" } } as const
    await run("all", { login })
    await run("docs")
    expect(held()).toMatchObject({ "/docs/a": "docs", "/news": "all" })
    expect([await countOf("all"), await countOf("docs")]).toEqual([2, 3])
    await run("all", { login })
    expect(held()).toMatchObject({ "/docs/a": "all", "/news": "all" })
    expect([await countOf("all"), await countOf("docs")]).toEqual([5, 0])
  })

  test("stays with the imported source too when it came with an import", async () => {
    await run("docs")
    const page = fixture.engine.pages.get(url("/docs/b"))!
    fixture.engine.pages.set(page.url, { ...page, source: "elsewhere", title: "Older" })
    await run("all")
    expect(held()).toMatchObject({ "/docs/a": "all+docs", "/docs/b": "all+elsewhere" })
  })
})

test("a sitemap shared by two sources is read separately by each", async () => {
  const list = (...paths: string[]) =>
    `<urlset>${paths.map((path) => `<url><loc>${path}</loc></url>`).join("")}</urlset>`
  const listing = async (name: string) =>
    (await new KnownAddresses(fixture.db, fixture.clock).get(url("/docs/b"), name))?.listedIn
  site.serve({ "/sitemap.xml": list("/docs/a", "/docs/b") })
  await run("all")
  await run("docs")
  expect([await listing("all"), await listing("docs")]).toEqual([
    site.url("/sitemap.xml"),
    site.url("/sitemap.xml"),
  ])
  site.serve({ "/sitemap.xml": list("/docs/a") })
  await run("all")
  expect([await listing("all"), await listing("docs")]).toEqual([null, site.url("/sitemap.xml")])
})
