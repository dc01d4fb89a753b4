import { describe, expect, test } from "vitest"
import type { PageUrl } from "#engine"
import { CrawlFixture, testConfig } from "../../testing/crawl-fixture.ts"
import { docx, epub, wordParagraph } from "../../testing/documents.ts"
import {
  type Answer,
  article,
  bytes,
  html,
  startTestSite,
  status,
  type TestSite,
} from "../../testing/test-site.ts"
import { aliasesOf, aliasOf } from "./text-store.ts"
import { statement } from "#base/store/testing/statement.ts"

const oneByOne = testConfig({ FOSSICK_FETCH_CONCURRENCY: "1" })

const paths = (fixture: CrawlFixture) =>
  [...fixture.engine.pages.keys()].map((url) => url.replace(/^http:\/\/[^/]+/, "")).sort()

const aliases = async (fixture: CrawlFixture, site: TestSite, path: string) =>
  (await aliasesOf(fixture.db, site.url(path) as PageUrl)).map(({ url }) => url.slice(site.origin.length))

const detail = async (fixture: CrawlFixture, site: TestSite, path: string) =>
  (await statement(fixture.db, "select detail from known_address where url = ?").get(site.url(path)))?.[
    "detail"
  ]

/** Text that no other seed has: thirty sentences of ten words each. */
function essay(seed: string, lines = 30): string {
  return Array.from(
    { length: lines },
    (_, line) =>
      `<p>${Array.from({ length: 10 }, (__, at) => `${seed}${"abcdefghij"[(line * 7 + at * 3) % 10]}${"klmnopqrst"[(line + at) % 10]}`).join(" ")}.</p>`,
  ).join("")
}

const page = (title: string, body: string, links: readonly string[] = [], head = "") =>
  `<!doctype html><html lang="en"><head><title>${title}</title>${head}</head><body><nav>${links
    .map((link) => `<a href="${link}">${link}</a>`)
    .join(" ")}</nav><main><h1>${title}</h1>${body}</main></body></html>`

describe("spellings of addresses", () => {
  const NAMES = Array.from({ length: 20 }, (_, at) => `/p${at}`)

  test("that a site does not distinguish are learned, and no longer requested", async () => {
    const links = [...NAMES.slice(0, 6).flatMap((name) => [name, `${name}/`]), "/more"]
    const pages = NAMES.flatMap((name) => [
      [name, article(name)],
      [`${name}/`, article(name)],
    ])
    await using site = await startTestSite({
      "/": article("Home", { links }),
      "/more": article("More", { links: NAMES.flatMap((name) => [`${name}/`, name]) }),
      ...Object.fromEntries(pages),
    })
    await using fixture = await CrawlFixture.open()
    await fixture.crawl({ seeds: [site.origin] }, { config: oneByOne })
    expect(paths(fixture)).toEqual(["/", "/more", ...NAMES].sort())
    const asked = site.requests.filter((path) => /^\/p\d+\/$/.test(path))
    expect(asked.length).toBeGreaterThanOrEqual(5)
    expect(asked.length).toBeLessThanOrEqual(8)
    expect(await aliases(fixture, site, "/p0")).toEqual(["/p0/"])

    site.requests.length = 0
    await fixture.crawl({ seeds: [site.origin] }, { config: oneByOne })
    // A slow crawl can make one such request per batch between a page and its other spelling.
    expect(site.requests.filter((path) => /^\/p\d+\/$/.test(path)).length).toBeLessThanOrEqual(4)
    expect(paths(fixture)).toHaveLength(22)
  })

  test("are kept if one of them is missing", async () => {
    const links = NAMES.flatMap((name) => [`${name}/`, name])
    const pages = NAMES.map((name, at) => [at % 5 === 4 ? `${name}/` : name, article(name)])
    const both = NAMES.slice(0, 4).map((name) => [`${name}/`, article(name)])
    await using site = await startTestSite({
      "/": article("Home", { links }),
      ...Object.fromEntries([...pages, ...both]),
    })
    await using fixture = await CrawlFixture.open()
    await fixture.crawl({ seeds: [site.origin] }, { config: oneByOne })
    expect(paths(fixture)).toEqual(["/", ...pages.map(([path]) => path ?? "")].sort())
  })

  test("with a session id in every link are each read a few times, not forever", async () => {
    const names = NAMES.slice(0, 8)
    let session = 0
    const answer =
      (name: string): Answer =>
      (request, response) => {
        const links = names.map((other) => `${other}?sid=${(session += 1)}x&lang=en`)
        html(article(name, { links }))(request, response)
      }
    await using site = await startTestSite(
      Object.fromEntries(["/", ...names].map((name) => [name, answer(name)])),
    )
    await using fixture = await CrawlFixture.open()
    const job = await fixture.crawl({ seeds: [site.origin] }, { config: oneByOne })
    expect(job.state).toBe("finished")
    expect(paths(fixture)).toEqual(["/", ...names.map((name) => `${name}?lang=en`)])
    expect(site.requests.length).toBeLessThan(140)
  })

  test("without click tracking are the same from the start", async () => {
    await using site = await startTestSite({
      "/": article("Home", { links: ["/a?utm_source=home&id=1", "/a?id=1&gclid=2", "/b?fbclid=3"] }),
      "/a": article("Alpha"),
      "/b": article("Beta"),
    })
    await using fixture = await CrawlFixture.open()
    await fixture.crawl({ seeds: [site.origin] })
    expect(paths(fixture)).toEqual(["/", "/a?id=1", "/b"])
    expect(site.requests.filter((path) => /utm|gclid|fbclid/.test(path))).toEqual([])
  })
})

