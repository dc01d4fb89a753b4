import { gzipSync } from "node:zlib"
import { describe, expect, test } from "vitest"
import type { PageUrl } from "#engine"
import { freePort } from "#base/testing/free-port.ts"
import { factsOfRun, judgeJob } from "../jobs/results/judge-job.ts"
import { keptOutCounts } from "./frontier/kept-out/kept-out.ts"
import { KnownAddresses } from "./frontier/known-addresses.ts"
import { planLines } from "../commands/sources/sources-text.ts"
import { planSources } from "../sources/file/plan.ts"
import { readSourceSpec } from "../sources/source-spec.ts"
import { Sources } from "../sources/sources.ts"
import { CrawlFixture, testConfig } from "../testing/crawl-fixture.ts"
import {
  article,
  bytes,
  hangs,
  html,
  redirect,
  startTestSite,
  status,
  textFile,
  tooManyRequests,
  unended,
} from "../testing/test-site.ts"

const paths = (fixture: CrawlFixture) =>
  [...fixture.engine.pages.keys()].map((url) => new URL(url).pathname).sort()

describe("a crawl", () => {
  test("finds what links reach, and counts every visit by outcome", async () => {
    await using site = await startTestSite({
      "/": article("Home", {
        links: ["/a", "/b", "/dead", "/image.png", "/secret", "/moved", "https://elsewhere.invalid/"],
      }),
      "/a": article("Alpha", { links: ["/", "/c#there"] }),
      "/b": article("Beta", { head: '<meta name="robots" content="noindex">', links: ["/from-noindex"] }),
      "/c": article("Gamma"),
      "/from-noindex": article("Delta", {
        head: '<meta name="robots" content="nofollow">',
        links: ["/never"],
      }),
      "/never": article("Never"),
      "/image.png": bytes("\x89PNG", { "content-type": "image/png" }),
      "/moved": redirect("/target"),
      "/target": article("Target"),
      "/robots.txt": textFile("User-agent: *\nDisallow: /secret"),
      "/secret": article("Secret"),
    })
    await using fixture = await CrawlFixture.open()
    const job = await fixture.crawl({ seeds: [site.origin] })
    expect(job).toMatchObject({ state: "finished", queued: 0, error: null })
    expect(job.outcomes).toEqual({
      indexed: 5,
      "failed:http-status": 1,
      "skipped:duplicate": 1,
      "skipped:noindex": 1,
      "skipped:robots": 1,
      "skipped:unsupported-type": 1,
    })
    expect(paths(fixture)).toEqual(["/", "/a", "/c", "/from-noindex", "/target"])
    expect(site.requests).not.toContain("/secret")
    expect(new Set(site.requests).size).toBe(site.requests.length)
  })

  test("records a page's topic, country and audience, or the topic set for all", async () => {
    const news = '<script type="application/ld+json">{"@type":"NewsArticle"}</script>'
    await using site = await startTestSite({
      "/": article("Home", { links: ["/report", "/adults"], head: '<meta name="geo.country" content="FR">' }),
      "/report": article("Report", { head: news }),
      "/adults": article("Adults", { head: '<meta name="rating" content="adult">' }),
    })
    await using fixture = await CrawlFixture.open()
    await fixture.crawl({ seeds: [site.origin] })
    const facts = () =>
      Object.fromEntries(
        [...fixture.engine.pages.values()].map(({ url, topic, country, unsafe }) => [
          new URL(url).pathname,
          { topic, country, unsafe },
        ]),
      )
    expect(facts()).toEqual({
      "/": { topic: null, country: "fr", unsafe: false },
      "/report": { topic: "news", country: null, unsafe: false },
      "/adults": { topic: null, country: null, unsafe: true },
    })
    await fixture.crawl({ seeds: [site.origin], pages: { topic: "finance" } })
    expect(Object.values(facts()).map(({ topic }) => topic)).toEqual(["finance", "finance", "finance"])
  })

  test("records a page's title, text, source and address", async () => {
    await using site = await startTestSite({ "/": article("Home") })
    await using fixture = await CrawlFixture.open()
    await fixture.crawl({ seeds: [site.origin], name: "handbook" })
    const page = await fixture.engine.get(site.url("/") as PageUrl)
    expect(page).toMatchObject({ url: site.url("/"), title: "Home", language: "en", source: "handbook" })
    expect(page?.markdown).toContain("Home is explained here")
  })

  test("goes as deep as configured", async () => {
    await using site = await startTestSite({
      "/": article("Zero", { links: ["/1"] }),
      "/1": article("One", { links: ["/2"] }),
      "/2": article("Two", { links: ["/3"] }),
      "/3": article("Three"),
    })
    for (const [depth, found] of [
      [0, ["/"]],
      [2, ["/", "/1", "/2"]],
    ] as const) {
      await using fixture = await CrawlFixture.open()
      await fixture.crawl({ seeds: [site.origin], limits: { depth } })
      expect(paths(fixture)).toEqual(found)
    }
  })

  test("reads no more pages than the limit, whatever else it finds", async () => {
    const links = ["/dead1", "/dead2", ...Array.from({ length: 40 }, (_, index) => `/p${index}`)]
    const pages = Object.fromEntries(links.slice(2).map((path) => [path, article(path)]))
    await using site = await startTestSite({ "/": article("Home", { links }), ...pages })
    await using fixture = await CrawlFixture.open()
    const job = await fixture.crawl({ seeds: [site.origin], limits: { pages: 10 } })
    expect(job.state).toBe("finished")
    expect(job.outcomes["indexed"]).toBe(10)
  })

  test("counts a page reached early by a redirect only once", async () => {
    const links = ["/old", ...Array.from({ length: 9 }, (_, index) => `/p${index}`)]
    const pages = Object.fromEntries(links.slice(1).map((path) => [path, article(path)]))
    await using site = await startTestSite({ "/": article("Home", { links }), ...pages })
    site.serve({ "/old": redirect("/p8") })
    await using fixture = await CrawlFixture.open()
    const config = testConfig({ FOSSICK_FETCH_CONCURRENCY: "1" })
    const job = await fixture.crawl({ seeds: [site.origin], limits: { pages: 10 } }, { config })
    expect(job.outcomes).toEqual({ indexed: 10, "skipped:duplicate": 1 })
    expect(site.requests.filter((path) => path === "/p8")).toHaveLength(1)
  })

  test("stays below the start's folder with scope prefix, and reports redirects that leave it", async () => {
    await using site = await startTestSite({
      "/docs/": article("Docs", { links: ["/docs/a", "/blog", "/docs/out"] }),
      "/docs/a": article("Alpha"),
      "/docs/out": redirect("/blog"),
      "/blog": article("Blog"),
    })
    await using fixture = await CrawlFixture.open()
    const job = await fixture.crawl({ seeds: [site.url("/docs/")], scope: "prefix" })
    expect(job.outcomes).toEqual({ indexed: 2, "skipped:out-of-scope": 1 })
    expect(site.requests).not.toContain("/blog")
  })

  test("treats the redirect target of its start as the site", async () => {
    await using site = await startTestSite({
      "/": article("Home", { links: ["/a"] }),
      "/a": article("Alpha"),
    })
    await using front = await startTestSite({ "/": redirect(site.url("/")) })
    await using fixture = await CrawlFixture.open()
    await fixture.crawl({ seeds: [front.origin] })
    expect([...fixture.engine.pages.keys()].sort()).toEqual([site.url("/"), site.url("/a")])
  })
})

