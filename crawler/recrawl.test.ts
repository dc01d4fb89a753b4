import { describe, expect, test } from "vitest"
import type { PageUrl } from "#engine"
import { KnownAddresses } from "./crawl/frontier/known-addresses.ts"
import { LostPages } from "./crawl/frontier/lost-pages.ts"
import type { Visiting } from "./job.ts"
import { CrawlFixture } from "./testing/crawl-fixture.ts"
import {
  type Answer,
  article,
  bytes,
  conditional,
  html,
  redirect,
  startTestSite,
  status,
  type TestSite,
  textFile,
} from "./testing/test-site.ts"
import { statement } from "#base/store/testing/statement.ts"

const HOUR = 3_600_000
const DAY = 24 * HOUR
const START = Date.UTC(2026, 0, 5)

/** A source whose runs follow the test's clock. */
class Runs implements AsyncDisposable {
  readonly fixture: CrawlFixture
  readonly site: TestSite
  now = START
  readonly #indexed: PageUrl[] = []

  private constructor(site: TestSite, fixture: CrawlFixture) {
    this.site = site
    this.fixture = fixture
    this.fixture.engine.beforeIndex = (pages) => {
      this.#indexed.push(...pages.map(({ url }) => url))
      return Promise.resolve()
    }
  }

  static async begin(answers: Readonly<Record<string, Answer>>): Promise<Runs> {
    const site = await startTestSite({ "/robots.txt": textFile(""), ...answers })
    return new Runs(site, await CrawlFixture.open())
  }

  /** @returns the outcomes of visits, and the requested paths except robots.txt, the default sitemap and llms.txt */
  async run(
    visits: Visiting,
    options: Omit<Parameters<CrawlFixture["crawl"]>[0], "seeds"> & { trigger?: "command" | "schedule" } = {},
  ) {
    const { trigger = "schedule", ...spec } = options
    const from = this.site.requests.length
    this.#indexed.length = 0
    const job = await this.fixture.crawl(
      { seeds: [this.site.url("/")], name: "site", ...spec },
      { visits, trigger, clock: () => this.now },
    )
    if (job.state !== "finished") throw new Error(`the run has ${job.state}`)
    const asked = this.site.requests.slice(from).filter((path) => path !== "/robots.txt")
    return {
      outcomes: job.outcomes,
      note: job.note,
      asked: asked.filter((path) => !/^\/(?:sitemap\.xml|llms\.txt|no-such-page-)/.test(path)).sort(),
      indexed: this.#indexed.map((url) => new URL(url).pathname).sort(),
    }
  }

  async known(path: string) {
    return await new KnownAddresses(this.fixture.db).get(this.site.url(path) as PageUrl)
  }

  page(path: string) {
    return this.fixture.engine.pages.get(this.site.url(path) as PageUrl)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.fixture[Symbol.asyncDispose]()
    await this.site[Symbol.asyncDispose]()
  }
}

const xml = (body: string, etag?: string) =>
  etag === undefined
    ? bytes(body, { "content-type": "application/xml" })
    : conditional(body, { etag }, "application/xml")