describe("pages with the same content", () => {
  test("are one page with other addresses, whichever was read first, in this run and the next", async () => {
    const copy = page("Guide", essay("guide"))
    await using site = await startTestSite({
      "/": article("Home", { links: ["/archive/guide-old.html", "/guide", "/guide?ref=menu"] }),
      "/archive/guide-old.html": copy,
      "/guide": copy,
    })
    await using fixture = await CrawlFixture.open()
    const job = await fixture.crawl({ seeds: [site.origin] }, { config: oneByOne })
    expect(job.outcomes).toEqual({ indexed: 2, "skipped:duplicate": 2 })
    expect(paths(fixture)).toEqual(["/", "/guide"])
    expect(await aliases(fixture, site, "/guide")).toEqual(["/archive/guide-old.html", "/guide?ref=menu"])
    expect(await detail(fixture, site, "/guide?ref=menu")).toBe(`same text as ${site.url("/guide")}`)
    const again = await fixture.crawl({ seeds: [site.origin] }, { config: oneByOne })
    expect(again.outcomes).toEqual({ unchanged: 2, "skipped:duplicate": 2 })
  })

  test("become one page if only the surroundings differ", async () => {
    await using site = await startTestSite({
      "/": article("Home", { links: ["/guide", "/print/guide"] }),
      "/guide": page("Guide", essay("guide")),
      "/print/guide": page("Guide (print version)", `<p>Back to the normal view</p>${essay("guide")}`),
    })
    await using fixture = await CrawlFixture.open()
    await fixture.crawl({ seeds: [site.origin] }, { config: oneByOne })
    expect(paths(fixture)).toEqual(["/", "/guide"])
    expect(await detail(fixture, site, "/print/guide")).toBe(`nearly the same text as ${site.url("/guide")}`)
  })

  test("stay separate if a version, a colour or a name differs", async () => {
    const versions = Object.fromEntries(
      ["1.4", "1.5", "red", "blue"].map((word) => [
        `/v/${word}`,
        page("Guide", `${essay("guide", 15)}<p>This is about ${word} and no other.</p>${essay("guide", 15)}`),
      ]),
    )
    const products = Object.fromEntries(
      ["Ada", "Bert"].map((name) => [
        `/team/${name}`,
        page(name, "<p>Call us any time between nine and five.</p>"),
      ]),
    )
    await using site = await startTestSite({
      "/": article("Home", { links: [...Object.keys(versions), ...Object.keys(products)] }),
      ...versions,
      ...products,
    })
    await using fixture = await CrawlFixture.open()
    await fixture.crawl({ seeds: [site.origin] })
    expect(paths(fixture)).toHaveLength(7)
  })

  test("return under another address when the stored one is gone", async () => {
    const copy = page("Guide", essay("guide"))
    await using site = await startTestSite({
      "/": article("Home", { links: ["/long/way/to/guide", "/guide"] }),
      "/guide": copy,
      "/long/way/to/guide": copy,
    })
    await using fixture = await CrawlFixture.open()
    await fixture.crawl({ seeds: [site.origin] }, { config: oneByOne })
    expect(paths(fixture)).toEqual(["/", "/guide"])
    site.serve({ "/guide": status(404) })
    await fixture.crawl({ seeds: [site.origin] }, { config: oneByOne })
    expect(paths(fixture)).toContain("/long/way/to/guide")
    expect(await aliasOf(fixture.db, site.url("/long/way/to/guide") as PageUrl)).toBeNull()
  })

  test("that moved without a redirect are found at their new address in the same run", async () => {
    const copy = page("Guide", essay("guide"))
    await using site = await startTestSite({
      "/": article("Home", { links: ["/guide"] }),
      "/guide": copy,
    })
    await using fixture = await CrawlFixture.open()
    await fixture.crawl({ seeds: [site.origin] }, { config: oneByOne })
    site.serve({
      "/": article("Home", { links: ["/handbook/guide"] }),
      "/guide": status(404),
      "/handbook/guide": copy,
    })
    const job = await fixture.crawl({ seeds: [site.origin] }, { config: oneByOne })
    expect(paths(fixture)).toContain("/handbook/guide")
    expect(job.outcomes).toEqual({ indexed: 1, unchanged: 1, "failed:http-status": 1 })
    // The address was first treated as the page at the old address, and was read again when that address turned out to
    // be missing.
    expect(site.requests.filter((path) => path === "/handbook/guide")).toHaveLength(2)
  })

  test("from two sources stay two pages", async () => {
    await using site = await startTestSite({
      "/a/": page("Guide", essay("g")),
      "/b/": page("Guide", essay("g")),
    })
    await using fixture = await CrawlFixture.open()
    await fixture.crawl({ seeds: [site.url("/a/")], name: "a", scope: "prefix" })
    await fixture.crawl({ seeds: [site.url("/b/")], name: "b", scope: "prefix" })
    expect(paths(fixture)).toEqual(["/a/", "/b/"])
  })
})

