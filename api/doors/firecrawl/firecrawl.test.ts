import { connect } from "node:net"
import { text } from "node:stream/consumers"

import { afterAll, beforeAll, describe, expect, test } from "vitest"

import { article, hangs, html, redirect, status } from "#crawler/testing/test-site.ts"

import { readScope } from "../../identity/accounts/keys/key-scope.ts"
import { saying, startStubModel, type StubModel } from "../../services/chat-models/testing/stub-model.ts"
import { openChatModel } from "../../services/chat-models/chat-server.ts"
import { apiSettings } from "../../settings.ts"
import { readSettings } from "#base/settings.ts"
import { serveTwoSources, type TwoSources } from "../../testing/two-sources.ts"

// A crawled site and its index, called through Firecrawl's API over a socket.

/** The shortest timeout that a scrape accepts. */
const SHORTEST_MS = 1000
const opened = new AsyncDisposableStack()
let garden: TwoSources
let model: StubModel
let said = saying("nothing")
let tulips = "Tulips are planted in autumn, before the first frost comes."

beforeAll(async () => {
  model = opened.use(await startStubModel((request, response) => said(request, response)))
  const chatModel = opened.use(
    openChatModel({ ...readSettings(apiSettings, {}), llmUrl: model.url, llmModel: "stub" })!,
  )
  garden = opened.use(
    await serveTwoSources(
      {
        "/tulips": (request, response) => html(article("Tulips", { text: tulips }))(request, response),
        "/guide": article("Guide", {
          links: [
            "/guide/one",
            "/guide/two",
            "/guide/two?print=1",
            "/guide/gone",
            "/tulips",
            "/guide/hidden",
          ],
        }),
        "/guide/one": article("One", { text: "The first part of the guide is about soil and water." }),
        "/guide/two": article("Two", { text: "The second part of the guide is about light and air." }),
        "/gone": status(404),
        "/late": hangs(),
        "/away": redirect("/vault/keys"),
        "/robots.txt": "User-agent: *\nDisallow: /guide/hidden",
      },
      { chatModel },
    ),
  )
})
afterAll(() => opened.disposeAsync())

const call = (path: string, body?: unknown, key = garden.all) => garden.app.call(path, key, body)
const scrape = (path: string, options: object = {}, key?: string) =>
  call("/v2/scrape", { url: garden.site.url(path), ...options }, key)

/** A server's response to a request, read until the server closes the connection. */
async function rawRequest(url: string, lines: readonly string[]): Promise<string> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.write(`${lines.join("\r\n")}\r\n\r\n`)
  return await text(socket)
}

/** Waits until a started job has ended, and returns it. */
async function ended(start: string, body: object, key = garden.all) {
  const started = await call(start, body, key)
  expect(started.body).toMatchObject({ success: true, id: expect.any(String) })
  const path = new URL(started.body.url).pathname
  await expect.poll(async () => (await call(path, undefined, key)).body.status).not.toBe("scraping")
  return { job: (await call(path, undefined, key)).body, path }
}

