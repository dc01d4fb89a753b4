import { afterAll, beforeAll, describe, expect, test } from "vitest"

import { createReader, crawlerSettings, openStateStore, type Reader } from "#crawler"
import { article, hangs, startTestSite, status, type TestSite } from "#crawler/testing/test-site.ts"
import { readSettings } from "#base/settings.ts"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { openAccounts } from "../../identity/accounts/accounts.ts"
import { mapCost } from "../../identity/accounts/billing/credits.ts"
import { apiKey } from "../../identity/accounts/keys/keys.ts"
import { apiSettings } from "../../settings.ts"
import { type ServedApp, serveApp, TEST_KEY, withTestKeys } from "../../testing/serve-app.ts"

const filler =
  "A garden needs patience, a spade and a watering can more than it needs anything else you can buy."
const garden = `<p>${filler}</p>
  <h2>Watering</h2><p>Water the tomatoes in the morning, deeply and at the roots, and never over the leaves.</p><p>${filler}</p>
  <h2>Pruning</h2><p>Prune the roses in late winter, above an outward bud, with clean secateurs only.</p><p>${filler}</p>`

let site: TestSite
let reader: Reader
let app: ServedApp
let dir: string

beforeAll(async () => {
  site = await startTestSite({
    "/": article("Home", { links: ["/tomatoes", "/roses", "/broken", "https://elsewhere.example/"] }),
    "/tomatoes": article("Tomatoes", {
      text: "Tomatoes want sun, water and a stake to hold on to.",
      links: ["/deep/soil"],
    }),
    "/roses": article("Roses", { text: "Roses are pruned in winter and fed in spring." }),
    "/deep/soil": article("Soil", { text: "Soil is fed with compost, which worms work in." }),
    "/garden": `<!doctype html><html lang="en"><head><title>Garden</title><link rel="icon" href="/leaf.png"></head>
      <body><main><h1>Garden</h1>${garden}<p><img src="/rose.jpg" alt="A rose" width="600" height="400"></p></main></body></html>`,
    "/broken": status(500),
    "/slow": hangs(),
    "/gate": '<title>Gate</title><meta http-equiv="refresh" content="0; url=/roses">',
    "/broken-gate": '<title>Gate</title><meta http-equiv="refresh" content="0; url=/broken">',
    "/slow-gate": '<title>Gate</title><meta http-equiv="refresh" content="60; url=/roses">',
  })
  reader = createReader({ ...readSettings(crawlerSettings, {}), allowedNetworks: [site.authority] })
  dir = await mkdtemp(join(tmpdir(), "fossick-live-"))
})
afterAll(async () => {
  await reader[Symbol.asyncDispose]()
  await site[Symbol.asyncDispose]()
  await rm(dir, { recursive: true })
})

beforeAll(async () => {
  app = await serveApp({ reader })
})
afterAll(() => app[Symbol.asyncDispose]())