describe("a canonical link", () => {
  const canonical = (path: string) => `<link rel="canonical" href="${path}">`

  test("that every page's template repeats removes no page", async () => {
    const names = ["/a", "/b", "/c"]
    await using site = await startTestSite({
      "/": page("Home", essay("home"), names, canonical("/")),
      ...Object.fromEntries(
        names.map((name) => [name, page(name, essay(`${name.slice(1)}x`), [], canonical("/"))]),
      ),
    })
    await using fixture = await CrawlFixture.open()
    const job = await fixture.crawl({ seeds: [site.origin] })
    expect(paths(fixture)).toEqual(["/", ...names])
    expect(job.outcomes).toEqual({ indexed: 4 })
  })

  test("to a page read later lets that one take over, and the outcomes say so", async () => {
    await using site = await startTestSite({
      "/": article("Home", { links: ["/a-variant", "/page/number/one"] }),
      "/a-variant": page(
        "Variant",
        `<p>Seen in a list</p>${essay("one")}`,
        [],
        canonical("/page/number/one"),
      ),
      "/page/number/one": page("One", essay("one"), [], canonical("/page/number/one")),
    })
    await using fixture = await CrawlFixture.open()
    const job = await fixture.crawl({ seeds: [site.origin] }, { config: oneByOne })
    expect(paths(fixture)).toEqual(["/", "/page/number/one"])
    expect(job.outcomes).toEqual({ indexed: 2, "skipped:duplicate": 1 })
    expect(await detail(fixture, site, "/a-variant")).toBe(`canonical is ${site.url("/page/number/one")}`)
  })

  test("to a third page, or to a missing one, is ignored", async () => {
    await using site = await startTestSite({
      "/": article("Home", { links: ["/a", "/dead"] }),
      "/a": page("A", essay("one"), [], canonical("/b")),
      "/b": page("B", `${essay("one")}<p>and more</p>`, [], canonical("/c")),
      "/c": page("C", essay("other")),
      "/dead": page("Dead", essay("dead"), [], canonical("/nowhere")),
    })
    await using fixture = await CrawlFixture.open()
    await fixture.crawl({ seeds: [site.origin] }, { config: oneByOne })
    expect(paths(fixture)).toEqual(["/", "/a", "/b", "/c", "/dead"])
  })
})