describe("pages with several addresses", () => {
  test("are read at a canonical address inside the scope", async () => {
    await using site = await startTestSite({
      "/": article("Home", { links: ["/print"] }),
      "/print": article("Page", { head: '<link rel="canonical" href="/page">' }),
      "/page": article("Page", { head: '<link rel="canonical" href="/page">' }),
    })
    await using fixture = await CrawlFixture.open()
    const job = await fixture.crawl({ seeds: [site.origin] })
    expect(paths(fixture)).toEqual(["/", "/page"])
    expect(job.outcomes).toEqual({ indexed: 2, "skipped:duplicate": 1 })
  })

  test("are not lost to a canonical that leads elsewhere, nowhere or in a circle", async () => {
    await using site = await startTestSite({
      "/": article("Home", {
        links: ["/mirror", "/a", "/b"],
        head: '<link rel="canonical" href="https://upstream.invalid/">',
      }),
      "/mirror": article("Mirror", { head: '<link rel="canonical" href="https://upstream.invalid/mirror">' }),
      "/a": article("A", { head: '<link rel="canonical" href="/b">' }),
      "/b": article("B", { head: '<link rel="canonical" href="/a">' }),
    })
    await using fixture = await CrawlFixture.open()
    await fixture.crawl({ seeds: [site.origin] }, { config: testConfig({ FOSSICK_FETCH_CONCURRENCY: "1" }) })
    expect(paths(fixture)).toContain("/mirror")
    expect(paths(fixture).filter((path) => path === "/a" || path === "/b")).toHaveLength(1)
  })
})