describe("extract", () => {
  const extract = (parameters: object) => app.post("/extract", { timeout: 60, ...parameters })

  test("gives the content of each address and the reason for each that has none", async () => {
    const { status, body } = await extract({ urls: [site.url("/roses"), site.url("/broken"), "no address"] })
    expect(status).toBe(200)
    expect(body.results).toEqual([
      {
        url: site.url("/roses"),
        title: "Roses",
        raw_content: expect.stringContaining("Roses are pruned in winter"),
        images: [],
      },
    ])
    expect(body.failed_results).toEqual([
      { url: site.url("/broken"), error: expect.stringMatching(/^Failed to fetch url: .*500/) },
      { url: "no address", error: "Validation Error: Invalid URL format" },
    ])
    expect(body).toMatchObject({ response_time: expect.any(Number), request_id: expect.any(String) })
  })

  test("follows where a page without text sends its readers, or names the target", async () => {
    const paths = ["/gate", "/broken-gate", "/slow-gate"]
    const { body } = await extract({ urls: paths.map((path) => site.url(path)) })
    expect(body.results).toMatchObject([
      { url: site.url("/gate"), raw_content: expect.stringContaining("Roses are pruned in winter") },
    ])
    expect(body.failed_results).toEqual([
      {
        url: site.url("/broken-gate"),
        error: `Failed to fetch url: immediately leads to ${site.url("/broken")}: the site answered 500`,
      },
      {
        url: site.url("/slow-gate"),
        error: `Failed to fetch url: it has no text and leads to ${site.url("/roses")} after 60 s`,
      },
    ])
  })

  test("takes one address as a string, and adds images and icon when asked", async () => {
    const { body } = await extract({ urls: site.url("/garden"), include_images: true, include_favicon: true })
    expect(body.results).toHaveLength(1)
    expect(body.results[0].images).toEqual([site.url("/rose.jpg")])
    expect(body.results[0].favicon).toBe(site.url("/leaf.png"))
    expect(body.results[0].raw_content).toContain("## Watering")
    const text = await extract({ urls: site.url("/garden"), format: "text" })
    expect(text.body.results[0].raw_content).not.toContain("#")
  })

  test("gives the passages that belong to a query", async () => {
    const { body } = await extract({
      urls: site.url("/garden"),
      query: "when to prune roses",
      chunks_per_source: 1,
    })
    expect(body.results[0].raw_content).toContain("Prune the roses in late winter")
    expect(body.results[0].raw_content).not.toContain("Water the tomatoes")
  })

  test("answers with partial results before the caller's time limit", async () => {
    const { status, body } = await extract({ urls: [site.url("/slow"), site.url("/roses")], timeout: 10 })
    expect(status).toBe(200)
    expect(body.results).toHaveLength(1)
    expect(body.failed_results).toEqual([{ url: site.url("/slow"), error: "Request timed out" }])
  })

  test("never reads a network that was not allowed", async () => {
    const { body } = await extract({ urls: "http://127.0.0.1:1/" })
    expect(body.failed_results[0].error).toBe(
      "Failed to fetch url: the address is in a network that is not allowed",
    )
  })

  test.each<[object, string]>([
    [{}, "Missing urls. Must be an address or a list of 1 to 20 addresses."],
    [{ urls: [] }, "Missing urls. Must be an address or a list of 1 to 20 addresses."],
    [{ urls: 5 }, "Invalid urls. Must be an address or a list of 1 to 20 addresses."],
    [{ urls: Array.from({ length: 21 }, (_, i) => `https://a.example/${i}`) }, "Max 20 URLs are allowed."],
    [
      { urls: "a.example", chunks_per_source: 6 },
      "Invalid chunks_per_source. Must be a whole number from 1 to 5.",
    ],
    [{ urls: "a.example", extract_depth: "full" }, "Invalid extract_depth. Must be 'basic' or 'advanced'."],
    [{ urls: "a.example", format: "html" }, "Invalid format. Must be 'markdown' or 'text'."],
    [{ urls: "a.example", timeout: 0.5 }, "Invalid timeout. Must be a number from 1 to 60."],
    [{ urls: "a.example", timeout: 61 }, "Invalid timeout. Must be a number from 1 to 60."],
  ])("refuses %j", async (parameters, error) => {
    const { status, body } = await extract(parameters)
    expect(body).toEqual({ detail: { error } })
    expect(status).toBe(400)
  })

  test("rejects a list without a valid address, naming each entry", async () => {
    const { status, body } = await extract({ urls: ["no address", "ftp://a.example/"] })
    expect(status).toBe(400)
    expect(body).toEqual({
      detail: {
        error: "All URLs failed validation.",
        failed_results: [
          { url: "no address", error: "Validation Error: Invalid URL format" },
          { url: "ftp://a.example/", error: "Validation Error: Invalid URL format" },
        ],
      },
    })
  })
})

