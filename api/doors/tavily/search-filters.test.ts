import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { afterAll, beforeAll, describe, expect, test } from "vitest"

import { CrawlFixture } from "#crawler/testing/crawl-fixture.ts"
import { lines, pdf } from "#crawler/testing/pdf-file.ts"
import { startTestSite, type TestSite } from "#crawler/testing/test-site.ts"
import { toPageUrl } from "#engine"
import { EmbeddedEngine } from "#engine/adapters/embedded/embedded-engine.ts"
import { HashingEmbedder } from "#engine/testing/hashing-embedder.ts"
import { aPage } from "#engine/testing/pages.ts"

import { readScope, scopeOfCollections } from "../../identity/accounts/keys/key-scope.ts"
import { searchText } from "../../server/tools/answer-text.ts"
import { searchOutput } from "../../server/tools/output.ts"
import { type ServedAccounts, serveAccounts } from "../../testing/serve-accounts.ts"

// Pages as documentation tools write them, crawled from a local server, put into a real index, and searched over HTTP.

const prose = (about: string) =>
  `<p>${`${about} is described here in whole sentences, with all that one has to know of it. `.repeat(5)}</p>`
const nav = `<a href="/sphinx.html">1</a> <a href="/mkdocs/">2</a> <a href="/docusaurus">3</a> <a href="/javadoc/Pump.html">4</a>
  <a href="/man/pump.1.html">5</a> <a href="/manual.pdf">6</a> <a href="/notes.md">7</a> <a href="/plain.html">8</a>`
const HTML: Readonly<Record<string, string>> = {
  "/sphinx.html": `<!doctype html><html lang="en"><title>Sphinx — Pump docs</title><div class="document"><div class="body" role="main">
    <section id="overview"><h1>Overview<a class="headerlink" href="#overview" title="Link to this heading">¶</a></h1>${prose("The overview")}
    <section id="carbon-rings"><h2>Carbon rings<a class="headerlink" href="#carbon-rings" title="Link to this heading">¶</a></h2>${prose("The zebracorn ring")}</section></section></div></div>`,
  "/mkdocs/": `<!doctype html><html lang="en"><title>MkDocs - Pump</title><main><article class="md-content__inner"><h1 id="start">Start<a class="headerlink" href="#start" title="Permanent link">&para;</a></h1>${prose("The start")}
    <h2 id="run-dry_1">Run dry<a class="headerlink" href="#run-dry_1" title="Permanent link">&para;</a></h2>${prose("The quaggaberry run")}</article></main>`,
  "/docusaurus": `<!doctype html><html lang="de"><head><title>Größen | Pumpe</title></head><body><main><article><header><h1>Größen</h1></header>${prose("The introduction")}
    <h2 class="anchor anchorWithStickyNavbar_LWe7" id="die-größe">Die Größe<a href="#die-größe" class="hash-link" aria-label="Direct link to Die Größe">​</a></h2>${prose("The okapistone size")}</article></main></body></html>`,
  "/javadoc/Pump.html": `<!doctype html><html lang="en"><title>Pump (API)</title><main role="main"><div class="header"><h1 title="Class Pump" class="title">Class Pump</h1></div><section class="class-description" id="class-description">${prose("A pump")}</section>
    <section class="details"><section class="method-details" id="method-detail"><h2>Method Details</h2><section class="detail" id="seal(java.lang.String)"><h3>seal</h3>${prose("The numbatvalve seal")}</section></section></section></main>`,
  "/man/pump.1.html": `<HTML><HEAD><TITLE>Man page of PUMP</TITLE></HEAD><BODY><H1>PUMP</H1>Section: User Commands (1)<HR>
    <A NAME="lbAB">&nbsp;</A>\n<H2>NAME</H2>\n\npump - moves water\n<A NAME="lbAC">&nbsp;</A>\n<H2>OPTIONS</H2>\n${prose("The tapirflag option")}</BODY></HTML>`,
  "/plain.html": `<!doctype html><html lang="en"><title>Plain</title><main><h1>Plain</h1>${prose("A plain page")}<h2>Without a name</h2>${prose("The ibexvalve")}</main>`,
}