describe("a scrape", () => {
  test("returns the requested formats", async () => {
    const { status: code, body } = await scrape("/roses/", {
      formats: ["markdown", "html", "rawHtml", "links", { type: "images" }],
      origin: "js-sdk@4.42.0",
    })
    expect(code).toBe(200)
    expect(body).toMatchObject({ success: true })
    expect(body.data.markdown).toContain("Roses are pruned in winter")
    expect(body.data.markdown).not.toContain("Menu of the garden")
    expect(body.data.html).toContain("<p>Roses are pruned")
    expect(body.data.rawHtml).toContain("<nav>Menu of the garden</nav>")
    expect(body.data.links).toContain(garden.site.url("/tulips"))
    expect(body.data.images).toEqual([garden.site.url("/rose.png")])
    expect(body.data.metadata).toMatchObject({
      title: "Roses",
      description: "How roses are cared for.",
      language: "en",
      statusCode: 200,
      sourceURL: garden.site.url("/roses/"),
      contentType: "text/html",
      cacheState: "miss",
      creditsUsed: expect.any(Number),
    })
  })

  test("returns markdown by default, in the first version too", async () => {
    const { body } = await call("/v1/scrape", { url: garden.site.url("/roses/"), onlyMainContent: false })
    expect(Object.keys(body.data).toSorted()).toEqual(["markdown", "metadata", "warning"])
    expect(body.warning).toContain("onlyMainContent=false has no effect")
  })

  test("says how the page has changed since the crawl", async () => {
    const track = () =>
      scrape("/tulips", { formats: ["markdown", { type: "changeTracking", modes: ["git-diff"] }] })
    expect((await track()).body.data.changeTracking).toEqual({
      previousScrapeAt: expect.any(String),
      changeStatus: "same",
      visibility: "visible",
    })
    const before = tulips
    tulips = "Tulips are planted in October, before the first frost comes."
    const { changeTracking } = (await track()).body.data
    tulips = before
    expect(changeTracking.changeStatus).toBe("changed")
    expect(changeTracking.diff.text).toContain(`-${before}`)
    expect(changeTracking.diff.text).toContain("+Tulips are planted in October")
    const fresh = await scrape("/guide/one", { formats: ["changeTracking"] })
    expect(fresh.body.data.changeTracking).toEqual({
      previousScrapeAt: null,
      changeStatus: "new",
      visibility: "hidden",
    })
  })

  test("has a model fill a schema, and rejects output that does not fit", async () => {
    const schema = { type: "object", properties: { month: { type: "string" } }, required: ["month"] }
    said = saying('```json\n{"month": "autumn"}\n```')
    const { body } = await scrape("/tulips", { formats: [{ type: "json", schema }] })
    expect(body.data.json).toEqual({ month: "autumn" })
    said = saying('{"month": 9}')
    const unfit = await scrape("/tulips", { formats: [{ type: "json", schema }] })
    expect(unfit.status).toBe(500)
    expect(unfit.body).toMatchObject({
      success: false,
      error: expect.stringContaining("doesn't match the schema"),
    })
    said = saying("Tulips come before the frost.")
    expect((await scrape("/tulips", { formats: ["summary"] })).body.data.summary).toBe(
      "Tulips come before the frost.",
    )
  })

  test("returns the indexed page if it is recent enough or the live page cannot be read", async () => {
    const before = garden.site.requests.length
    const stored = await scrape("/roses/", { maxAge: 3_600_000 })
    expect(stored.body.data.metadata).toMatchObject({ cacheState: "hit", cachedAt: expect.any(String) })
    expect(stored.body.data.markdown).toContain("Roses are pruned in winter")
    expect(garden.site.requests.length).toBe(before)
    expect((await scrape("/roses/", { maxAge: 1 })).body.data.metadata.cacheState).toBe("miss")
  })

  test.each([
    ["/gone", {}, 500, "SCRAPE_SITE_ERROR"],
    ["/late", { timeout: SHORTEST_MS }, 408, "SCRAPE_TIMEOUT"],
  ])("fails for %s as Firecrawl does", async (path, options, code, name) => {
    const { status: answered, body } = await scrape(path, options)
    expect([answered, body.success, body.code]).toEqual([code, false, name])
  })

  test("reads nothing in a forbidden network, and says so", async () => {
    const { status: code, body } = await call("/v2/scrape", { url: "http://127.0.0.1:1/" })
    expect([code, body.success, body.code]).toEqual([403, false, "SCRAPE_NOT_ALLOWED"])
  })

  test.each([
    [{ actions: [{ type: "click", selector: "a" }] }, "actions"],
    [{ headers: { Cookie: "a=b" } }, "headers"],
    [{ mobile: true }, "mobile"],
    [{ proxy: "stealth" }, "proxy"],
    [{ includeTags: ["article"] }, "includeTags"],
    [{ formats: ["branding"] }, "formats"],
    [{ formats: [{ type: "json" }] }, "formats.schema"],
    [{ formats: [{ type: "changeTracking", modes: ["json"] }] }, "formats.modes"],
    [{ waitFor: -1 }, "waitFor"],
    [{ noSuchField: 1 }, "noSuchField"],
    [{ url: "no address" }, "url"],
  ])("refuses %j, naming the field", async (options, field) => {
    const { status: code, body } = await scrape("/roses/", options)
    expect(code).toBe(400)
    expect(body.success).toBe(false)
    expect(body.error).toContain(`Invalid ${field}.`)
  })

  test("accepts what the Python client always sends", async () => {
    const { status: code } = await scrape("/roses/", {
      onlyMainContent: true,
      mobile: false,
      skipTlsVerification: true,
      removeBase64Images: true,
      fastMode: false,
      blockAds: true,
      maxAge: 14_400_000,
      storeInCache: true,
    })
    expect(code).toBe(200)
  })

  test("takes a screenshot in a browser", { tags: ["chromium"] }, async () => {
    const { body } = await scrape("/roses/", {
      formats: [{ type: "screenshot", fullPage: true, viewport: { width: 640, height: 400 } }],
    })
    const png = Buffer.from(body.data.screenshot.replace("data:image/png;base64,", ""), "base64")
    expect(png.subarray(1, 4).toString()).toBe("PNG")
    expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([640, 400])
  })
})

