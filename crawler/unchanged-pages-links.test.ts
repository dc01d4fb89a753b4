import { describe, expect, test } from "vitest"
import type { PageUrl } from "#engine"
import { packLinks, unpackLinks } from "./crawl/frontier/page-links.ts"
import type { SourceSpec } from "./source.ts"
import { CrawlFixture } from "./testing/crawl-fixture.ts"
import {
  type Answer,
  article,
  conditional,
  html,
  startTestSite,
  type TestSite,
  textFile,
} from "./testing/test-site.ts"
import { statement } from "#base/store/testing/statement.ts"

// Sites whose pages don't change, crawled again under other rules: the links of unchanged pages must still be found.

type Spec = Partial<SourceSpec>

class Site implements AsyncDisposable {
  readonly fixture: CrawlFixture
  readonly site: TestSite
  /** The paths that were sent with a body since the last run began, one entry per response. */
  read: string[] = []

  private constructor(site: TestSite, fixture: CrawlFixture) {
    this.site = site
    this.fixture = fixture
  }

  /** A site whose pages have these links; `serve` decides how each page is served. */
  static async of(
    links: Readonly<Record<string, readonly string[]>>,
    serve: (body: string, path: string) => Answer = byDate,
  ): Promise<Site> {
    const served = await startTestSite({ "/robots.txt": textFile("") })
    const site = new Site(served, await CrawlFixture.open())
    const answers = Object.entries(links).map(([path, to]): [string, Answer] => {
      const answer = serve(article(`Page ${path}`, { links: to }), path)
      return [
        path,
        (request, response) => {
          response.on("finish", () => response.statusCode === 200 && site.read.push(path))
          if (typeof answer === "string") html(answer)(request, response)
          else return answer(request, response)
        },
      ]
    })
    site.site.serve(Object.fromEntries(answers))
    return site
  }

  /** Runs a crawl. @returns the paths that the index contains afterwards */
  async run(spec: Spec = {}, visits: "all" | "due" = "all", signal?: AbortSignal): Promise<string[]> {
    this.read = []
    const { seeds = ["/"], ...rest } = spec
    const trigger = visits === "due" ? "schedule" : "run"
    const job = await this.fixture.crawl(
      { name: "site", seeds: seeds.map((seed) => this.site.url(seed)), ...rest },
      { visits, trigger, ...(signal && { signal }) },
    )
    if (!signal && job.state !== "finished") throw new Error(`the run has ${job.state}`)
    return this.pages()
  }

  pages(): string[] {
    return [...this.fixture.engine.pages.keys()].map((url) => new URL(url).pathname).sort()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.fixture[Symbol.asyncDispose]()
    await this.site[Symbol.asyncDispose]()
  }
}

const byDate = (body: string) => conditional(body, { lastModified: "Mon, 05 Jan 2026 00:00:00 GMT" })
const byTag = (body: string) => conditional(body, { etag: '"1"' })
const bare = (body: string) => body

/** `/` links to `/1`, `/1` to `/2`, and so on up to `/last`. */
const chain = (last: number) =>
  Object.fromEntries(
    Array.from({ length: last + 1 }, (_, i) => [i === 0 ? "/" : `/${i}`, i < last ? [`/${i + 1}`] : []]),
  )

describe.each([
  ["Last-Modified", byDate],
  ["an ETag", byTag],
  ["nothing to tell that it is unchanged", bare],
])("a site that sends %s", (_, serve) => {
  test("yields all its pages when the limit is raised from 2 to 100", async () => {
    await using site = await Site.of(
      { "/": ["/a", "/b"], "/a": ["/c"], "/b": [], "/c": ["/d"], "/d": [] },
      serve,
    )
    expect(await site.run({ limits: { pages: 2 } })).toHaveLength(2)
    expect(await site.run({ limits: { pages: 100 } })).toEqual(["/", "/a", "/b", "/c", "/d"])
  })

  test("yields its deeper pages when the depth is raised", async () => {
    await using site = await Site.of(chain(4), serve)
    expect(await site.run({ limits: { depth: 1 } })).toEqual(["/", "/1"])
    expect(await site.run({ limits: { depth: 3 } })).toEqual(["/", "/1", "/2", "/3"])
  })
})