describe("conditional requests", () => {
  test("avoid downloading unchanged pages; the page and its links stay", async () => {
    await using runs = await Runs.begin({
      "/": conditional(article("Home", { links: ["/a", "/b"] }), { etag: '"1"' }),
      "/a": conditional(article("Alpha", { links: ["/c"] }), {
        lastModified: "Mon, 05 Jan 2026 00:00:00 GMT",
      }),
      "/b": article("Beta"),
      "/c": article("Gamma"),
    })
    await runs.run("all")
    runs.site.serve({ "/b": article("Beta", { text: "Beta was written anew, and says other things now." }) })
    const again = await runs.run("all")
    expect(again).toMatchObject({ asked: ["/", "/a", "/b", "/c"], indexed: ["/b"] })
    expect(again.outcomes).toEqual({ unchanged: 3, indexed: 1 })
    expect(await runs.known("/")).toMatchObject({
      outcome: "unchanged",
      detail: "not modified since the last read",
    })
    expect(runs.fixture.engine.pages.size).toBe(4)
  })

  test("a page lost from the index is read in full, whatever else it contains, and is due at once", async () => {
    await using runs = await Runs.begin({
      "/": conditional(article("Home", { links: ["/a", "/b"] }), { etag: '"1"' }),
      "/a": conditional(article("Alpha"), { etag: '"2"' }),
      "/b": article("Beta"),
    })
    await runs.run("all")
    const { engine } = runs.fixture
    // Pages that no crawl has recorded, so that a comparison of page counts reveals nothing.
    const foreign = [1, 2].map((i) => ({
      ...runs.page("/")!,
      url: `https://elsewhere.example/${i}` as PageUrl,
    }))
    await engine.index(foreign)
    const lost = ["/a", "/b"].map((path) => runs.site.url(path) as PageUrl)
    await engine.remove(lost)
    const again = await runs.run("all")
    expect(again.outcomes).toEqual({ unchanged: 1, indexed: 2 })
    expect(again.indexed).toEqual(["/a", "/b"])

    await engine.remove(lost)
    const pages = new LostPages(runs.fixture.db)
    expect(await pages.find(engine, new AbortController().signal)).toBe(2)
    expect(await pages.count()).toBe(2)
    expect(await runs.known("/a")).toMatchObject({ hash: null, dueAt: 0, validators: { etag: null } })
    runs.now = Date.now() + HOUR
    expect((await runs.run("due")).indexed).toEqual(["/a", "/b"])
    expect(await pages.count()).toBe(0)
    expect(await pages.find(engine, new AbortController().signal)).toBe(0)
  })

  test("a page keeps its image notes, and its topic from a news sitemap, on a 304", async () => {
    const picture = '<p><img src="/big.jpg" width="800" height="600" alt="A harbour"></p>'
    await using runs = await Runs.begin({
      "/": article("Home"),
      "/news": conditional(article("News").replace("</h1>", `</h1>${picture}`), { etag: '"n"' }),
      "/sitemap.xml": xml(
        `<urlset><url><loc>/news</loc><news:news><news:publication_date>2026-01-04</news:publication_date></news:news></url></urlset>`,
      ),
    })
    const notes = () =>
      statement(runs.fixture.db, "select images from page_images where url like '%/news'").get()
    await runs.run("all")
    expect(runs.page("/news")).toMatchObject({ topic: "news", publishedAt: new Date("2026-01-04") })
    const noted = await notes()
    expect(noted).toMatchObject({ images: expect.stringContaining("big.jpg") as unknown })
    // News sitemaps list only the articles of the last two days; facts about earlier articles are kept.
    runs.site.serve({ "/sitemap.xml": xml("<urlset></urlset>") })
    runs.now += 3 * DAY
    expect(await runs.run("all")).toMatchObject({ outcomes: { unchanged: 2 }, indexed: [] })
    expect(await notes()).toEqual(noted)
    expect(runs.page("/news")).toMatchObject({ topic: "news" })
    expect(await runs.run("all")).toMatchObject({ indexed: [] })
  })

  test("are not sent when the same bytes would make a different page", async () => {
    await using runs = await Runs.begin({ "/": conditional(article("Home"), { etag: '"1"' }) })
    await runs.run("all")
    const changed = await runs.run("all", { pages: { topic: "finance" } })
    expect(changed).toMatchObject({ outcomes: { indexed: 1 }, indexed: ["/"] })
    expect(runs.page("/")).toMatchObject({ topic: "finance" })
    expect(await runs.run("all", { pages: { topic: "finance" } })).toMatchObject({
      outcomes: { unchanged: 1 },
      indexed: [],
    })
  })

  test("heading anchors that change on every visit do not cause reindexing", async () => {
    let hits = 0
    const page = () => {
      hits += 1
      const name = `h-${hits}`
      const text = `set up as written below</p><h2 id="${name}">Set-up</h2><p>The set-up takes a minute.`
      return article("Home", { text: hits < 4 ? text : `${text} Or two.` })
    }
    await using runs = await Runs.begin({ "/": (request, response) => html(page())(request, response) })
    await runs.run("all")
    expect(runs.page("/")?.anchors?.flat()).toContain("h-1")
    for (let visit = 2; visit < 4; visit++) {
      expect(await runs.run("all")).toMatchObject({ outcomes: { unchanged: 1 }, indexed: [] })
    }
    expect(await runs.run("all")).toMatchObject({ outcomes: { indexed: 1 }, indexed: ["/"] })
    expect(runs.page("/")?.anchors?.flat()).toContain("h-4")
  })

  test("a date that advances with every request, or a new ETag, does not cause reindexing", async () => {
    let hits = 0
    await using runs = await Runs.begin({
      "/": (request, response) => {
        hits += 1
        const lastModified = new Date(START - DAY + hits * 1000).toUTCString()
        conditional(article("Home"), { etag: `"${hits}"`, lastModified })(request, response)
      },
    })
    await runs.run("all")
    expect(await runs.run("all")).toMatchObject({ outcomes: { unchanged: 1 }, indexed: [] })
    expect(hits).toBe(2)
  })

  test("a page that returns after being gone or noindex is read in full", async () => {
    const tagged = conditional(article("Alpha"), { etag: '"a"' })
    await using runs = await Runs.begin({ "/": article("Home", { links: ["/a"] }), "/a": tagged })
    await runs.run("all")
    runs.site.serve({ "/a": status(404) })
    expect((await runs.run("all")).outcomes).toMatchObject({ "failed:http-status": 1 })
    const sent: unknown[] = []
    runs.site.serve({
      "/a": (request, response) => {
        sent.push(request.headers["if-none-match"])
        tagged(request, response)
      },
    })
    expect((await runs.run("all")).outcomes).toEqual({ unchanged: 2 })
    expect((await runs.run("all")).outcomes).toEqual({ unchanged: 2 })
    expect(sent).toEqual([undefined, '"a"'])
  })

  test("a noindex header on the 304 is obeyed", async () => {
    await using runs = await Runs.begin({
      "/": conditional(article("Home", { links: ["/a"] }), { etag: '"1"' }),
      "/a": conditional(article("Alpha"), { etag: '"a"' }),
    })
    await runs.run("all")
    runs.site.serve({
      "/a": (_, response) => {
        response.writeHead(304, { etag: '"a"', "x-robots-tag": "noindex" }).end()
      },
    })
    expect((await runs.run("all")).outcomes).toEqual({ unchanged: 1, "skipped:noindex": 1 })
  })

  test("validators belong to the page: a redirect target gets none", async () => {
    const sent: unknown[] = []
    await using runs = await Runs.begin({
      "/": article("Home", { links: ["/a"] }),
      "/a": conditional(article("Alpha"), { etag: '"same"' }),
      "/new": (request, response) => {
        sent.push(request.headers["if-none-match"])
        conditional(article("New"), { etag: '"same"' })(request, response)
      },
    })
    await runs.run("all")
    runs.site.serve({ "/a": redirect("/new") })
    expect((await runs.run("all")).outcomes).toEqual({ unchanged: 1, indexed: 1, "skipped:duplicate": 1 })
    expect(sent).toEqual([undefined])
    expect(await runs.known("/new")).toMatchObject({ foundHow: "redirect", foundOn: runs.site.url("/a") })
  })
})