describe("sitemaps", () => {
  test("named in robots.txt, as indexes, gzipped or as text, add pages that nobody links", async () => {
    const pages = ["/1", "/2", "/3", "/outside/4"]
    await using site = await startTestSite(Object.fromEntries(pages.map((path) => [path, article(path)])))
    site.serve({
      "/": article("Home"),
      "/robots.txt": textFile(`Sitemap: ${site.url("/index.xml")}`),
      "/index.xml": bytes(
        `<?xml version="1.0"?><sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><sitemap><loc>${site.url("/one.xml.gz")}</loc></sitemap><sitemap><loc> ${site.url("/two.txt")} </loc></sitemap><sitemap><loc>${site.url("/index.xml")}</loc></sitemap></sitemapindex>`,
        { "content-type": "application/xml" },
      ),
      "/one.xml.gz": bytes(
        gzipSync(
          `<urlset><url><loc><![CDATA[${site.url("/1")}]]></loc><image:image><image:loc>${site.url("/i.png")}</image:loc></image:image></url><url><loc>${site.url("/2?a=1&amp;b=2")}</loc></url></urlset>`,
        ),
        { "content-type": "application/gzip" },
      ),
      "/two.txt": textFile(`${site.url("/3")}\nhttps://elsewhere.invalid/x\nnot an address`),
    })
    await using fixture = await CrawlFixture.open()
    await fixture.crawl({ seeds: [site.origin] })
    expect(paths(fixture)).toEqual(["/", "/1", "/2", "/3"])
    expect(site.requests.filter((path) => path === "/index.xml")).toHaveLength(1)
    expect(site.requests).not.toContain("/i.png")
  })

  test("and feeds that cannot be read in full are named in the run, and in its source's plan", async () => {
    const listed = (...all: string[]) =>
      `<urlset>${all.map((path) => `<url><loc>${site.url(path)}</loc></url>`).join("")}`
    await using site = await startTestSite({
      "/": article("Home"),
      "/one": article("One"),
      "/two": article("Two"),
    })
    const named = ["cut.xml", "page.xml", "gone.xml"].map((file) => `Sitemap: ${site.url(`/${file}`)}`)
    site.serve({
      "/robots.txt": textFile([...named, "Sitemap: /good.xml"].join("\n")),
      "/cut.xml": unended(`${listed("/one")}<url><loc>${site.url("/tw")}`, { "content-type": "text/xml" }),
      "/page.xml": article("A page"),
      "/good.xml": `${listed("/two")}</urlset>`,
    })
    await using fixture = await CrawlFixture.open()
    const source = { name: "lists", seeds: [site.origin] }
    const { note } = await fixture.crawl(source)
    const notes = [
      `the sitemap ${site.url("/cut.xml")} is cut off: only its complete entries were read`,
      `the sitemap ${site.url("/page.xml")} is a web page and lists no addresses`,
      `the sitemap ${site.url("/gone.xml")} could not be read: the site answered 404`,
    ]
    expect(note).toBe(notes.join("; "))
    expect(paths(fixture)).toEqual(["/", "/one", "/two"])
    expect(site.requests).not.toContain("/tw")
    const plan = await planSources(fixture.db, new Sources(fixture.db, fixture.jobs), [
      readSourceSpec(source),
    ])
    expect(planLines(plan, false)).toEqual([
      expect.stringMatching(/^\+ lists: new/),
      ...notes.map((one) => `! lists: in its last run, ${one}`),
    ])
    // A file that no page or list mentions can be anything.
    await using quiet = await startTestSite({ "/": article("Home"), "/sitemap.xml": article("Not found") })
    expect(await fixture.crawl({ name: "quiet", seeds: [quiet.origin] })).toMatchObject({ note: null })
  })

  test("and llms.txt bring in pages; dead links in llms.txt don't count against the site", async () => {
    const dead = Array.from({ length: 60 }, (_, at) => `- [Old ${at}](/old/${at}.md)`)
    await using site = await startTestSite({
      "/": article("Home", { links: ["/linked", "/dead"] }),
      "/linked": article("Linked"),
      "/llms.txt": textFile(`# Site\n\n- [Guide](/guide.md)\n- [Only](/only.md)\n${dead.join("\n")}\n`),
      "/guide": article("Guide"),
      "/guide.md": bytes("# Guide\n\nThe same.", { "content-type": "text/markdown" }),
      "/only.md": bytes(`# Only\n\n${"Nothing else has this text. ".repeat(20)}`, {
        "content-type": "text/markdown",
      }),
    })
    await using fixture = await CrawlFixture.open()
    const job = await fixture.crawl({ name: "site", seeds: [site.origin] })
    expect(paths(fixture)).toEqual(["/", "/guide", "/linked", "/only.md"])
    expect(site.requests).not.toContain("/guide.md")
    expect(job.note).toBeNull()
    expect(judgeJob(job, await factsOfRun(fixture.db, job), { held: 0 })).toEqual({
      result: "finished",
      reason: null,
    })
    expect(await keptOutCounts(fixture.db, "site")).toEqual([
      { outcome: "failed:http-status", status: 404, count: 1 },
    ])
    expect(await new KnownAddresses(fixture.db).get(site.url("/guide") as PageUrl)).toMatchObject({
      foundHow: "llms",
      foundOn: site.url("/llms.txt"),
    })
  })

  test("may be longer than a page, and list no more than the standard allows", async () => {
    const lines = Array.from({ length: 60_000 }, (_, index) => `http://elsewhere.invalid/${index}`)
    await using site = await startTestSite({ "/": article("Home"), "/early": article("Early") })
    site.serve({
      "/sitemap.xml": textFile([site.url("/early"), ...lines, site.url("/late")].join("\n")),
      "/late": article("Late"),
    })
    await using fixture = await CrawlFixture.open()
    const config = testConfig({ FOSSICK_MAX_PAGE_BYTES: "100000" })
    await fixture.crawl({ seeds: [site.origin] }, { config })
    expect(paths(fixture)).toEqual(["/", "/early"])
  })
})