describe("a search", () => {
  test("searches the index and returns content from it", async () => {
    const before = garden.site.requests.length
    const { body } = await call("/v2/search", {
      query: "when are tulips planted",
      limit: 2,
      scrapeOptions: { formats: ["markdown"] },
    })
    expect(body.success).toBe(true)
    expect(body.data.web.length).toBeLessThanOrEqual(2)
    expect(body.data.web[0]).toMatchObject({ url: garden.site.url("/tulips"), title: "Tulips", position: 1 })
    expect(body.data.web[0].markdown).toContain("before the first frost")
    expect(garden.site.requests.length).toBe(before)
    const first = await call("/v1/search", {
      query: "tulips",
      limit: 60,
      lang: "en",
      country: "us",
      scrapeOptions: { formats: [] },
    })
    expect(first.body.data[0]).toMatchObject({ url: expect.any(String), description: expect.any(String) })
    expect([body.warning, first.body.warning]).toEqual([
      undefined,
      "limit: a search returns at most 50 results.",
    ])
    const news = await call("/v2/search", { query: "tulips", sources: ["web", { type: "news" }, "images"] })
    expect(Object.keys(news.body.data)).toEqual(["web", "news", "images"])
    const tools = await call("/v2/search", {
      query: "tulips",
      sources: ["web", "alexandria"],
      toolDetail: "compact",
    })
    expect(Object.keys(tools.body.data)).toEqual(["web"])
  })

  test.each([
    [{ sources: ["maps"] }, "sources"],
    [{ categories: ["github"] }, "categories"],
    [{ tbs: "qdr:z" }, "tbs"],
    [{ location: "Paris" }, "location"],
    [{ scrapeOptions: { formats: ["rawHtml"] } }, "scrapeOptions.formats"],
    [{ scrapeOptions: { actions: [{}] } }, "scrapeOptions.actions"],
    [{ limit: 0 }, "limit"],
  ])("refuses %j, naming the field", async (options, field) => {
    const { status: code, body } = await call("/v2/search", { query: "tulips", ...options })
    expect([code, body.error]).toEqual([400, expect.stringContaining(`Invalid ${field}.`)])
  })
})

describe("a map", () => {
  test("lists a site's addresses, best matches first if there is a search term", async () => {
    const { body } = await call("/v2/map", { url: garden.site.url("/guide") })
    const urls = body.links.map((one: { url: string }) => one.url)
    expect(urls).toContain(garden.site.url("/guide/two"))
    expect(urls).not.toContain(garden.site.url("/guide/two?print=1"))
    expect(body.links[0]).toMatchObject({ url: garden.site.url("/guide"), title: "Guide" })
    const looked = await call("/v2/map", { url: garden.site.url("/guide"), search: "tulips" })
    expect(looked.body.links[0].url).toBe(garden.site.url("/tulips"))
    const first = await call("/v1/map", { url: garden.site.url("/guide"), ignoreSitemap: true })
    expect(first.body.links).toContain(garden.site.url("/guide/one"))
  })
})