describe("pages to visit", () => {
  test("a due run visits the seeds and whatever is due, and follows only new links from them", async () => {
    await using runs = await Runs.begin({
      "/": article("Home", { links: ["/a", "/b"] }),
      "/a": article("Alpha", { links: ["/b"] }),
      "/b": article("Beta"),
    })
    await runs.run("all")
    runs.now += HOUR
    expect(await runs.run("due")).toMatchObject({ asked: ["/"], outcomes: { unchanged: 1 } })
    runs.site.serve({ "/": article("Home", { links: ["/a", "/new"] }), "/new": article("New") })
    expect(await runs.run("due")).toMatchObject({ asked: ["/", "/new"], indexed: ["/new"] })
    runs.now += DAY
    expect((await runs.run("due")).asked).toEqual(["/", "/a", "/b", "/new"])
    // Unchanged pages are revisited later, changed ones sooner.
    expect((await runs.known("/a"))?.intervalMs).toBeGreaterThan(DAY)
    expect((await runs.known("/a"))?.depth).toBe(1)
  })

  test("an address without links to it is still visited, and dead ones when they are due", async () => {
    await using runs = await Runs.begin({
      "/": article("Home", { links: ["/a", "/dead"] }),
      "/a": article("Alpha", { links: ["/hidden"] }),
      "/hidden": article("Hidden"),
    })
    await runs.run("all")
    expect(await runs.known("/hidden")).toMatchObject({
      foundHow: "link",
      foundOn: runs.site.url("/a"),
      depth: 2,
    })
    runs.site.serve({ "/": article("Home"), "/a": article("Alpha") })
    expect((await runs.run("all")).asked).toEqual(["/", "/a", "/hidden"])
    runs.now += DAY
    expect((await runs.run("all")).asked).toEqual(["/", "/a", "/dead", "/hidden"])
  })

  test("an address now out of scope is closed without a fetch, except in a manual crawl", async () => {
    await using runs = await Runs.begin({
      "/": article("Home", { links: ["/a", "/b/c"] }),
      "/a": article("Alpha"),
      "/b/c": article("Gamma"),
    })
    await runs.run("all")
    const narrow = { exclude: ["/b/**"] }
    expect(await runs.run("all", { ...narrow, trigger: "command" })).toMatchObject({
      asked: ["/", "/a"],
      outcomes: { unchanged: 2 },
    })
    expect(await runs.run("due", narrow)).toMatchObject({
      asked: ["/"],
      outcomes: { unchanged: 1, "skipped:out-of-scope": 1 },
    })
    expect(await runs.known("/b/c")).toMatchObject({
      outcome: "skipped:out-of-scope",
      detail: "no longer in the scope of the source",
      hash: expect.any(String) as unknown,
    })
    expect((await runs.run("all", { limits: { depth: 0 } })).outcomes).toEqual({
      unchanged: 1,
      "skipped:out-of-scope": 2,
    })
  })
})