describe("sites in trouble", () => {
  test("get a later visit for a page that asks to wait", async () => {
    await using site = await startTestSite({
      "/": article("Home", { links: ["/busy"] }),
      "/busy": tooManyRequests("0", 1, html(article("Busy"))),
    })
    await using fixture = await CrawlFixture.open()
    expect((await fixture.crawl({ seeds: [site.origin] })).outcomes).toEqual({ indexed: 2 })
  })

  test("get a page that asks for too long a wait postponed, and the crawl ends", async () => {
    await using site = await startTestSite({
      "/": article("Home", { links: ["/busy"] }),
      "/busy": status(503, { "retry-after": "86400" }),
    })
    await using fixture = await CrawlFixture.open()
    expect((await fixture.crawl({ seeds: [site.origin] })).outcomes).toEqual({ indexed: 1, postponed: 1 })
  })

  test("get three tries in all after a server error", async () => {
    await using site = await startTestSite({
      "/": article("Home", { links: ["/broken"] }),
      "/broken": status(500),
    })
    await using fixture = await CrawlFixture.open()
    const job = await fixture.crawl({ seeds: [site.origin] })
    expect(job.outcomes).toEqual({ indexed: 1, "failed:http-status": 1 })
    expect(site.requests.filter((path) => path === "/broken")).toHaveLength(3)
    expect(await fixture.jobs.failures(job.id, 10)).toEqual([
      { url: site.url("/broken"), outcome: "failed:http-status", detail: "the site answered 500" },
    ])
  })

  test("are put off entirely if robots.txt fails", async () => {
    await using site = await startTestSite({ "/": article("Home"), "/robots.txt": status(500) })
    await using fixture = await CrawlFixture.open()
    const config = testConfig({ FOSSICK_MAX_WAIT_MS: "100" })
    expect((await fixture.crawl({ seeds: [site.origin] }, { config })).outcomes).toEqual({ postponed: 1 })
    expect(site.requests).not.toContain("/")
  })

  test("fail with the reason if they are unreachable", async () => {
    await using fixture = await CrawlFixture.open()
    const seeds = [`http://127.0.0.1:${await freePort()}/`]
    expect((await fixture.crawl({ seeds })).outcomes).toEqual({ "failed:refused": 1 })
  })

  test("are given up if they only ever ask to wait, without trying each page", async () => {
    const links = Array.from({ length: 200 }, (_, index) => `/p${index}`)
    const busy = Object.fromEntries(links.map((path) => [path, status(429, { "retry-after": "0" })]))
    await using site = await startTestSite({ "/": article("Home", { links }), ...busy })
    await using fixture = await CrawlFixture.open()
    const config = testConfig({ FOSSICK_FETCH_CONCURRENCY: "1", FOSSICK_MAX_WAIT_MS: "20" })
    const job = await fixture.crawl({ seeds: [site.origin] }, { config })
    expect(job).toMatchObject({ state: "finished", outcomes: { indexed: 1, postponed: 200 } })
    expect(site.requests.filter((path) => path.startsWith("/p")).length).toBe(6)
  })

  test("cannot keep a crawl from stopping with a visit that hangs", async () => {
    const stop = new AbortController()
    await using site = await startTestSite({
      "/": article("Home", { links: ["/hangs"] }),
      "/hangs": (request, response) => {
        hangs()(request, response)
        stop.abort()
      },
    })
    await using fixture = await CrawlFixture.open()
    const job = await fixture.crawl({ seeds: [site.origin] }, { signal: stop.signal })
    expect(job).toMatchObject({ state: "paused", queued: 1, outcomes: { indexed: 1 } })
  })

  test("an engine failure ends the crawl with its error, and pages it did not accept are not reported", async () => {
    await using site = await startTestSite({
      "/": article("Home", { links: ["/a"] }),
      "/a": article("Alpha"),
    })
    await using fixture = await CrawlFixture.open()
    fixture.engine.beforeIndex = () => Promise.reject(new Error("disk full"))
    await expect(fixture.crawl({ seeds: [site.origin] })).rejects.toThrow("disk full")
    expect((await fixture.jobs.list())[0]?.outcomes).toEqual({})
  })
})