describe("a crawl", () => {
  test("ignores what forms send for fields that were left empty", async () => {
    const blank = { prompt: "", robotsUserAgent: " ", includePaths: [], webhook: null }
    const scrapeOptions = { actions: [], headers: {}, includeTags: [] }
    const given = { url: garden.site.url("/guide"), limit: 1, ...blank, scrapeOptions }
    expect((await ended("/v2/crawl", given)).job).toMatchObject({ status: "completed", completed: 1 })
  })

  test("reads what lies below its start, and keeps documents and failures", async () => {
    const { job, path } = await ended("/v2/crawl", {
      url: garden.site.url("/guide"),
      ignoreQueryParameters: true,
      scrapeOptions: { formats: ["markdown", "links"] },
    })
    expect(job).toMatchObject({
      success: true,
      status: "completed",
      completed: 3,
      creditsUsed: expect.any(Number),
    })
    expect(job.data.map((one: { metadata: { title: string } }) => one.metadata.title)).toEqual([
      "Guide",
      "One",
      "Two",
    ])
    expect(job.data[1].markdown).toContain("soil and water")
    const errors = await call(`${path}/errors`)
    expect(errors.body.errors).toEqual([
      {
        id: expect.any(String),
        timestamp: expect.any(String),
        url: garden.site.url("/guide/gone"),
        code: "SCRAPE_SITE_ERROR",
        error: expect.stringContaining("404"),
      },
    ])
    expect(errors.body.robotsBlocked).toEqual([garden.site.url("/guide/hidden")])
    expect((await call(path.replace("/v2/", "/v1/"))).body.status).toBe("completed")
  })

  test("returns its results in parts, each with the address of the next", async () => {
    const { path } = await ended("/v2/crawl", { url: garden.site.url("/guide"), crawlEntireDomain: true })
    const titles: string[] = []
    for (let next: string | undefined = `${path}?limit=1`; next !== undefined;) {
      const { body } = await call(next)
      expect(body.data.length).toBeLessThanOrEqual(1)
      titles.push(...body.data.map((one: { metadata: { title: string } }) => one.metadata.title))
      next = body.next && new URL(body.next).pathname + new URL(body.next).search
    }
    expect(titles).toEqual(["Guide", "One", "Two", "Two", "Tulips"].filter((_, at) => at < titles.length))
    expect(new Set(titles)).toEqual(new Set(["Guide", "One", "Two", "Tulips"]))
  })

  test("can be cancelled, and is listed as active until then", async () => {
    const { body } = await call("/v2/crawl", { url: garden.site.url("/guide"), delay: 60 })
    const path = new URL(body.url).pathname
    await expect.poll(async () => (await call(path)).body.completed).toBeGreaterThan(0)
    const active = await call("/v2/crawl/active")
    expect(active.body.crawls).toMatchObject([{ id: body.id, url: garden.site.url("/guide") }])
    expect((await call("/v2/crawl/active", undefined, garden.narrow)).body.crawls).toEqual([])
    const cancel = () =>
      fetch(garden.app.url + path, { method: "DELETE", headers: { Authorization: `Bearer ${garden.all}` } })
    expect(await (await cancel()).json()).toMatchObject({ status: "cancelled" })
    const after = (await call(path)).body
    expect(after.status).toBe("cancelled")
    expect(after.data.length).toBe(after.completed)
    expect((await cancel()).status).toBe(409)
  })

  test.each([
    [{ webhook: "ftp://example.com/" }, "webhook"],
    [{ webhook: { url: "nowhere" } }, "webhook.url"],
    [{ webhook: { url: "https://a.example/", events: ["page", "paused"] } }, "webhook.events"],
    [{ webhook: { url: "https://a.example/", headers: { "X-Key": "1" } } }, "webhook.headers"],
    [{ prompt: "only the blog" }, "prompt"],
    [{ ignoreRobotsTxt: true }, "ignoreRobotsTxt"],
    [{ includePaths: ["("] }, "includePaths"],
    [{ sitemap: "sometimes" }, "sitemap"],
    [{ zeroDataRetention: true }, "zeroDataRetention"],
    [{ scrapeOptions: { mobile: true } }, "scrapeOptions.mobile"],
  ])("refuses %j, naming the field", async (options, field) => {
    const { status: code, body } = await call("/v2/crawl", { url: garden.site.url("/guide"), ...options })
    expect([code, body.error]).toEqual([400, expect.stringContaining(`Invalid ${field}.`)])
  })
})