describe("sitemaps", () => {
  const listing = (...pages: readonly (readonly [path: string, lastmod?: string])[]) =>
    `<urlset>${pages
      .map(([path, date]) => `<url><loc>${path}</loc>${date ? `<lastmod>${date}</lastmod>` : ""}</url>`)
      .join("")}</urlset>`

  test("a newer date makes a page due at once, an older one delays it, and removal from the list makes it due", async () => {
    const old = "2026-01-01T00:00:00Z"
    await using runs = await Runs.begin({
      "/": article("Home"),
      ...Object.fromEntries(["/a", "/b", "/c", "/plain"].map((path) => [path, article(path)])),
      "/sitemap.xml": xml(listing(["/a", old], ["/b", old], ["/c", old], ["/plain"])),
    })
    await runs.run("all")
    runs.now += 2 * DAY
    expect((await runs.run("due")).asked).toEqual(["/", "/plain"])
    runs.site.serve({
      "/sitemap.xml": xml(listing(["/a", new Date(runs.now - HOUR).toISOString()], ["/b", old], ["/plain"])),
    })
    expect((await runs.run("due")).asked).toEqual(["/", "/a", "/c"])
    runs.now += 28 * DAY
    expect((await runs.run("due")).asked).toEqual(["/", "/a", "/b", "/c", "/plain"])
  })

  test("a sitemap that redates everything does not bring pages back before the shortest interval", async () => {
    await using runs = await Runs.begin({ "/": article("Home"), "/a": article("Alpha") })
    const fresh = () => {
      runs.site.serve({ "/sitemap.xml": xml(listing(["/a", new Date(runs.now + 1000).toISOString()])) })
    }
    fresh()
    await runs.run("all")
    runs.now += HOUR / 2
    fresh()
    expect((await runs.run("due")).asked).toEqual(["/"])
    runs.now += HOUR
    fresh()
    expect((await runs.run("due")).asked).toEqual(["/", "/a"])
  })

  test("a sitemap index tells which sitemaps to read again; an unmodified one is not taken for empty", async () => {
    const index = (date: string) =>
      `<sitemapindex><sitemap><loc>/one.xml</loc><lastmod>2026-01-01T00:00:00Z</lastmod></sitemap>
       <sitemap><loc>/two.xml</loc><lastmod>${date}</lastmod></sitemap><sitemap><loc>/three.xml</loc></sitemap></sitemapindex>`
    await using runs = await Runs.begin({
      "/": article("Home"),
      ...Object.fromEntries(["/1", "/2", "/3", "/4"].map((path) => [path, article(path)])),
      "/sitemap.xml": xml(index("2026-01-01T00:00:00Z"), '"i1"'),
      "/one.xml": xml(listing(["/1"])),
      "/two.xml": xml(listing(["/2"])),
      "/three.xml": xml(listing(["/3"]), '"t"'),
    })
    const first = await runs.run("all")
    expect(first.asked).toEqual(["/", "/1", "/2", "/3", "/one.xml", "/three.xml", "/two.xml"])
    runs.now += HOUR
    // The sitemap index is the same, and lists one sitemap without a date, which is requested separately.
    expect((await runs.run("due")).asked).toEqual(["/", "/three.xml"])
    runs.site.serve({
      "/sitemap.xml": xml(index("2026-01-02T00:00:00Z"), '"i2"'),
      "/two.xml": xml(listing(["/2"], ["/4"])),
    })
    expect(await runs.run("due")).toMatchObject({
      asked: ["/", "/4", "/three.xml", "/two.xml"],
      indexed: ["/4"],
    })
    expect((await runs.run("due")).asked).toEqual(["/", "/three.xml"])
  })

  test("a run that ended at a limit is followed by one that reads the lists again", async () => {
    const paths = Array.from({ length: 20 }, (_, index) => `/p${index}`)
    await using runs = await Runs.begin({
      "/": article("Home"),
      ...Object.fromEntries(paths.map((path) => [path, article(path)])),
      "/sitemap.xml": xml(listing(...paths.map((path) => [path] as const)), '"s"'),
    })
    const cut = await runs.run("due", { limits: { pages: 5 } })
    expect(cut).toMatchObject({ outcomes: { indexed: 5 }, note: "ended at the limit of 5 pages" })
    expect((await runs.run("due")).outcomes).toEqual({ unchanged: 1, indexed: 16 })
  })

  test("from the source are read in addition to the site's own", async () => {
    await using runs = await Runs.begin({
      "/": article("Home"),
      "/x": article("X"),
      "/extra.txt": (request, response) => {
        textFile(`${runs.site.url("/x")}\n`)(request, response)
      },
    })
    const { indexed } = await runs.run("all", { sitemaps: [runs.site.url("/extra.txt")] })
    expect(indexed).toEqual(["/", "/x"])
  })
})

