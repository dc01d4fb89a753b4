import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { afterAll, beforeAll, expect, test } from "vitest"

import { createReader, crawlerSettings, Jobs, Sources, type StateStore } from "#crawler"
import { KnownAddresses } from "#crawler/crawl/frontier/known-addresses.ts"
import { defineSource } from "#crawler/source.ts"
import { openDataFolder } from "#crawler/testing/data-folder.ts"
import { sourceNames } from "#crawler/sources/source-names.ts"
import { runSource } from "#crawler/testing/run-source.ts"
import { article, startTestSite, status, type TestSite } from "#crawler/testing/test-site.ts"
import { readSettings } from "#base/settings.ts"
import { toPageUrl } from "#engine"
import { aPage } from "#engine/testing/pages.ts"

import { readScope } from "../../identity/accounts/keys/key-scope.ts"
import { sourceSites } from "../../identity/accounts/reach/source-sites.ts"
import { openPageKnowledge } from "../pages/page-knowledge.ts"
import { type ServedAccounts, serveAccounts } from "../../testing/serve-accounts.ts"
import { expectDocumented, TEST_KEY } from "../../testing/serve-app.ts"
import { openMissKnowledge } from "./miss-knowledge.ts"

// A garden that is crawled completely, and a cellar with one crawled page: which pages are missing, and what callers
// learn about them.

const opened = new AsyncDisposableStack()
let state: StateStore
let site: TestSite
let app: ServedAccounts
let key: string
let gardenOnly: string

beforeAll(async () => {
  const { dir, db, embedder, engine } = await openDataFolder(opened)
  state = db
  const quiet = '<meta name="robots" content="noindex">'
  site = opened.use(
    await startTestSite({
      "/garden/": article("Our garden", {
        links: ["/garden/roses", "/garden/hidden-pond", "/garden/old-oak"],
      }),
      "/garden/roses": article("Roses", { text: "Roses are pruned in winter, each year again. ".repeat(6) }),
      "/garden/hidden-pond": article("Hidden pond", { head: quiet }),
      "/garden/old-oak": article("Ancient hollow oak"),
      "/cellar/": article("The cellar", { links: ["/cellar/wine"] }),
      "/cellar/wine": article("Claret in barrels"),
    }),
  )
  const jobs = new Jobs(db)
  const sources = new Sources(db, jobs)
  await sources.put({
    name: "garden",
    seeds: [site.url("/garden/")],
    scope: "prefix",
    removal: { maxShare: 1 },
  })
  await sources.put({ name: "cellar", seeds: [site.url("/cellar/")], scope: "prefix", limits: { depth: 0 } })
  for (const name of ["garden", "cellar"]) await runSource(name, db, engine)
  site.serve({ "/garden/old-oak": status(410) })
  await runSource("garden", db, engine)
  await engine.settled()
  const names = () => sourceNames(db)
  const config = readSettings(crawlerSettings, { FOSSICK_ALLOWED_NETWORKS: "127.0.0.0/8" })
  app = opened.use(
    await serveAccounts({
      dir,
      engine,
      embedder,
      reader: opened.use(createReader(config)),
      pages: openPageKnowledge(db, jobs),
      misses: openMissKnowledge(db, jobs, engine, names),
      sourceNames: names,
      sites: sourceSites(db, jobs),
    }),
  )
  key = await app.key()
  gardenOnly = await app.key({ scope: readScope({ sources: ["garden"] }) })
})
afterAll(() => opened.disposeAsync())

async function search(body: object, by = key) {
  const answer = await app.call("/search", by, body)
  expectDocumented("POST", "/search", answer)
  expect(answer.status).toBe(200)
  return answer.body
}

async function missing(path: string, by = key) {
  const answer = await app.call(`/pages?url=${encodeURIComponent(site.url(path))}`, by)
  expectDocumented("GET", "/pages", answer)
  expect(answer.status).toBe(404)
  return answer.body.detail
}