describe("a job that is watched over a WebSocket", () => {
  /** All messages sent to a watcher, up to the closing one. */
  const watched = async (path: string, protocol: string) => {
    const socket = new WebSocket(garden.app.url.replace("http", "ws") + path, protocol)
    // oxlint-disable-next-line typescript/no-explicit-any -- a test looks into whatever came back
    const messages: any[] = []
    socket.addEventListener("message", ({ data }) => messages.push(JSON.parse(String(data))))
    const isOpened = await new Promise<boolean>((resolve) => {
      let isOpen = false
      socket.addEventListener("open", () => (isOpen = true))
      socket.addEventListener("error", () => resolve(isOpen))
      socket.addEventListener("close", () => resolve(isOpen))
    })
    return { isOpened, messages, types: messages.map(({ type }) => type as string) }
  }

  test("sends each document, and then its end", async () => {
    const { body } = await call("/v2/crawl", { url: garden.site.url("/guide"), crawlEntireDomain: true })
    const { pathname } = new URL(body.url)
    const { messages, types } = await watched(pathname, garden.all)
    expect([types[0], types.at(-1)]).toEqual(["catchup", "done"])
    const told = messages.filter(({ type }) => type === "document").map(({ data }) => data.metadata.title)
    const { data } = (await call(pathname)).body
    expect(told).toEqual(data.map((one: { metadata: { title: string } }) => one.metadata.title))
    expect(messages.at(-1).data).toMatchObject({ status: "completed", completed: told.length, data: [] })
    // Watching the job after its end shows the same events.
    expect((await watched(pathname, garden.all)).types).toEqual(types)
  })

  test("sends its cancellation", async () => {
    const { body } = await call("/v2/crawl", { url: garden.site.url("/guide"), delay: 60 })
    const { pathname } = new URL(body.url)
    const watching = watched(pathname, garden.all)
    await expect.poll(async () => (await call(pathname)).body.completed).toBeGreaterThan(0)
    await fetch(garden.app.url + pathname, {
      method: "DELETE",
      headers: { Authorization: `Bearer ${garden.all}` },
    })
    const { messages } = await watching
    expect(messages.at(-1)).toMatchObject({ type: "catchup", data: { status: "cancelled" } })
  })

  test("is hidden from other keys, and ignores upgrades to anything else", async () => {
    const { path } = await ended("/v2/crawl", { url: garden.site.url("/guide"), limit: 1 })
    for (const key of ["nobody", await garden.app.key()])
      expect(await watched(path, key)).toMatchObject({ isOpened: false, messages: [] })
    expect((await watched("/healthz", "any")).isOpened).toBe(false)
    const answer = await rawRequest(garden.app.url, [
      `GET ${path} HTTP/1.1`,
      "Host: localhost",
      "Connection: Upgrade, close",
      "Upgrade: h2c",
      `Authorization: Bearer ${garden.all}`,
    ])
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK/)
    const refused = await rawRequest(garden.app.url, [
      `GET ${path} HTTP/1.1`,
      "Host: localhost",
      "Connection: Upgrade",
      "Upgrade: websocket",
      "Sec-WebSocket-Version: 8",
      `Authorization: Bearer ${garden.all}`,
    ])
    expect(refused).toMatch(/^HTTP\/1\.1 426 Upgrade Required/)
  })
})

describe("a job with a caller's own idempotency key", () => {
  const start = (once: string, body: object, key = garden.all) =>
    garden.app.call("/v2/crawl", key, body, { "x-idempotency-key": once })

  test("starts once per API key, however often it is requested", async () => {
    const body = { url: garden.site.url("/guide"), limit: 1 }
    const both = await Promise.all([start("order-1", body), start("order-1", body)])
    const [id] = both.map((one) => one.body.id as string)
    expect(both.map((one) => one.body.id)).toEqual([id, id])
    expect((await start("order-1", body)).body.id).toBe(id)
    expect((await start("order-1", body, await garden.app.key())).body.id).not.toBe(id)
  })

  test("rejects a different request with the same key, and an invalid key", async () => {
    const body = { url: garden.site.url("/guide"), limit: 1 }
    await start("order-2", body)
    const other = await start("order-2", { ...body, limit: 2 })
    expect([other.status, other.body.error]).toEqual([409, expect.stringContaining("already used")])
    expect((await start("order 3", body)).body.error).toContain("Invalid x-idempotency-key.")
  })
})

test("a team sees the credits and the jobs of its key", async () => {
  const { app, site } = garden
  const key = await app.key({ creditLimit: { credits: 50, per: "month" } })
  await call("/v2/search", { query: "tulips" }, key)
  const usage = await call("/v2/team/credit-usage", undefined, key)
  expect(usage.body).toMatchObject({ success: true, data: { remainingCredits: 49, planCredits: 50 } })
  expect(Date.parse(usage.body.data.billingPeriodEnd)).toBeGreaterThan(Date.now())
  expect((await call("/v1/team/credit-usage", undefined, key)).body.data.remaining_credits).toBe(49)
  const free = await call("/v2/team/credit-usage", undefined, await app.key())
  expect(free.body.data).toMatchObject({ remainingCredits: 99_999_999, billingPeriodStart: null })
  const months = await call("/v2/team/credit-usage/historical?byApiKey=true", undefined, key)
  expect(months.body.periods).toMatchObject([{ creditsUsed: 1, apiKey: expect.any(String) }])
  expect((await call("/v2/team/queue-status", undefined, key)).body).toMatchObject({
    jobsInQueue: 0,
    mostRecentSuccess: null,
  })
  await ended("/v2/crawl", { url: site.url("/guide"), limit: 1 }, key)
  const queue = await call("/v2/team/queue-status", undefined, key)
  expect(Date.parse(queue.body.mostRecentSuccess)).not.toBeNaN()
  const check = await call("/v2/concurrency-check", undefined, key)
  expect(check.body).toEqual({ success: true, concurrency: 0, maxConcurrency: 4 })
})