describe("feeds", () => {
  const rss = (...paths: string[]) =>
    `<rss><channel>${paths.map((path) => `<item><link>${path}</link><pubDate>Sun, 04 Jan 2026 10:00:00 GMT</pubDate></item>`).join("")}</channel></rss>`

  test("from the first page or the source provide entries, and are requested conditionally", async () => {
    const home = article("Home", {
      head: '<link rel="alternate" type="application/rss+xml" href="/feed">',
    })
    const feed = { etag: '"f"' }
    await using runs = await Runs.begin({
      "/": conditional(home, { etag: '"h"' }),
      "/feed": conditional(rss("/a", "https://elsewhere.invalid/"), feed, "application/rss+xml"),
      "/own": xml(`<feed><entry><link href="/b"/></entry></feed>`),
      "/a": article("Alpha"),
      "/b": article("Beta"),
      "/c": article("Gamma"),
    })
    const feeds = [runs.site.url("/own")]
    expect((await runs.run("all", { feeds })).indexed).toEqual(["/", "/a", "/b"])
    expect(await runs.known("/a")).toMatchObject({ foundHow: "feed", foundOn: runs.site.url("/feed") })
    expect(runs.page("/a")).toMatchObject({ topic: null, publishedAt: new Date("2026-01-04T10:00:00Z") })
    runs.now += HOUR
    // The first page is not read again, but its feed is.
    runs.site.serve({ "/feed": conditional(rss("/c", "/a"), { etag: '"f2"' }, "application/rss+xml") })
    expect(await runs.run("due", { feeds })).toMatchObject({
      asked: ["/", "/c", "/feed", "/own"],
      indexed: ["/c"],
    })
  })
})