test("on an appliance that has crawled nothing but its handbook, a search that finds nothing says so", async () => {
  await using stack = new AsyncDisposableStack()
  const { dir, db, embedder, engine } = await openDataFolder(stack)
  const markdown = "A crawl is scheduled in a sources file."
  const handbook = aPage(site.url("/docs/schedule"), { source: "handbook", markdown })
  await engine.index([handbook])
  const jobs = new Jobs(db)
  const misses = openMissKnowledge(db, jobs, engine, async () => [])
  const young = stack.use(await serveAccounts({ dir, engine, embedder, misses }))
  const ask = async (by: string) =>
    (await young.call("/search", by, { query: "ancient hollow oak" })).body.miss as object
  expect(await ask(await young.key())).toMatchObject({
    cause: "not-crawled",
    text: expect.stringContaining("No site has been added yet"),
  })
  // There may be pages that a limited key can't see, so the cause is its reach.
  expect(await ask(await young.key({ scope: readScope({ domains: ["example.com"] }) }))).toMatchObject({
    cause: "reach",
  })
  // The index is filled by another machine, whose sources are not known here.
  await engine.index([aPage(site.url("/garden/shed"), { source: "garden", markdown })])
  expect(await ask(await young.key())).toMatchObject({ cause: "no-match" })
})

test("a search that finds nothing says that the page was removed, when and why", async () => {
  const { results, miss, coverage } = await search({ query: "ancient hollow oak", exact_match: false })
  expect(results.every(({ score }: { score: number }) => score < 0.25)).toBe(true)
  expect(miss).toMatchObject({ cause: "removed", reason: "gone", title: "Ancient hollow oak" })
  expect(miss.url).toBe(site.url("/garden/old-oak"))
  expect(miss.text).toMatch(/was removed on \d{4}-\d\d-\d\d: the site answered 410\.$/)
  expect(miss).not.toHaveProperty("detail")
  expect(coverage.sources.map(({ name }: { name: string }) => name).sort()).toEqual(["cellar", "garden"])
})

test("a search reports how complete its sources are, and never more than is known", async () => {
  const explained = await search({ query: "roses pruned in winter", explain: true }, TEST_KEY)
  expect(explained).not.toHaveProperty("miss")
  const of = Object.fromEntries(explained.coverage.sources.map((one: { name: string }) => [one.name, one]))
  expect(explained.coverage.complete).toBe(false)
  expect(of["garden"]).toMatchObject({
    pages: 2,
    complete: true,
    incomplete: null,
    kept_out: { noindex: 1, "not-found": 1 },
    waiting_for_vectors: 0,
  })
  expect(of["cellar"]).toMatchObject({ complete: false, complete_as_of: null, incomplete: "depth" })
  const garden = (await search({ query: "roses", explain: true, sources: "garden" }, TEST_KEY)).coverage
  expect(garden.complete).toBe(true)
  expect(Date.parse(garden.complete_as_of)).toBeLessThanOrEqual(Date.now())
  // A search with results needs no reason, so none is looked up.
  expect(await search({ query: "roses pruned in winter" })).not.toHaveProperty("coverage")
})

test("an address that is not a page gets the reason, and its trace for an admin key", async () => {
  expect((await missing("/garden/hidden-pond")).miss).toMatchObject({ cause: "noindex" })
  expect((await missing("/cellar/wine")).miss).toMatchObject({ cause: "not-crawled" })
  expect((await missing("/attic/")).miss).toMatchObject({ cause: "out-of-scope" })
  const { error, miss } = await missing("/garden/old-oak", TEST_KEY)
  expect(error).toContain("it was removed on")
  expect(miss.detail).toContain("fossick removals restore")
})

test("addresses outside a key's scope read the same, whether they exist or not", async () => {
  const without = ({ miss }: { miss: { text: string; url: string } }) => ({
    ...miss,
    text: miss.text.replace(miss.url, ""),
    url: "",
  })
  const there = await missing("/cellar/", gardenOnly)
  expect(without(there)).toEqual(without(await missing("/cellar/nothing", gardenOnly)))
  expect(there.miss.cause).toBe("reach")
  const claret = await search({ query: "claret in barrels" }, gardenOnly)
  const nonsense = await search({ query: "zebra on stilts" }, gardenOnly)
  expect(claret.miss).toEqual(nonsense.miss)
  expect(claret.miss.cause).toBe("reach")
  expect(JSON.stringify([claret.miss, claret.coverage])).not.toContain("cellar")
  const byDomain = await app.key({ scope: readScope({ domains: ["example.com"] }) })
  const outside = await search({ query: "ancient hollow oak" }, byDomain)
  expect(outside).toMatchObject({ miss: { cause: "reach" }, coverage: { complete: false, sources: [] } })
  expect(JSON.stringify(outside.miss)).not.toContain("oak")
})

