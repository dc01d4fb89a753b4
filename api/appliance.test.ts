import { spawn } from "node:child_process"
import { once } from "node:events"
import { readdirSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"

import { tavily, type TavilyClient, type TavilySearchOptions } from "@tavily/core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { CHILD_ENV } from "#base/testing/child-env.ts"

import { temporaryFolder } from "#crawler/testing/crawl-fixture.ts"
import { article, startTestSite, status, type TestSite } from "#crawler/testing/test-site.ts"

import { type Appliance, startAppliance } from "./testing/appliance.ts"

// The whole appliance as `npm start` runs it, called with the unmodified npm client.

const inMagazine = (page: string): string => `/magazine/${page}`

let site: TestSite
let appliance: Appliance
let client: TavilyClient

beforeAll(async () => {
  site = await startTestSite({
    "/": article("Home", { links: ["/tomatoes", "/roses"] }),
    "/tomatoes": article("Tomatoes", { text: "Tomatoes want sun, water and a stake to hold on to." }),
    "/roses": article("Roses", {
      text: "Roses are pruned in winter and fed in spring.",
      head: `<meta property="article:published_time" content="2024-03-03T09:00:00Z"><link rel="icon" href="/rose.ico">`,
    }),
    "/broken": status(500),
    "/magazine": article("Magazine", { links: ["guide", "report", "adults", "deutsch"].map(inMagazine) }),
    "/magazine/guide": article("Guide", { text: "How a paper lantern for the festival is folded and lit." }),
    "/magazine/report": article("Report", {
      text: "The paper lantern festival drew a crowd to the river on Sunday.",
      head: `<script type="application/ld+json">{"@context":"https://schema.org","@type":"NewsArticle",
        "headline":"Report","datePublished":"2024-03-04T08:00:00Z"}</script>`,
    }),
    "/magazine/adults": article("Late show", {
      text: "After the paper lantern festival the late show begins.",
      head: `<meta name="rating" content="adult">`,
    }),
    "/magazine/deutsch": article("Laternen", {
      text: "Das Laternenfest, auf Englisch paper lantern festival, findet am Fluss statt.",
    }).replace('lang="en"', 'lang="de"'),
  })
  appliance = await startAppliance({
    FOSSICK_ALLOWED_NETWORKS: site.authority,
    FOSSICK_UNIT_READER: "on",
  })
  client = tavily({ apiKey: appliance.apiKey, apiBaseURL: appliance.url })
})
afterAll(async () => {
  await appliance?.[Symbol.asyncDispose]()
  await site?.[Symbol.asyncDispose]()
})

describe("@tavily/core", () => {
  test("search finds the answer in the handbook, which the first start crawls automatically", async () => {
    const question = "how do I schedule a crawl?"
    // The crawl is still running; pages that it has not reached cannot be found yet.
    await expect
      .poll(async () => (await client.search(question)).results.map((one) => new URL(one.url).pathname), {
        interval: 500,
      })
      .toContain("/docs/schedule-a-crawl")
    const answer = await client.search(question, {
      maxResults: 2,
      includeRawContent: "markdown",
      includeUsage: true,
    })
    expect(answer.query).toBe(question)
    expect(answer.images).toEqual([])
    expect(answer.results.length).toBeGreaterThan(0)
    expect(answer.results[0]).toMatchObject({
      title: expect.any(String),
      content: expect.stringMatching(/\S/),
      rawContent: expect.stringMatching(/\S/),
      score: expect.any(Number),
    })
  })

  test("search works with every option at once on a crawled site", async () => {
    await appliance.crawl(site.url("/"))
    const options = {
      searchDepth: "advanced",
      topic: "general",
      days: 7,
      maxResults: 3,
      includeImages: true,
      includeImageDescriptions: true,
      includeAnswer: "advanced",
      includeRawContent: "text",
      includeDomains: ["127.0.0.1"],
      excludeDomains: ["example.com"],
      includeDomainsMode: "prefer",
      startDate: "2024-01-01",
      endDate: "2024-12-31",
      chunksPerSource: 2,
      country: "united kingdom",
      maxHours: 24,
      autoParameters: true,
      timeout: 30,
      includeFavicon: true,
      includeUsage: true,
      exactMatch: true,
      fetchTimeout: 5,
      cacheFallback: true,
      language: "English",
      filterByLanguage: true,
      sessionId: "session",
      humanId: "human",
      clientName: "test",
      // Fields that the client doesn't know are passed through unchanged.
      safe_search: true,
      include_published_date: true,
      filter_by_published_date: true,
      // Allowed because the key shown at the first start is the operator's.
      explain: true,
    } as const satisfies TavilySearchOptions
    const answer = await client.search('"pruned in winter" roses', options)
    expect(answer.results).toEqual([
      {
        id: expect.any(String),
        title: "Roses",
        url: site.url("/roses"),
        content: expect.stringContaining("Roses are pruned in winter"),
        rawContent: expect.stringContaining("fed in spring"),
        score: expect.any(Number),
        publishedDate: "Sun, 03 Mar 2024 09:00:00 GMT",
        favicon: expect.stringContaining(site.origin),
        images: expect.any(Array),
      },
    ])
    expect(answer.usage).toEqual({ credits: 2 })
    expect(answer.autoParameters).toBeDefined()
    expect((await client.search('"pruned in summer" roses', options)).results).toEqual([])
    expect(
      (await client.search("tomatoes sun stake", { maxResults: "auto" as never })).results[0],
    ).toMatchObject({
      url: site.url("/tomatoes"),
      score: expect.any(Number),
    })
  })

  test("the handbook leaves the results once a site is crawled, but can still be found by name", async () => {
    const question = "how do I schedule a crawl?"
    const isOfHandbook = ({ url }: { readonly url: string }) => new URL(url).pathname.startsWith("/docs/")
    const found = async (options: object = {}) =>
      (await client.search(question, { maxResults: 20, ...options })).results.some(isOfHandbook)
    await expect.poll(() => found()).toBe(false)
    const { hostname } = new URL(appliance.url)
    expect(await found({ includeDomains: [hostname] })).toBe(true)
    expect((await client.search(`${question} site:${hostname}`)).results.some(isOfHandbook)).toBe(true)

    const { answer, results } = await client.search(question, { includeAnswer: true })
    expect(results.some(isOfHandbook)).toBe(false)
    expect(answer ?? "").not.toContain("sources.yaml")
  })

  test("topic, language and safe search use what the crawl learned about the pages", async () => {
    await appliance.crawl(site.url("/magazine"))
    const lantern = async (options: object) =>
      (await client.search("paper lantern festival", { includeDomains: ["127.0.0.1"], ...options })).results
        .map((one) => new URL(one.url).pathname)
        .filter((path) => path.startsWith("/magazine/"))
    expect((await lantern({})).toSorted()).toEqual(["adults", "deutsch", "guide", "report"].map(inMagazine))
    // Ranks settle once the pages have vectors, shortly after the crawl.
    await expect.poll(async () => (await lantern({ topic: "news" }))[0]).toBe("/magazine/report")
    expect(await lantern({ language: "German", filterByLanguage: true })).toEqual(["/magazine/deutsch"])
    expect(await lantern({ safe_search: true })).not.toContain("/magazine/adults")
    expect(await lantern({ startDate: "2024-03-03", filter_by_published_date: true })).toEqual([
      "/magazine/report",
    ])
  })

  test("searchContext finds the page, searchQNA answers from it", async () => {
    expect(await client.searchContext("when are roses pruned?", { maxResults: 1 })).toContain(
      site.url("/roses"),
    )
    const answer = await client.searchQNA("when are roses pruned?", {})
    expect(answer).toContain("Roses are pruned in winter")
    expect(answer).toContain("[1]")
  })

  test("extract", async () => {
    const answer = await client.extract([site.url("/roses"), site.url("/broken")], { timeout: 30 })
    expect(answer.results).toHaveLength(1)
    expect(answer.results[0]).toMatchObject({ url: site.url("/roses"), title: "Roses" })
    expect(answer.results[0]!.rawContent).toContain("pruned in winter")
    expect(answer.failedResults).toEqual([
      { url: site.url("/broken"), error: expect.stringContaining("500") },
    ])
  })

  test("crawl and map return the site's pages", async () => {
    const crawled = await client.crawl(site.url("/"), { maxDepth: 1 })
    expect(crawled.results.map((one) => one.url).sort()).toEqual(
      ["/", "/roses", "/tomatoes"].map((path) => site.url(path)),
    )
    const mapped = await client.map(site.url("/"))
    expect(mapped.results).toContain(site.url("/tomatoes"))
  })

  test("errors arrive with their messages", async () => {
    await expect(client.search("x", { topic: "sports" as never })).rejects.toThrow("Invalid topic. Must be")
    const stranger = tavily({ apiKey: "nope", apiBaseURL: appliance.url })
    await expect(stranger.search("x")).rejects.toThrow("Unauthorized: missing or invalid API key.")
  })
})

describe("starting and stopping", () => {
  test("the first screen shows the address, the handbook and the key once", async () => {
    expect(appliance.output().split(`API key    ${appliance.apiKey}`)).toHaveLength(2)
    expect((await fetch(`${appliance.url}/docs/`)).status).toBe(200)
    expect((await fetch(`${appliance.url}/readyz`)).status).toBe(200)
  })

  test("a wrong setting is named and stops the start with code 2 before anything runs", async () => {
    expect(
      await startAndEnd({ FOSSICK_PORT: "many", FOSSICK_PROT: "1", FOSSICK_DATA_DIR: "/dev/null/nowhere" }),
    ).toEqual({
      code: 2,
      text: `Wrong settings:
  - FOSSICK_PROT isn't a Fossick setting (docs/settings.md lists them); did you mean "FOSSICK_PORT"?
  - FOSSICK_PORT must be a whole number from 0 to 65535 (is "many")
`,
    })
  })

  test("a data folder that cannot be written to stops the start with code 2", async () => {
    expect(await startAndEnd({ FOSSICK_DATA_DIR: "/dev/null/nowhere" })).toEqual({
      code: 2,
      text: expect.stringMatching(
        /^Wrong settings:\n {2}- FOSSICK_DATA_DIR must be a writable folder: set it to another folder \(ENOTDIR.*\)\n$/,
      ),
    })
  })

  test.each(["FOSSICK_PORT", "FOSSICK_X402_PORT"])(
    "a port that is already in use stops the start with code 1 before anything runs: %s",
    async (setting) => {
      using data = temporaryFolder()
      const other = createServer()
      other.listen(0, "127.0.0.1")
      await once(other, "listening")
      const { port } = other.address() as AddressInfo
      expect(
        await startAndEnd({
          ...SELLING,
          FOSSICK_DATA_DIR: data.path,
          FOSSICK_HOST: "127.0.0.1",
          FOSSICK_PORT: "0",
          [setting]: String(port),
        }),
      ).toEqual({
        code: 1,
        text: `Port ${port} is in use. Set ${setting} to another port, or stop the program that listens on it.\n`,
      })
      // If the API or the crawler had started, state.db and the compiled code would be here.
      expect(readdirSync(data.path)).toEqual(["locks"])
      other.close()
    },
  )

  // command/commands.test.ts covers stopping with SIGTERM.
  test("Ctrl-C stops it with code 0, without errors or leftover processes", async () => {
    await using other = await startAppliance({ FOSSICK_HANDBOOK: "off", FOSSICK_LOG_LEVEL: "warn" })
    const before = other.output()
    expect(await other.stop("Ctrl-C")).toEqual({ code: 0, processesLeft: false })
    expect(other.output()).toBe(before)
  })
})

const SELLING = {
  FOSSICK_X402_SOURCES: "*",
  FOSSICK_X402_PORT: "0",
  X402_PAY_TO: "0x036CbD53842c5426634e7929541eC2318f3dCF7e",
  X402_NETWORK: "eip155:84532",
  X402_FACILITATOR_URL: "http://127.0.0.1:9",
  X402_PUBLIC_URL: "http://127.0.0.1:9",
}

async function startAndEnd(env: Record<string, string>): Promise<{ code: number | null; text: string }> {
  const child = spawn(process.execPath, [join(import.meta.dirname, "../command/fossick.js"), "start"], {
    env: { ...CHILD_ENV, ...env },
    stdio: ["ignore", "ignore", "pipe"],
  })
  let text = ""
  child.stderr.on("data", (chunk) => (text += String(chunk)))
  await once(child, "close")
  return { code: child.exitCode, text }
}