describe("crawl", () => {
  const crawl = (parameters: object) => app.post("/crawl", { url: site.url("/"), ...parameters })

  test("gives the start and what it links to", async () => {
    const { status, body } = await crawl({ chunks_per_source: 3 })
    expect(status).toBe(200)
    expect(body.base_url).toBe(site.url("/"))
    expect(body.results.map((one: { url: string }) => one.url)).toEqual(
      ["/", "/tomatoes", "/roses"].map((path) => site.url(path)),
    )
    expect(body.results[1].raw_content).toContain("Tomatoes want sun")
  })

  test("goes deeper, chooses by path, and stops at the limit", async () => {
    const urls = async (parameters: object) =>
      (await crawl(parameters)).body.results.map((one: { url: string }) => new URL(one.url).pathname)
    expect(await urls({ max_depth: 2 })).toContain("/deep/soil")
    expect(await urls({ max_depth: 2, exclude_paths: ["/deep/.*"] })).not.toContain("/deep/soil")
    expect(await urls({ limit: 2 })).toHaveLength(2)
    expect(await urls({ select_paths: [], max_breadth: 1 })).toEqual(["/", "/tomatoes"])
    // An empty pattern would match every path.
    expect(await urls({ exclude_paths: [""], max_breadth: 1 })).toEqual(["/", "/tomatoes"])
  })

  test("lists external pages after internal ones, unless told otherwise", async () => {
    await using other = await startTestSite({ "/": article("Other", { text: "Elsewhere hedges grow." }) })
    const abroad = other.url("/").replace("127.0.0.1", "localhost")
    await using home = await startTestSite({
      "/": article("Home", { links: [abroad, "/a"] }),
      "/a": article("A"),
    })
    await using near = createReader({
      ...readSettings(crawlerSettings, {}),
      allowedNetworks: [home.authority, new URL(abroad).host],
    })
    await using served = await serveApp({ reader: near })
    const urls = async (parameters: object) =>
      (await served.post("/crawl", { url: home.url("/"), ...parameters })).body.results.map(
        (one: { url: string }) => one.url,
      )
    expect(await urls({})).toEqual([home.url("/"), home.url("/a"), abroad])
    expect(await urls({ limit: 2 })).toEqual([home.url("/"), home.url("/a")])
    expect(await urls({ allow_external: false })).toEqual([home.url("/"), home.url("/a")])
  })

  test("puts the pages that fit the instructions first, with their passages", async () => {
    const { body } = await crawl({ max_depth: 2, instructions: "how is compost worked into soil" })
    expect(body.results[0].url).toBe(site.url("/deep/soil"))
    expect(body.results[0].raw_content).toContain("compost")
    expect(body.results.map((one: { url: string }) => one.url)).not.toContain(site.url("/roses"))
  })

  test("spends its limit on the links that fit the instructions", async () => {
    const links = Array.from({ length: 40 }, (_, i) => `/page-${i}`)
    links[33] = "/hedge-trimming"
    const pages = links.map((path) => [path, article(path.slice(1).replaceAll("-", " "))] as const)
    await using many = await startTestSite({ "/": article("Home", { links }), ...Object.fromEntries(pages) })
    await using near = createReader({
      ...readSettings(crawlerSettings, {}),
      allowedNetworks: [many.authority],
    })
    await using served = await serveApp({ reader: near })
    const asked = { url: many.url("/"), limit: 5, max_breadth: 3 }
    const { body } = await served.post("/crawl", { ...asked, instructions: "trimming of a hedge" })
    expect(body.results[0].url).toBe(many.url("/hedge-trimming"))
    expect(many.requests.filter((path) => path.startsWith("/page"))).toHaveLength(2)
    const plain = await served.post("/crawl", asked)
    expect(plain.body.results.map((one: { url: string }) => new URL(one.url).pathname)).toEqual([
      "/",
      "/page-0",
      "/page-1",
      "/page-2",
    ])
  })

  test("knows the categories that older clients send", async () => {
    const links = ["/docs/start", "/blog/2026/spring", "/about-us", "/shop/rakes"]
    const pages = links.map((path) => [path, article(path)] as const)
    await using shop = await startTestSite({ "/": article("Home", { links }), ...Object.fromEntries(pages) })
    await using near = createReader({
      ...readSettings(crawlerSettings, {}),
      allowedNetworks: [shop.authority],
    })
    await using served = await serveApp({ reader: near })
    const paths = async (categories: readonly string[]) =>
      (await served.post("/crawl", { url: shop.url("/"), categories })).body.results
        .map((one: { url: string }) => new URL(one.url).pathname)
        .slice(1)
    expect(await paths(["Blogs"])).toEqual(["/blog/2026/spring"])
    expect(await paths(["Documentation", "About"])).toEqual(["/docs/start", "/about-us"])
    expect(await paths(["Unheard of"])).toEqual(links)
  })
})