describe("limits of a source", () => {
  const many = () => {
    const links = Array.from({ length: 60 }, (_, index) => `/p${index}`)
    return Object.fromEntries([
      ["/", article("Home", { links })],
      ...links.map((path) => [path, article(path)] as const),
    ])
  }

  test("bytes end a run with a note in its job; unreached pages are not evidence of removal", async () => {
    await using runs = await Runs.begin(many())
    await runs.run("all")
    runs.now += HOUR
    const cut = await runs.run("all", { limits: { bytes: 20_000 }, politeness: { concurrency: 2 } })
    expect(cut.note).toBe("ended at the limit of 20000 bytes")
    expect(cut.outcomes["unchanged"]).toBeLessThan(60)
    expect(Object.keys(cut.outcomes)).toEqual(["unchanged"])
    runs.now += HOUR
    // The next run begins with the remaining addresses.
    const next = await runs.run("all", { limits: { bytes: 20_000 }, politeness: { concurrency: 2 } })
    expect(next.asked.filter((path) => cut.asked.includes(path)).length).toBeLessThan(cut.asked.length)
  })

  test("minutes end a run", async () => {
    await using runs = await Runs.begin(many())
    const slow: Answer = async (request, response) => {
      await new Promise((done) => setTimeout(done, 80))
      html(article(request.url ?? ""))(request, response)
    }
    runs.site.serve(Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`/p${index}`, slow])))
    const cut = await runs.run("all", { limits: { minutes: 0.005 }, politeness: { concurrency: 2 } })
    expect(cut.note).toBe("ended at the limit of 0.005 minutes")
    expect(cut.asked.length).toBeLessThan(61)
  })
})

test("the source's politeness settings override the general ones", async () => {
  let open = 0
  let most = 0
  const counted: Answer = async (request, response) => {
    most = Math.max(most, ++open)
    await new Promise((done) => setTimeout(done, 10))
    open -= 1
    html(article(request.url ?? ""))(request, response)
  }
  const links = Array.from({ length: 12 }, (_, index) => `/p${index}`)
  await using runs = await Runs.begin({
    "/robots.txt": textFile("User-agent: *\nDisallow: /p1"),
    "/": article("Home", { links }),
    ...Object.fromEntries(links.map((path) => [path, counted])),
  })
  const { outcomes } = await runs.run("all", { politeness: { concurrency: 1, robots: false } })
  expect(outcomes).toEqual({ indexed: 13 })
  expect(most).toBe(1)
  expect((await runs.run("all")).outcomes).toMatchObject({ "skipped:robots": 3 })
})

describe("a run over failed addresses", () => {
  const broken = { "/b": status(403), "/c": status(402) }
  const well = {
    "/": article("Home", { links: ["/a", "/b", "/c"] }),
    "/a": article("Alpha", { links: ["/d"] }),
    "/d": article("Delta"),
  }

  test("visits only those addresses, and new ones that they link to", async () => {
    await using runs = await Runs.begin({ ...well, ...broken })
    expect((await runs.run("all")).outcomes).toEqual({ indexed: 3, "failed:http-status": 2 })
    runs.site.serve({
      "/b": article("Beta", { links: ["/a", "/e"] }),
      "/e": article("Epsilon"),
      "/a": article("Alpha, edited"),
    })
    const again = await runs.run("failed")
    expect(again.outcomes).toEqual({ indexed: 2, "failed:http-status": 1 })
    expect(new Set(again.asked)).toEqual(new Set(["/b", "/c", "/e"]))
    // Addresses that no longer fail are no longer listed.
    runs.site.serve({ "/c": article("Gamma") })
    expect((await runs.run("failed")).outcomes).toEqual({ indexed: 1 })
    expect((await runs.run("failed")).outcomes).toEqual({})
  })

  test("skips a seed that was read, and retries one that failed", async () => {
    await using runs = await Runs.begin({ "/": status(403) })
    await runs.run("all")
    runs.site.serve(well)
    expect((await runs.run("failed")).outcomes).toEqual({ indexed: 3, "failed:http-status": 2 })
  })

  test("does not reduce what the next run covers", async () => {
    await using runs = await Runs.begin({ ...well, ...broken })
    await runs.run("all")
    await runs.run("failed")
    runs.now += HOUR
    expect((await runs.run("due")).asked).toEqual(expect.not.arrayContaining(["/a", "/d"]))
  })
})