describe("a repeated crawl", () => {
  test("visits every page, writes only changes, and removes nothing from the index", async () => {
    await using site = await startTestSite({
      "/": article("Home", { links: ["/a", "/b", "/c"] }),
      "/a": article("Alpha"),
      "/b": article("Beta"),
      "/c": article("Gamma"),
    })
    await using fixture = await CrawlFixture.open()
    await fixture.crawl({ seeds: [site.origin] })
    site.serve({
      "/a": article("Alpha", { text: "Alpha has been written anew, with other words and more of them." }),
      "/b": status(410),
    })
    site.serve({ "/c": article("Gamma", { head: '<meta name="robots" content="noindex">' }) })
    const job = await fixture.crawl({ seeds: [site.origin] })
    expect(job.outcomes).toEqual({ unchanged: 1, indexed: 1, "failed:http-status": 1, "skipped:noindex": 1 })
    expect(paths(fixture)).toEqual(["/", "/a", "/b", "/c"])
    expect((await fixture.engine.get(site.url("/a") as PageUrl))?.markdown).toContain("written anew")
    const known = new KnownAddresses(fixture.db)
    expect(await known.get(site.url("/b") as PageUrl)).toMatchObject({
      outcome: "failed:http-status",
      detail: "the site answered 410",
      job: job.id,
      hash: expect.any(String),
    })
    expect(await known.get(site.url("/c") as PageUrl)).toMatchObject({
      outcome: "skipped:noindex",
      hash: expect.any(String),
    })
  })

  test("indexes again what the index has lost", async () => {
    await using site = await startTestSite({
      "/": article("Home", { links: ["/a"] }),
      "/a": article("Alpha"),
    })
    await using fixture = await CrawlFixture.open()
    await fixture.crawl({ seeds: [site.origin] })
    fixture.engine.pages.delete(site.url("/a") as PageUrl)
    const job = await fixture.crawl({ seeds: [site.origin] })
    expect(job.outcomes).toEqual({ unchanged: 1, indexed: 1 })
    expect(paths(fixture)).toEqual(["/", "/a"])
  })
})

test("a stopped crawl resumes with every page read once and none forgotten", async () => {
  const links = Array.from({ length: 60 }, (_, index) => `/p${index}`)
  const stop = new AbortController()
  const pages = Object.fromEntries(links.map((path) => [path, html(article(path))]))
  await using site = await startTestSite({ "/": article("Home", { links }), ...pages })
  site.serve({
    "/p20": (request, response) => {
      stop.abort()
      html(article("/p20"))(request, response)
    },
  })
  await using fixture = await CrawlFixture.open()
  const config = testConfig({ FOSSICK_FETCH_CONCURRENCY: "4" })
  const first = await fixture.crawl({ seeds: [site.origin] }, { config, signal: stop.signal })
  expect(first.state).toBe("paused")
  expect(first.queued).toBeGreaterThan(0)
  expect(first.outcomes["indexed"]).toBe(fixture.engine.pages.size)

  const second = await fixture.crawl({ seeds: [site.origin] }, { config })
  expect(second).toMatchObject({ id: first.id, state: "finished", queued: 0, outcomes: { indexed: 61 } })
  expect(fixture.engine.pages.size).toBe(61)
  const visits = site.requests.filter((path) => path.startsWith("/p"))
  // Only a visit that was running when the crawl stopped may be repeated.
  expect(visits.length - new Set(visits).size).toBeLessThanOrEqual(4)
})