describe("one document in several formats", () => {
  const chapter = (seed: string) => Array.from({ length: 12 }, (_, at) => `${words(`${seed}${at}`, 40)}.`)
  const words = (seed: string, count: number) =>
    Array.from(
      { length: count },
      (_, at) =>
        `${seed.replace(/\d/g, (digit) => "abcdefghij"[Number(digit)]!)}${"klmnopqrst"[(at * 7) % 10]}${"uvwxyzabcd"[at % 10]}`,
    ).join(" ")
  const html = (title: string, paragraphs: readonly string[], links: readonly string[] = []) =>
    page(title, paragraphs.map((text) => `<p>${text}</p>`).join(""), links)
  const file = (body: Uint8Array | string, type: string): Answer => bytes(body, { "content-type": type })
  const book = (title: string, paragraphs: readonly string[]) =>
    epub([`<h1>${title}</h1>${paragraphs.map((text) => `<p>${text}</p>`).join("")}`], { title })
  const word = (title: string, paragraphs: readonly string[]) =>
    docx(
      wordParagraph(title, { style: "Heading1" }) + paragraphs.map((text) => wordParagraph(text)).join(""),
      {
        title,
      },
    )
  const WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"

  test("is one page, whichever is read first, and its other formats are named", async () => {
    const text = chapter("hive")
    for (const links of [
      ["/m/guide.html", "/m/guide.txt", "/m/docx/guide.docx", "/m/epub/guide.epub"],
      ["/m/guide.txt", "/m/epub/guide.epub", "/m/docx/guide.docx", "/m/guide.html"],
    ]) {
      await using site = await startTestSite({
        "/": page("Home", essay("home"), links),
        "/m/guide.html": html("Hive guide", text),
        "/m/guide.txt": file(`The guide to hives\n\n${text.join("\n\n")}`, "text/plain"),
        "/m/docx/guide.docx": file(word("Guide", ["Contents: 1 to 12", ...text]), WORD),
        "/m/epub/guide.epub": file(book("Hive guide, the book", text), "application/epub+zip"),
      })
      await using fixture = await CrawlFixture.open()
      const job = await fixture.crawl({ seeds: [site.origin] }, { config: oneByOne })
      expect(paths(fixture)).toContain("/m/guide.html")
      expect(job.outcomes["skipped:duplicate"]).toBeGreaterThanOrEqual(1)
      expect(await aliases(fixture, site, "/m/guide.html")).toEqual([
        "/m/docx/guide.docx",
        "/m/epub/guide.epub",
        "/m/guide.txt",
      ])
      expect((await aliasOf(fixture.db, site.url("/m/guide.txt") as PageUrl))?.evidence).toBe(
        "the same document in another format",
      )
    }
  })

  test("is shown as the web page if the texts are identical", async () => {
    const text = chapter("comb")
    const links = ["/m/guide.txt", "/m/guide.html"]
    for (const order of [links, links.toReversed()]) {
      await using site = await startTestSite({
        "/": page("Home", essay("home"), order),
        "/m/guide.html": html("The guide to hives", text),
        "/m/guide.txt": file(`The guide to hives\n\n${text.join("\n\n")}`, "text/plain"),
      })
      await using fixture = await CrawlFixture.open()
      await fixture.crawl({ seeds: [site.origin] }, { config: oneByOne })
      expect(await aliases(fixture, site, "/m/guide.html")).toEqual(["/m/guide.txt"])
      expect(await aliases(fixture, site, "/m/guide.txt")).toEqual([])
    }
  })

  test("stays several pages if version, text or address differ by more than the format", async () => {
    const text = chapter("comb")
    const links = ["/v1/guide.html", "/v2/guide.txt", "/pump.html", "/pump.txt", "/care.html", "/care.txt"]
    await using site = await startTestSite({
      "/": page("Home", essay("home"), links),
      "/v1/guide.html": html("Guide", text),
      "/v2/guide.txt": file(`Guide of old\n\n${text.join("\n\n")}`, "text/plain"),
      "/pump.html": html("Pump manual, version 2.1", chapter("pump")),
      "/pump.txt": file(`Pump manual, version 2.0\n\n${chapter("pump").join("\n\n")}`, "text/plain"),
      "/care.html": html("Care", chapter("care")),
      "/care.txt": file([...chapter("care").slice(0, 6), ...chapter("other")].join("\n\n"), "text/plain"),
    })
    await using fixture = await CrawlFixture.open()
    await fixture.crawl({ seeds: [site.origin] }, { config: oneByOne })
    expect(paths(fixture)).toEqual(["/", ...links].sort())
  })
})