describe("map", () => {
  const map = (parameters: object) => app.post("/map", { url: site.url("/"), ...parameters })

  test("names the addresses, external ones too unless told otherwise", async () => {
    const { body } = await map({})
    expect(body.results).toContain(site.url("/tomatoes"))
    expect(body.results).toContain("https://elsewhere.example/")
    const inside = await map({ allow_external: false })
    expect(inside.body.results).not.toContain("https://elsewhere.example/")
    expect((await map({ limit: 2 })).body.results).toHaveLength(2)
  })

  test("puts the addresses that fit the instructions first", async () => {
    const { body } = await map({ instructions: "pages about roses", allow_external: false })
    expect(body.results[0]).toBe(site.url("/roses"))
  })

  test.each<[string, object, number, string]>([
    ["map", { url: undefined }, 400, "[400] No starting url provided"],
    ["crawl", { url: "" }, 400, "[400] No starting url provided"],
    ["map", { url: "no address" }, 400, "Invalid url. Must be an http or https address."],
    ["map", { url: "ftp://a.example/" }, 403, "[403] URL is not supported"],
    ["crawl", { url: "http://127.0.0.1:1/" }, 403, "[403] URL is not supported"],
    ["crawl", { max_depth: 6 }, 400, "Invalid max_depth. Must be a whole number from 1 to 5."],
    ["map", { max_breadth: 0 }, 400, "Invalid max_breadth. Must be a whole number from 1 to 500."],
    ["map", { limit: 0 }, 400, "Invalid limit. Must be a whole number of at least 1."],
    ["map", { timeout: 9 }, 400, "Invalid timeout. Must be a number from 10 to 150."],
    ["crawl", { select_paths: "/docs" }, 400, "Invalid select_paths. Must be a list of strings."],
    ["crawl", { allow_external: "no" }, 400, "Invalid allow_external. Must be true or false."],
  ])("/%s refuses %j", async (endpoint, parameters, status, error) => {
    const answer = await app.post(`/${endpoint}`, { url: site.url("/"), ...parameters })
    expect(answer.body).toEqual({ detail: { error } })
    expect(answer.status).toBe(status)
  })

  test("rejects an invalid regular expression, naming field and pattern", async () => {
    const answer = await map({ exclude_paths: ["/ok/.*", "/(unclosed"] })
    expect(answer.status).toBe(400)
    expect(answer.body.detail.error).toMatch(
      /^Invalid exclude_paths\. "\/\(unclosed" isn't a valid regular expression \(.*\)\.$/,
    )
  })
})

test("pages cost credits by the block, counted across calls and kept across restarts", async () => {
  const config = readSettings(apiSettings, {})
  const db = await openStateStore(dir)
  const { keys, ...parts } = await openAccounts(db, config, () => {})
  await using metered = await serveApp({ reader, accounts: { ...parts, keys: withTestKeys(keys) } })
  const credits = async (path: string, body: object) =>
    (await metered.post(path, { ...body, include_usage: true })).body.usage.credits
  const page = { urls: [site.url("/roses"), site.url("/broken")] }
  expect(await credits("/extract", page)).toBe(0)
  for (let i = 0; i < 3; i++) expect(await credits("/extract", page)).toBe(0)
  expect(await credits("/extract", page)).toBe(1)
  expect(await credits("/crawl", { url: site.url("/") })).toBe(0)
  db.close()
  const again = await openStateStore(dir)
  const { ledger } = await openAccounts(again, config, () => {})
  const call = {
    requestId: "r",
    key: apiKey({ id: "tester", role: "admin" }),
    project: "",
    endpoint: "map",
  } as const
  expect(await ledger.settle(call, mapCost(false, 7))).toBe(1)
  again.close()
})

test("stops reading when the caller hangs up", async () => {
  let signal: AbortSignal | undefined
  const { promise: asked, resolve } = Promise.withResolvers<void>()
  const { promise: ended, resolve: end } = Promise.withResolvers<void>()
  await using waiting = await serveApp({
    reader: {
      async read(_, options) {
        signal = options?.signal
        signal?.addEventListener("abort", () => end())
        resolve()
        await ended
        return { kind: "failed", because: "cancelled", detail: "the call has ended" }
      },
      sitemap: async () => [],
      [Symbol.asyncDispose]: async () => {},
    },
  })
  const caller = new AbortController()
  const call = waiting
    .post(
      "/extract",
      { urls: "a.example" },
      {
        signal: caller.signal,
        headers: { Authorization: `Bearer ${TEST_KEY}`, "Content-Type": "application/json" },
      },
    )
    .catch(() => "hung up")
  await asked
  caller.abort()
  await ended
  expect(signal?.aborted).toBe(true)
  expect(await call).toBe("hung up")
})