test("a batch reads the given addresses, and names invalid ones", async () => {
  const urls = [garden.site.url("/roses/"), garden.site.url("/gone"), "no address"]
  const started = await call("/v2/batch/scrape", { urls, formats: ["markdown"] })
  expect(started.body.invalidURLs).toEqual(["no address"])
  const { job, path } = await ended("/v2/batch/scrape", { urls, formats: ["markdown"] })
  expect(job).toMatchObject({ status: "completed", completed: 1, total: 2 })
  expect(job.data[0].metadata.sourceURL).toBe(urls[0])
  expect((await call(`${path}/errors`)).body.errors).toMatchObject([{ url: urls[1] }])
  expect((await call("/v1/batch/scrape", { urls })).status).toBe(400)
  expect((await call("/v2/batch/scrape", { urls, appendToId: "x" })).status).toBe(400)
})

describe("a key", () => {
  test("is required, with an error in Firecrawl's format", async () => {
    for (const [path, body] of [
      ["/v2/scrape", {}],
      ["/v2/crawl/active", undefined],
    ] as const) {
      const refused = await call(path, body, "nobody")
      expect([refused.status, refused.body]).toEqual([
        401,
        { success: false, code: "UNAUTHORIZED", error: expect.any(String) },
      ])
    }
    const unknown = await call("/v2/agent", {})
    expect([unknown.status, unknown.body]).toEqual([404, { success: false, error: expect.any(String) }])
  })

  test("with a limited scope sees nothing outside it through any call", async () => {
    const { narrow, site } = garden
    const outside = site.url("/vault/keys")
    for (const body of [{ url: outside }, { url: outside, maxAge: 3_600_000 }, { url: site.url("/away") }]) {
      const read = await call(
        "/v2/scrape",
        { ...body, formats: ["markdown", "rawHtml", "changeTracking"] },
        narrow,
      )
      expect([read.status, read.body.code, JSON.stringify(read.body).includes("hang behind")]).toEqual([
        403,
        "SCRAPE_NOT_ALLOWED",
        false,
      ])
    }
    const found = await call(
      "/v2/search",
      { query: "keys of the vault", scrapeOptions: { formats: ["markdown"] } },
      narrow,
    )
    expect(JSON.stringify(found.body)).not.toContain("/vault")
    expect((await call("/v2/map", { url: outside }, narrow)).status).toBe(403)
    const mapped = await call("/v2/map", { url: site.url("/") }, narrow)
    expect(JSON.stringify(mapped.body.links)).not.toContain("/vault")
    expect((await call("/v2/crawl", { url: outside }, narrow)).status).toBe(403)
    const crawled = await ended("/v2/crawl", { url: site.url("/") }, narrow)
    expect(JSON.stringify(crawled.job)).not.toContain("/vault")
    expect(crawled.job.completed).toBeGreaterThan(1)
    const batch = await ended("/v2/batch/scrape", { urls: [outside, site.url("/away")] }, narrow)
    expect([batch.job.completed, batch.job.data]).toEqual([0, []])
    const other = await garden.app.key()
    for (const path of [crawled.path, `${crawled.path}/errors`])
      expect((await call(path, undefined, other)).status).toBe(404)
  })

  test("can be restricted to certain calls, and pays the same as for Tavily's", async () => {
    const { app, site } = garden
    const key = await app.key({ scope: readScope({ endpoints: ["search", "crawl"] }) })
    expect((await call("/v2/scrape", { url: site.url("/roses/") }, key)).status).toBe(403)
    expect((await call("/v2/map", { url: site.url("/roses/") }, key)).status).toBe(403)
    await call("/v2/search", { query: "tulips" }, key)
    await ended("/v2/crawl", { url: site.url("/guide"), limit: 10 }, key)
    const { body } = await call("/usage", undefined, key)
    expect(body.key).toMatchObject({ search_usage: 1, usage: expect.any(Number) })
    const poor = await app.key({ creditLimit: { credits: 1, per: "total" } })
    expect((await call("/v2/search", { query: "tulips" }, poor)).status).toBe(200)
    const refused = await call("/v2/search", { query: "tulips" }, poor)
    expect([refused.status, refused.body.success]).toEqual([402, false])
  })
})
