import type { IncomingMessage, ServerResponse } from "node:http"
import { describe, expect, test } from "vitest"
import type { PageUrl } from "#engine"
import { KnownAddresses } from "../frontier/known-addresses.ts"
import type { SourceSpec } from "../../source.ts"
import { CrawlFixture } from "../../testing/crawl-fixture.ts"
import { startTestSite, type TestSite, textFile } from "../../testing/test-site.ts"
import { statement } from "#base/store/testing/statement.ts"

const DAY = 86_400_000
const START = Date.UTC(2026, 0, 5)
const MENU = Array.from({ length: 80 }, (_, i) => `<li class="menu-item"><span>Entry ${i}</span></li>`).join(
  "",
)

/** A page of a manual, as HTML and as markdown. */
interface Leaf {
  text: string
  head?: string
  headers?: Readonly<Record<string, string>>
  /** The answer to a request for markdown. Default: the page's text. */
  markdown?: (leaf: Leaf) => { body: string; headers?: Readonly<Record<string, string>>; status?: number }
}

const sentences = (of: string) =>
  [
    `The ${of} valve closes when the pressure in the boiler falls below four bar.`,
    `Turn the brass handle of the ${of} valve slowly, and wait until the gauge stops moving.`,
    `Engineers replace its rubber gasket every second summer, or sooner after a frost.`,
    `Spare parts are listed in the annex; order them by their number, never by their colour.`,
  ].join(" ")

/** A site that sends markdown on request, and counts its answers. */
class Manual implements AsyncDisposable {
  readonly fixture: CrawlFixture
  readonly site: TestSite
  readonly leaves: Record<string, Leaf> = {}
  now = START
  sent = { bytes: 0, html: [] as string[], markdown: [] as string[] }
  /** When pages and copies were requested, in milliseconds. */
  times: number[] = []
  vary = "Accept, Accept-Encoding"

  private constructor(site: TestSite, fixture: CrawlFixture) {
    this.site = site
    this.fixture = fixture
  }

  static async of(leaves: Readonly<Record<string, Partial<Leaf>>>, robots = ""): Promise<Manual> {
    const site = await startTestSite({ "/robots.txt": textFile(robots) })
    const manual = new Manual(site, await CrawlFixture.open())
    for (const [path, leaf] of Object.entries(leaves))
      manual.leaves[path] = { text: sentences(path), ...leaf }
    const links = Object.keys(leaves).map((path) => `<a href="${path}">${path}</a>`)
    manual.site.serve({
      "/": `<html lang="en"><title>Manual</title><main><h1>Manual</h1><p>${sentences("main")}</p>${links.join(" ")}</main></html>`,
      "*": (request, response) => {
        manual.#answer(request, response)
      },
    })
    return manual
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const path = request.url ?? ""
    this.times.push(performance.now())
    const leaf = this.leaves[path.replace(/\.md$/, "")]
    const isAsked = path.endsWith(".md") || request.headers.accept?.startsWith("text/markdown") === true
    if (isAsked) this.sent.markdown.push(path)
    if (leaf === undefined) return void response.writeHead(404, { "content-type": "text/plain" }).end("none")
    const isNegotiated = isAsked && (path.endsWith(".md") || this.vary !== "")
    if (!isNegotiated) this.sent.html.push(path)
    const html = `<!doctype html><html lang="en"><head><title>${path}</title>${leaf.head ?? ""}</head><body>
      <nav><ul>${MENU}</ul></nav><main><article><h1>${path}</h1><p>${leaf.text}</p></article></main></body></html>`
    const own = isNegotiated ? leaf.markdown?.(leaf) : undefined
    const body = `# ${path}\n\n${leaf.text}\n`
    const answer = isNegotiated
      ? {
          status: 200,
          body,
          ...own,
          headers: { "content-type": "text/markdown; charset=utf-8", ...own?.headers },
        }
      : { status: 200, body: html, headers: { "content-type": "text/html; charset=utf-8", ...leaf.headers } }
    this.sent.bytes += answer.body.length
    response
      .writeHead(answer.status, { ...(this.vary === "" ? {} : { vary: this.vary }), ...answer.headers })
      .end(answer.body)
  }