describe("a search of a crawled site", () => {
  const opened = new AsyncDisposableStack()
  let dir: string
  let site: TestSite
  let app: ServedAccounts
  let names: string[] = []

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), "fossick-filters-"))
    const book = pdf(
      [
        {
          texts: [
            { x: 72, y: 740, text: "Pump manual", size: 24 },
            ...lines(Array<string>(8).fill("What stands before all else is told here."), 72, 660),
          ],
        },
        {
          texts: [
            { x: 72, y: 740, text: "Springs", size: 16 },
            ...lines(["The dikdikspring is wound by hand."], 72, 660),
          ],
        },
      ],
      { catalogue: "/PageLabels << /Nums [0 << /S /r /St 3 >>] >>" },
    )
    site = opened.use(
      await startTestSite({
        ...HTML,
        "/": `<!doctype html><title>Home</title>${prose("The home page")}${nav}`,
        "/manual.pdf": (_, response) => void response.setHeader("Content-Type", "application/pdf").end(book),
        "/notes.md": (_, response) =>
          void response
            .setHeader("Content-Type", "text/markdown")
            .end(
              `# Notes\n\nSome words.\n\n## Gerenukbolts\n\n${"The gerenukbolt is of steel. ".repeat(20)}`,
            ),
      }),
    )
    await using fixture = await CrawlFixture.open()
    await fixture.crawl({ seeds: [site.url("/")] })
    const pages = [...fixture.engine.pages.values()].map((page) => ({ ...page, source: "site" }))
    const engine = opened.use(
      await EmbeddedEngine.open({ dir: join(dir, "index"), mode: "write", embedder: new HashingEmbedder() }),
    )
    await engine.index([
      ...pages,
      aPage("https://wiki.example/zebracorn", { markdown: "The zebracorn in a wiki.", source: "wiki" }),
      aPage("https://wiki.example/both", {
        markdown: "The zebracorn in both.",
        source: "wiki",
        sharedWith: ["site"],
      }),
      {
        ...aPage("https://wiki.example/"),
        url: toPageUrl("https://wiki.example/#/route")!,
        markdown: `## Here\n\n${"The bongoroute. ".repeat(30)}`,
        source: "wiki",
        anchors: [[0, "here"]],
      },
    ])
    await engine.settled()
    names = ["site", "wiki", "staff"]
    app = opened.use(await serveAccounts({ dir, engine, sourceNames: async () => names }))
    await app.accounts.collections.set("handbooks", ["site"])
    await app.accounts.collections.set("everything", ["site", "wiki"])
  })
  afterAll(async () => {
    await opened.disposeAsync()
    await rm(dir, { recursive: true })
  })

  const search = async (query: string, given: object = {}, key?: string) => {
    const { status, body } = await app.call("/search", key ?? (await app.key()), {
      query,
      max_results: 20,
      ...given,
    })
    return { status, error: body.detail?.error, results: body.results as Record<string, unknown>[] }
  }
  const first = async (query: string) => (await search(query)).results[0]!
  const urls = async (query: string, given: object, key?: string) =>
    (await search(query, { search_depth: "fast", ...given }, key)).results
      .map(({ url }) => String(url).replace(site.origin, ""))
      .sort()

  test.each([
    ["zebracorn ring", "/sphinx.html", "Carbon rings", "#carbon-rings", 'id="carbon-rings"'],
    ["quaggaberry run", "/mkdocs/", "Run dry", "#run-dry_1", 'id="run-dry_1"'],
    ["okapistone size", "/docusaurus", "Die Größe", "#die-gr%C3%B6%C3%9Fe", 'id="die-größe"'],
    [
      "numbatvalve seal",
      "/javadoc/Pump.html",
      "seal",
      "#seal(java.lang.String)",
      'id="seal(java.lang.String)"',
    ],
    ["tapirflag option", "/man/pump.1.html", "OPTIONS", "#lbAC", 'NAME="lbAC"'],
  ])("%s leads to its section of %s", async (query, path, heading, anchor, inPage) => {
    const result = await first(query)
    expect(result).toMatchObject({
      url: site.url(path),
      type: "html",
      sources: ["site"],
      collections: ["everything", "handbooks"],
      section: { heading, url: site.url(path) + anchor },
    })
    expect(HTML[path]).toContain(inPage)
  })

  test("a section without an anchor gets only its heading, and a PDF links to the page and gives its number", async () => {
    expect((await first("ibexvalve"))["section"]).toEqual({ heading: "Without a name" })
    expect(await first("gerenukbolt steel")).toMatchObject({
      type: "markdown",
      section: { heading: "Gerenukbolts" },
    })
    expect(await first("dikdikspring wound")).toMatchObject({
      url: site.url("/manual.pdf"),
      type: "pdf",
      section: { heading: "Springs", page: "iv", url: `${site.url("/manual.pdf")}#page=2` },
      pages: [
        { page: "iii", url: `${site.url("/manual.pdf")}#page=1` },
        { page: "iv", url: `${site.url("/manual.pdf")}#page=2` },
      ],
    })
    expect(await first("bongoroute")).toMatchObject({
      url: "https://wiki.example/#/route",
      section: { heading: "Here" },
    })
  })

  test("tells models the page of a PDF for each passage", async () => {
    const found = { ...(await first("dikdikspring wound")), score: 0.9 }
    const told = searchText({ query: "dikdikspring wound", answer: null, images: [], results: [found] })
    const address = site.url("/manual.pdf")
    expect(told).toContain(`\nSection: Springs, page iv ${address}#page=2\nPages of the passages: iii, iv\n`)
    const structured = searchOutput({
      query: "dikdikspring wound",
      answer: null,
      images: [],
      results: [found],
    })
    expect(structured.results).toMatchObject([
      {
        section: { heading: "Springs", page: "iv", url: `${address}#page=2` },
        pages: [{ page: "iii" }, { page: "iv" }],
      },
    ])
  })

  test("names the language of a page", async () => {
    expect((await first("okapistone size"))["language"]).toBe("de")
    expect((await first("zebracorn ring"))["language"]).toBe("en")
  })

  test("filters by sources, collections and types", async () => {
    expect(await urls("zebracorn", { sources: ["wiki"] })).toEqual([
      "https://wiki.example/both",
      "https://wiki.example/zebracorn",
    ])
    expect(await urls("zebracorn", { sources: "site" })).toContain("https://wiki.example/both")
    expect(await urls("zebracorn", { sources: "site" })).not.toContain("https://wiki.example/zebracorn")
    expect(await urls("zebracorn", { collections: "handbooks" })).toEqual(
      await urls("zebracorn", { sources: "site" }),
    )
    expect(await urls("zebracorn", { collections: ["handbooks"], sources: ["wiki"] })).toEqual(
      await urls("zebracorn", {}),
    )
    expect(await urls("zebracorn", { sources: "staff" })).toEqual([])
    expect(await urls("the", { types: "pdf" })).toEqual(["/manual.pdf"])
    expect(await urls("the gerenukbolt dikdikspring", { types: ["pdf", "markdown"] })).toEqual([
      "/manual.pdf",
      "/notes.md",
    ])
    expect(await urls("the", { sources: [], collections: null, types: [] })).not.toEqual([])
    const port = new URL(site.origin).port
    expect(await urls("zebracorn", { include_domains: [`127.0.0.1:${port}`] })).toContain("/sphinx.html")
    expect(await urls("zebracorn", { include_domains: ["127.0.0.1:1"] })).toEqual([])
    expect(await urls("zebracorn", { exclude_domains: [`127.0.0.1:${port}`, "wiki.example:8443"] })).toEqual([
      "https://wiki.example/both",
      "https://wiki.example/zebracorn",
    ])
  })

  test.each<[object, string]>([
    [{ sources: ["wikki"] }, 'Invalid sources. There is no source "wikki"; did you mean "wiki"?'],
    [{ sources: "elsewhere" }, 'Invalid sources. There is no source "elsewhere".'],
    [
      { sources: "wiki", collections: ["handbook"] },
      'Invalid collections. There is no collection "handbook"; did you mean "handbooks"?',
    ],
    [{ sources: 7 }, "Invalid sources. Must be a string or a list of strings with at most 300 entries."],
    [
      { sources: Array(301).fill("wiki") },
      "Invalid sources. Must be a string or a list of strings with at most 300 entries.",
    ],
    [
      { types: ["pdf", "doc"] },
      "Invalid types. Must be one or more of 'html', 'text', 'markdown', 'pdf', 'docx', 'pptx', 'xlsx', 'odt', 'odp', 'ods', 'rtf', 'epub', 'asciidoc', 'rst', 'org-mode', 'notebook', 'openapi', 'code', 'picture'.",
    ],
    [
      { include_domains: ["localhost:x"] },
      "Invalid include_domains: 'localhost:x'. The port 'x' must be a number from 1 to 65535.",
    ],
  ])("rejects %j by its field, suggesting similar names", async (given, error) => {
    expect(await search("pump", given)).toMatchObject({ status: 400, error })
  })

  test("never tells a key names it may not see", async () => {
    const ofSite = await app.key({ scope: readScope({ sources: ["site"] }) })
    expect(await urls("zebracorn", { sources: "site" }, ofSite)).toEqual([
      "/sphinx.html",
      "https://wiki.example/both",
    ])
    for (const sources of ["wiki", "wikki"])
      expect((await search("zebracorn", { sources }, ofSite)).error).toBe(
        `Invalid sources. There is no source "${sources}".`,
      )
    expect((await search("zebracorn", { collections: "handbooks" }, ofSite)).status).toBe(400)
    const both = (await search("zebracorn both", {}, ofSite)).results.find(
      ({ url }) => url === "https://wiki.example/both",
    )
    expect(both!["sources"]).toEqual(["site"])
    expect(both).not.toHaveProperty("collections")

    const ofCollection = await app.key({ scope: scopeOfCollections(["handbooks"]) })
    expect((await search("zebracorn", { collections: "handbooks" }, ofCollection)).results[0]).toMatchObject({
      sources: ["site"],
      collections: ["handbooks"],
    })
    expect((await search("zebracorn", { collections: "everything" }, ofCollection)).error).toBe(
      'Invalid collections. There is no collection "everything".',
    )

    const ofDomain = await app.key({ scope: readScope({ domains: ["wiki.example"] }) })
    const [shown] = (await search("zebracorn", {}, ofDomain)).results
    expect(shown).not.toHaveProperty("sources")
    expect((await search("zebracorn", { sources: "wiki" }, ofDomain)).status).toBe(400)
  })

  test("accepts any name when another machine fills the index", async () => {
    const before = names
    names = []
    expect(await urls("zebracorn", { sources: "unheard-of" })).toEqual([])
    names = before
  })
})