test("one-off crawls and sources that never responded are mentioned only to callers who ask for them", async () => {
  const jobs = new Jobs(state)
  const sources = new Sources(state, jobs)
  const oneOff = await jobs.enqueue(defineSource({ name: "once", seeds: ["http://127.0.0.1:9/once/"] }))
  await sources.put({ name: "typo", seeds: ["http://127.0.0.1:9/"] })
  const typo = (await sources.run("typo"))!
  for (const job of [oneOff, typo]) {
    const { id, source } = job
    await jobs.start(id)
    await new KnownAddresses(state).record(job, [
      { url: toPageUrl(source.seeds[0]!)!, outcome: "failed:refused", detail: "the connection was refused" },
    ])
    await jobs.end(id, "finished", null, { result: "failed", reason: "the only seed failed" })
  }
  try {
    const { miss, coverage } = await search({ query: "zebra on stilts" })
    expect(coverage.sources.map(({ name }: { name: string }) => name)).toEqual(["cellar", "garden"])
    expect(miss.text).not.toMatch(/once|typo|has no pages|one of [34]/)
    // A program that names these sources already knows them.
    for (const name of ["once", "typo"]) {
      const named = await search({ query: "zebra on stilts", sources: name })
      expect([named.coverage.sources.length, named.miss.text]).toEqual([
        1,
        `The source ${name} has no pages: some of its pages could not be read.`,
      ])
    }
  } finally {
    for (const name of ["once", "typo"]) await sources.delete(name)
  }
})

test("a filter that excludes existing pages is named", async () => {
  const { miss } = await search({ query: "roses pruned in winter", types: ["pdf"] })
  expect(miss).toMatchObject({ cause: "filter", filters: ["types"] })
})

test("an address that cannot be extracted gets the reason too", async () => {
  const answer = await app.call("/extract", key, { urls: [site.url("/garden/old-oak")] })
  expectDocumented("POST", "/extract", answer)
  expect(answer.body.failed_results).toMatchObject([{ miss: { cause: "removed" } }])
})

test("MCP tools pass the reason on", async () => {
  const client = new Client({ name: "test", version: "1" })
  const headers = { Authorization: `Bearer ${key}` }
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${app.url}/mcp`), { requestInit: { headers } }),
  )
  const told = async (name: string, args: Record<string, unknown>) =>
    JSON.stringify((await client.callTool({ name, arguments: args })).content)
  expect(await told("tavily_search", { query: "ancient hollow oak" })).toContain("was removed on")
  expect(await told("search", { query: "ancient hollow oak" })).toContain("was removed on")
  expect(await told("fetch", { id: site.url("/garden/hidden-pond") })).toContain("asks not to be indexed")
  await client.close()
})

test("a search reports how many pages of its sources could not be read, to callers who may know the source", async () => {
  const jobs = new Jobs(state)
  const sources = new Sources(state, jobs)
  const url = (path: string) => toPageUrl(`http://shed.example${path}`)!
  await sources.put({ name: "shed", seeds: [url("/")] })
  const job = (await sources.run("shed"))!
  await jobs.start(job.id)
  await new KnownAddresses(state).record(job, [
    { url: url("/"), outcome: "indexed", detail: null, hash: "h" },
    { url: url("/a"), outcome: "failed:timeout", detail: "no answer" },
    { url: url("/b"), outcome: "postponed", detail: "asked to come back" },
    { url: url("/c"), outcome: "failed:http-status", detail: "answered 404", status: 404 },
  ])
  await jobs.end(job.id, "finished")
  try {
    const warned = { code: "unread", text: "2 pages from shed.example could not be read on the last visit." }
    expect((await search({ query: "roses pruned in winter" })).warnings).toEqual([warned])
    expect(await search({ query: "roses", sources: "garden" })).not.toHaveProperty("warnings")
    const limited = await app.key({ scope: readScope({ domains: ["127.0.0.1"] }) })
    for (const by of [gardenOnly, limited])
      expect(await search({ query: "roses pruned in winter" }, by)).not.toHaveProperty("warnings")
  } finally {
    await sources.delete("shed")
  }
})