describe("pages that answer 304", () => {
  test("still lead to their links when the scope or a pattern widens", async () => {
    const links = {
      "/docs/": ["/docs/old/x", "/blog/"],
      "/docs/old/x": [],
      "/blog/": ["/blog/1"],
      "/blog/1": [],
    }
    await using site = await Site.of(links)
    const seeds = ["/docs/"]
    expect(await site.run({ seeds, scope: "prefix", exclude: ["/docs/old/**"] })).toEqual(["/docs/"])
    expect(await site.run({ seeds, scope: "prefix" })).toEqual(["/docs/", "/docs/old/x"])
    expect(await site.run({ seeds, include: ["/docs/**", "/blog/"] })).toContain("/blog/")
    expect(await site.run({ seeds })).toEqual(["/blog/", "/blog/1", "/docs/", "/docs/old/x"])
    // No page but this one was read: known pages were not fetched again.
    expect(site.read).toEqual(["/blog/1"])
  })

  test("still lead to their links from a start that was found deep in an earlier crawl", async () => {
    await using site = await Site.of(chain(6))
    expect(await site.run({ limits: { depth: 3 } })).toEqual(["/", "/1", "/2", "/3"])
    const again = await site.run({ seeds: ["/3"], limits: { depth: 2 } })
    expect(again).toEqual(["/", "/1", "/2", "/3", "/4", "/5"])
  })

  test("still lead to their links when they are now nearer to the start", async () => {
    await using site = await Site.of(chain(4))
    expect(await site.run({ limits: { depth: 2 } })).toEqual(["/", "/1", "/2"])
    site.site.serve({ "/": article("Home", { links: ["/1", "/2"] }) })
    expect(await site.run({ limits: { depth: 2 } })).toEqual(["/", "/1", "/2", "/3"])
  })

  test("still lead to their links after an interrupted run", async () => {
    await using site = await Site.of(chain(4))
    const stop = new AbortController()
    const { engine } = site.fixture
    engine.beforeIndex = () => {
      stop.abort()
      return Promise.resolve()
    }
    // The long delay keeps the run from requesting more pages before the first is in the index.
    await site.run({ politeness: { concurrency: 1, delayMs: 8000 } }, "all", stop.signal)
    await site.fixture.jobs.cancel(1)
    expect(site.pages()).toEqual(["/"])
    engine.beforeIndex = () => Promise.resolve()
    expect(await site.run()).toEqual(["/", "/1", "/2", "/3", "/4"])
  })

  test("are read in full when their links are unknown: too many to store, or read by an older version", async () => {
    const many = Array.from({ length: 6000 }, (_, i) => `/${(i * 2654435761).toString(36)}`)
    await using site = await Site.of({
      "/": ["/long", "/short"],
      "/long": many,
      "/short": ["/end"],
      "/end": [],
    })
    await site.run({ limits: { depth: 1 } })
    expect(
      await statement(site.fixture.db, "select url from page_links where url like '%/long'").all(),
    ).toEqual([])
    await site.run({ limits: { depth: 1 } })
    expect(site.read).toEqual(["/long"])
    await site.fixture.db.script("delete from page_links")
    expect(await site.run({ limits: { depth: 2, pages: 100 }, exclude: ["/long"] })).toContain("/end")
  })
})

describe("a scheduled run with no page due", () => {
  test("finds what a raised limit or depth allows, without visiting known pages", async () => {
    await using site = await Site.of({ ...chain(3), "/": ["/1", "/b", "/c"], "/b": [], "/c": [] })
    await site.run({ limits: { pages: 2, depth: 1 } }, "due")
    expect(await site.run({ limits: { pages: 100, depth: 1 } }, "due")).toEqual(["/", "/1", "/b", "/c"])
    expect(await site.run({ limits: { pages: 100, depth: 3 } }, "due")).toEqual([
      "/",
      "/1",
      "/2",
      "/3",
      "/b",
      "/c",
    ])
    expect(site.read.sort()).toEqual(["/2", "/3"])
    expect(await site.run({ limits: { pages: 100, depth: 3 } }, "due")).toHaveLength(6)
    expect(site.read).toEqual([])
  })

  test("continues where the previous run reached its limit", async () => {
    await using site = await Site.of(chain(4))
    for (const pages of [2, 3, 4, 5])
      expect(await site.run({ limits: { pages: 2 } }, "due")).toHaveLength(pages)
  })

  test("reads an unchanged sitemap again when more of its entries belong to the source", async () => {
    await using site = await Site.of({ "/": [], "/docs/a": [], "/blog/b": [] })
    const sitemap = `<urlset><url><loc>/docs/a</loc></url><url><loc>/blog/b</loc></url></urlset>`
    site.site.serve({ "/sitemap.xml": conditional(sitemap, { etag: '"s"' }, "application/xml") })
    expect(await site.run({ exclude: ["/blog/**"] }, "due")).toEqual(["/", "/docs/a"])
    expect(await site.run({}, "due")).toEqual(["/", "/blog/b", "/docs/a"])
  })
})

test("links are stored without loss, including odd ones and those to other hosts", () => {
  const page = "https://docs.example.org/guide/a" as PageUrl
  const links = [
    "https://docs.example.org/",
    "https://docs.example.org/guide/b?x=1&y=%0A#part",
    "https://docs.example.org:8443/b",
    "http://docs.example.org/plain",
    "https://other.example/ü//double",
  ]
  const packed = packLinks(page, [...links, ...links])!
  expect(unpackLinks(page, packed).sort()).toEqual(links.sort())
  expect(unpackLinks(page, packLinks(page, [])!)).toEqual([])
})