  /** A run over all pages, a day after the previous one. */
  async run(spec: Partial<SourceSpec> = {}) {
    this.sent = { bytes: 0, html: [], markdown: [] }
    this.now += DAY
    const job = await this.fixture.crawl(
      { name: "manual", seeds: [this.site.url("/")], ...spec },
      { clock: () => this.now },
    )
    this.sent.html.sort()
    this.sent.markdown.sort()
    return { ...this.sent, outcomes: job.outcomes, changes: job.changes, checked: job.checkedByCopy }
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

const PAGES = { "/inlet": {}, "/outlet": {} }

describe("a site that answers Accept: text/markdown", () => {
  test("sends only small bodies from the third run on, and the runs report no change", async () => {
    await using manual = await Manual.of(PAGES)
    const first = await manual.run()
    expect(first).toMatchObject({ html: ["/inlet", "/outlet"], markdown: [], checked: { pages: 0 } })
    const page = manual.page("/inlet")
    const second = await manual.run()
    expect(second).toMatchObject({ html: ["/inlet", "/outlet"], markdown: ["/inlet", "/outlet"] })
    const third = await manual.run()
    expect(third).toMatchObject({ html: [], markdown: ["/inlet", "/outlet"], outcomes: { unchanged: 3 } })
    expect(third.bytes).toBeLessThan(first.bytes / 4)
    expect(third.changes).toEqual({ new: 0, changed: 0, gone: 0 })
    expect(third.checked).toEqual({ pages: 2, sparedBytes: first.bytes - third.bytes })
    expect(manual.page("/inlet")).toBe(page)
    expect(await manual.known("/inlet")).toMatchObject({
      outcome: "unchanged",
      visitedAt: manual.now,
      misses: 0,
      detail: `its markdown copy at ${manual.site.url("/inlet")} is unchanged since the last read`,
    })
  })

  test("is asked for all its copies once the first have saved page downloads", async () => {
    await using manual = await Manual.of(
      Object.fromEntries(Array.from({ length: 14 }, (_, i) => [`/valve-${i}`, {}])),
    )
    const asked = []
    for (let run = 1; run <= 4; run++) {
      const { html, markdown, checked } = await manual.run()
      asked.push([html.length, markdown.length, checked.pages])
    }
    expect(asked.slice(0, 2)).toEqual([
      [14, 0, 0],
      [14, 10, 0],
    ])
    expect(asked[2]).toEqual([4, expect.any(Number), 10])
    expect(asked[3]?.[2]).toBeGreaterThan(10)
  })

  test("is read as HTML every fourth time, without another request for markdown then", async () => {
    await using manual = await Manual.of({ "/inlet": {} })
    const asked = []
    for (let run = 1; run <= 7; run++) {
      const { html, markdown } = await manual.run()
      asked.push(`${html.length}${markdown.length}`)
    }
    expect(asked).toEqual(["10", "11", "01", "01", "01", "10", "01"])
  })

  test("is read as HTML after two weeks, however few visits there were", async () => {
    await using manual = await Manual.of({ "/inlet": {} })
    for (let run = 1; run <= 2; run++) await manual.run()
    manual.now += 14 * DAY
    expect(await manual.run()).toMatchObject({ html: ["/inlet"], outcomes: { unchanged: 2 } })
  })

  test("has a change indexed by the next run", async () => {
    await using manual = await Manual.of(PAGES)
    for (let run = 1; run <= 3; run++) await manual.run()
    manual.leaves["/inlet"]!.text += " It opens by itself at nine bar."
    const changed = await manual.run()
    expect(changed).toMatchObject({ html: ["/inlet"], outcomes: { indexed: 1, unchanged: 2 } })
    expect(manual.page("/inlet")?.markdown).toContain("nine bar")
    expect(await manual.run()).toMatchObject({ html: [], outcomes: { unchanged: 3 } })
  })

  test("has a change visible only in its HTML found by the fourth run, after which its copy is compared again", async () => {
    const stale = `# /inlet\n\n${sentences("/inlet")}\n`
    await using manual = await Manual.of({ "/inlet": { markdown: () => ({ body: stale }) } })
    for (let run = 1; run <= 2; run++) await manual.run()
    manual.leaves["/inlet"]!.text = sentences("/inlet").replaceAll("four", "five")
    const runs = []
    for (let run = 1; run <= 4; run++) runs.push((await manual.run()).outcomes["indexed"] ?? 0)
    expect(runs).toEqual([0, 0, 0, 1])
    expect(manual.page("/inlet")?.markdown).toContain("five bar")
    expect((await manual.run()).html).toEqual(["/inlet"])
  })

  test("has a noindex obeyed by the fourth run when only its HTML says so, at once when all answers do", async () => {
    await using manual = await Manual.of(PAGES)
    for (let run = 1; run <= 2; run++) await manual.run()
    manual.leaves["/inlet"]!.head = '<meta name="robots" content="noindex">'
    manual.leaves["/outlet"]!.headers = { "x-robots-tag": "noindex" }
    manual.leaves["/outlet"]!.markdown = ({ text }) => ({
      body: `# /outlet\n\n${text}\n`,
      headers: { "x-robots-tag": "noindex" },
    })
    expect((await manual.run()).outcomes).toEqual({ unchanged: 2, "skipped:noindex": 1 })
    for (let run = 1; run <= 2; run++) await manual.run()
    expect((await manual.run()).outcomes).toEqual({ unchanged: 1, "skipped:noindex": 2 })
  })

  test("is read in full when you ask for the page, when the index lost it, and when the source has other rules for it", async () => {
    await using manual = await Manual.of({ "/inlet": {} })
    const url = manual.site.url("/inlet") as PageUrl
    for (let run = 1; run <= 2; run++) await manual.run()
    await new KnownAddresses(manual.fixture.db).makeDue(url, "manual")
    expect((await manual.run()).html).toEqual(["/inlet"])
    expect((await manual.run()).html).toEqual(["/inlet"])
    expect((await manual.run()).html).toEqual([])
    await manual.fixture.engine.remove([url])
    expect(await manual.run()).toMatchObject({ html: ["/inlet"], outcomes: { indexed: 1 } })
    const topic = { pages: { topic: "finance" as const } }
    expect(await manual.run(topic)).toMatchObject({ html: ["/inlet"], outcomes: { indexed: 2 } })
  })

  test("gets the pause between two requests that its source asks for", async () => {
    await using manual = await Manual.of({ "/inlet": {} })
    await manual.run()
    manual.times = []
    expect((await manual.run({ politeness: { delayMs: 100 } })).markdown).toEqual(["/inlet"])
    // Timers can fire a little early.
    expect(manual.times[1]! - manual.times[0]!).toBeGreaterThan(95)
  })

  test("counts its markdown towards the byte limit", async () => {
    await using manual = await Manual.of(PAGES)
    for (let run = 1; run <= 3; run++) await manual.run()
    const spent = await statement(manual.fixture.db, "select bytes from job order by id desc limit 1").get()
    expect(Number(spent?.["bytes"])).toBeGreaterThan(manual.sent.bytes)
  })
})

describe("a page that links to its markdown copy", () => {
  const tag = (path: string) => `<link rel="alternate" type="text/markdown" href="${path}">`

  test.each([
    ["in a tag", { head: tag("/inlet.md") }],
    [
      "in a header",
      { headers: { link: '</x>; rel=preload, </inlet.md>; rel="alternate"; type="text/markdown"' } },
    ],
  ])("%s is checked by the copy", async (_, leaf) => {
    await using manual = await Manual.of({ "/inlet": leaf })
    manual.vary = ""
    await manual.run()
    expect((await manual.run()).markdown).toEqual(["/inlet.md"])
    expect(await manual.run()).toMatchObject({
      html: [],
      markdown: ["/inlet.md"],
      outcomes: { unchanged: 2 },
    })
  })

  test.each([
    ["at an address of 3,000 characters", tag(`/${"inlet".repeat(600)}`), "", {}],
    ["on another host", tag("https://copies.example/inlet.md"), "", {}],
    ["where robots.txt lets no crawler", tag("/inlet.md"), "User-agent: *\nDisallow: /*.md$", {}],
    ["where its source does not go", tag("/inlet.md"), "", { exclude: ["/**.md"] }],
  ])("%s is not checked by the copy", async (_, head, robots, spec) => {
    await using manual = await Manual.of({ "/inlet": { head } }, robots)
    manual.vary = ""
    for (let run = 1; run <= 3; run++) {
      expect(await manual.run(spec)).toMatchObject({ html: ["/inlet"], markdown: [] })
    }
  })
})

describe("markdown that cannot replace its page", () => {
  const half = (text: string) => text.slice(0, text.length / 2)
  const unfit: Record<string, NonNullable<Leaf["markdown"]>> = {
    "/half-of-the-text": ({ text }) => ({ body: `# Valve\n\n${half(text)}` }),
    "/login": () => ({ body: "# Sign in\n\nEnter your name and your password to read this manual." }),
    "/web-page": ({ text }) => ({ body: `<!doctype html><html><body><p>${text}</p></body></html>` }),
    "/plain-text": ({ text }) => ({ body: text, headers: { "content-type": "text/plain" } }),
    "/error": ({ text }) => ({ body: text, status: 406 }),
    "/redirect": () => ({ body: "", status: 302, headers: { location: "/" } }),
    "/no-smaller": ({ text }) => ({ body: `${text}\n\n${MENU}` }),
  }

  test("is never used, and soon no longer requested", async () => {
    const paths = Object.keys(unfit).sort()
    await using manual = await Manual.of(
      Object.fromEntries(Object.entries(unfit).map(([path, markdown]) => [path, { markdown }])),
    )
    await manual.run()
    expect(await manual.run()).toMatchObject({ html: paths, markdown: paths, outcomes: { unchanged: 8 } })
    for (const path of paths) expect([path, (await manual.known(path))?.copy?.digest]).toEqual([path, null])
    const third = await manual.run()
    expect(third).toMatchObject({ html: paths, outcomes: { unchanged: 8 } })
    expect(third.markdown).toHaveLength(3)
    expect(await manual.run()).toMatchObject({ html: paths, markdown: [] })
  })

  test("is requested twenty times if each response contains the time, and again a month later", async () => {
    let answers = 0
    const markdown: Leaf["markdown"] = ({ text }) => ({ body: `${text}\n\nAnswer ${(answers += 1)}` })
    const paths = ["/a", "/b", "/c", "/d"]
    await using manual = await Manual.of(Object.fromEntries(paths.map((path) => [path, { markdown }])))
    await manual.run()
    for (let run = 2; run <= 7; run++) {
      expect(await manual.run()).toMatchObject({ html: paths, outcomes: { unchanged: 5 } })
    }
    expect(answers).toBe(20)
    manual.now += 40 * DAY
    for (let run = 1; run <= 2; run++) await manual.run()
    expect(answers).toBeGreaterThan(20)
  })
})

describe("no copy is requested for", () => {
  test("a site without a sign of markdown", async () => {
    await using manual = await Manual.of(PAGES)
    manual.vary = ""
    for (let run = 1; run <= 3; run++) expect((await manual.run()).markdown).toEqual([])
  })

  test("a page with an ETag, unless that changes with each answer", async () => {
    let answers = 0
    await using manual = await Manual.of(PAGES)
    manual.leaves["/inlet"]!.headers = { etag: '"1"' }
    Object.defineProperty(manual.leaves["/outlet"], "headers", {
      get: () => ({ etag: `"${(answers += 1)}"` }),
    })
    const { site, leaves } = manual
    const inlet = leaves["/inlet"]!
    site.serve({
      "/inlet": (request, response) => {
        const isSame = request.headers["if-none-match"] === '"1"'
        if (request.headers.accept?.startsWith("text/markdown") === true) manual.sent.markdown.push("/inlet")
        response.writeHead(isSame ? 304 : 200, { etag: '"1"', vary: "accept", "content-type": "text/html" })
        response.end(
          isSame ? "" : `<html lang="en"><title>Inlet</title><main><p>${inlet.text}</p></main></html>`,
        )
      },
    })
    const asked = []
    for (let run = 1; run <= 5; run++) asked.push((await manual.run()).markdown)
    expect(asked).toEqual([[], [], ["/outlet"], ["/outlet"], ["/outlet"]])
  })

  test("seeds, where new pages are linked", async () => {
    await using manual = await Manual.of({ "/inlet": {} })
    for (let run = 1; run <= 3; run++) {
      expect((await manual.run({ seeds: [manual.site.url("/inlet")] })).markdown).toEqual([])
    }
  })
})
