import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { domainToASCII } from "node:url"

import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { afterAll, beforeAll, describe, expect, test } from "vitest"

import { createReader, crawlerSettings, Jobs, openStateStore, Sources } from "#crawler"
import { article, redirect, startTestSite, type TestSite } from "#crawler/testing/test-site.ts"
import type { Query } from "#engine"
import { EmbeddedEngine } from "#engine/adapters/embedded/embedded-engine.ts"
import { readSettings } from "#base/settings.ts"
import { HashingEmbedder } from "#engine/testing/hashing-embedder.ts"
import { aPage } from "#engine/testing/pages.ts"

import { FakeEngine, hit } from "../../../testing/fake-engine.ts"
import type { Answer } from "../../../testing/serve-app.ts"
import { type ServedAccounts, serveAccounts } from "../../../testing/serve-accounts.ts"
import {
  type Endpoint,
  ENDPOINTS,
  type KeyScope,
  readScope,
  scopeOfCollections,
  UNLIMITED,
} from "../keys/key-scope.ts"
import type { KeySpec } from "../keys/keys.ts"
import { pageLimits, scopedEngine } from "./scoped-pages.ts"
import { NO_READERS } from "../../../testing/no-readers.ts"

/** A word that occurs in every text, title, description, address and image that the keys of these tests may not see. */
const SECRET = /secret|vault/i
const text = (about: string, address: string) =>
  `${about} of the pump: seals, valves and bearings of pumps are kept in stock, and "pump seals" wear out first. `.repeat(
    3,
  ) + address.replaceAll(/\W+/g, " ").repeat(9)

const publicPage = (address: string, source: string) =>
  aPage(address, { title: "Pump seals", markdown: text("Open parts list", address), source, language: "en" })
const secretPage = (address: string, source: string) =>
  aPage(address, {
    title: "Secret pump seals",
    description: "The secret of the pump",
    markdown: text("Secret parts list", address),
    images: [{ url: "https://vault.example.org/secret.png", description: "Secret pump" }],
    publishedAt: new Date(),
    topic: "news",
    country: "fr",
    language: "en",
    source,
  })

/** Requests to each endpoint that try to reach a page out of scope. `u` is a live address out of scope. */
const hostile: Readonly<Partial<Record<Endpoint, (u: Live) => readonly object[]>>> = {
  search: () =>
    [
      {},
      { query: "secret" },
      { query: '"secret parts list"' },
      { query: '"secret parts list"', exact_match: true },
      { query: "site:vault.example.org secret" },
      { query: "site:vault.example.org" },
      { query: "pump -site:open.example.com" },
      { query: "pump -open" },
      { include_domains: ["vault.example.org"] },
      { include_domains: ["example.org", "vault.example.org", "example.com"] },
      { include_domains: ["vault.example.org"], include_domains_mode: "boost" },
      { include_domains: ["example.org"], include_domains_mode: "prefer" },
      { exclude_domains: ["example.com", "open.example.com"] },
      { topic: "news", days: 7 },
      { topic: "news", time_range: "day" },
      { topic: "finance" },
      { country: "france" },
      { language: "en", filter_by_language: true },
      { start_date: "2020-01-01", filter_by_published_date: true },
      { auto_parameters: true, query: "latest news about the secret of pump seals" },
      { include_answer: "advanced", include_raw_content: true },
      { include_images: true, include_image_descriptions: true, include_favicon: true },
      { max_results: "auto" },
      { max_results: 50, chunks_per_source: 3, safe_search: true },
      {
        sources: ["closed"],
        source: "closed",
        collections: ["closed"],
        scope: null,
        filter: { sources: [] },
      },
      { sources: ["closed"] },
      { sources: ["open", "secret-source"] },
      { sources: "secret-sourc" },
      { collections: ["secret-set"] },
      { collections: "secret-se" },
      { sources: "open", collections: "secret-set" },
      { types: ["html", "pdf"] },
      ...["ultra-fast", "fast", "basic", "advanced"].map((search_depth) => ({ search_depth })),
    ].map((given) => ({ query: "pump seals", max_results: 20, ...given })),
  extract: ({ out, hops }) =>
    [out, ...hops, [out, ...hops]].flatMap((urls) => [
      { urls },
      { urls, query: "secret" },
      { urls, extract_depth: "advanced", include_images: true },
    ]),
  crawl: ({ inside, out, hops }) =>
    [
      { url: out },
      ...hops.map((url) => ({ url })),
      { url: inside },
      { url: inside, max_depth: 5, allow_external: true },
      { url: inside, instructions: "secret pages", max_depth: 3 },
      { url: inside, select_domains: [".*"], max_depth: 3 },
      { url: inside, select_paths: ["/.*"], extract_depth: "advanced" },
    ].map((body) => ({ timeout: 60, ...body })),
  map: ({ inside, out, hops }) =>
    [
      { url: out },
      ...hops.map((url) => ({ url })),
      { url: inside, max_depth: 5, allow_external: true },
      { url: inside, instructions: "secret pages" },
      { url: inside, select_domains: [".*"], max_depth: 3 },
    ].map((body) => ({ timeout: 60, ...body })),
  research: () =>
    [
      {},
      { input: "secret parts list of the vault", model: "pro" },
      { input: "site:vault.example.org secret" },
      { include_domains: ["vault.example.org"], exclude_domains: ["open.example.com"] },
      { output_schema: { properties: { parts: { type: "string", description: "secret parts list" } } } },
      { sources: ["closed"], filter: { sources: [] } },
      { collections: ["secret-se"] },
      { sources: "secret-sourc" },
    ].map((given) => ({ input: "pump seals", model: "mini", ...given })),
}

/** The answer from an endpoint, or the report if it starts a task. */
async function shownTo(app: ServedAccounts, endpoint: Endpoint, key: string, body: object): Promise<Answer> {
  const answer = await app.call(`/${endpoint}`, key, body)
  if (endpoint !== "research" || answer.status !== 200) return answer
  for (;;) {
    const task = await app.call(`/research/${answer.body.request_id}`, key)
    if (task.status !== 202) return { ...task, body: { ...task.body, results: task.body.sources ?? [] } }
    await sleep(10)
  }
}

/** The text that an endpoint's tool returns to a model, fetched with the official client. */
async function toldTo(app: ServedAccounts, endpoint: Endpoint, key: string, bodies: readonly object[]) {
  const client = new Client({ name: "test", version: "1" })
  const transport = new StreamableHTTPClientTransport(new URL(`${app.url}/mcp`), {
    requestInit: { headers: { Authorization: `Bearer ${key}` } },
  })
  await client.connect(transport)
  const told: string[] = []
  for (const body of bodies) {
    const { content } = await client.callTool({ name: `tavily_${endpoint}`, arguments: { ...body } })
    told.push(JSON.stringify(content))
  }
  await client.close()
  return told
}

/** The answer repeats the question; a name in the question doesn't reveal a page. */
function withoutEchoes(shown: string, asked: object): string {
  const echoes = stringsOf(asked).map((value) => JSON.stringify(value).slice(1, -1))
  // A report without an answer quotes those words of its task that are on none of the pages found.
  const words = echoes.flatMap((echo) => echo.split(/[\s:]+/)).map((word) => `“${word}”`)
  return [...echoes, ...words].reduce((left, echo) => left.replaceAll(echo, ""), shown)
}

function stringsOf(value: unknown): string[] {
  if (typeof value === "string") return [value]
  return value !== null && typeof value === "object" ? Object.values(value).flatMap(stringsOf) : []
}

interface Live {
  readonly inside: string
  readonly out: string
  /** Addresses in scope that redirect out of it. */
  readonly hops: readonly string[]
}

describe("a key of limited scope", () => {
  const opened = new AsyncDisposableStack()
  let dir: string
  let site: TestSite
  let app: ServedAccounts
  let live: Live

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), "fossick-reach-"))
    const db = await openStateStore(dir)
    opened.defer(() => db.close())
    const engine = opened.use(
      await EmbeddedEngine.open({ dir: join(dir, "index"), mode: "write", embedder: new HashingEmbedder() }),
    )
    await engine.index([
      publicPage("https://open.example.com/seals", "open"),
      secretPage("https://open.example.com/secret", "closed"),
      secretPage("https://vault.example.org/secret", "closed"),
      secretPage("https://vault.example.org/more-secret", "elsewhere"),
      publicPage("https://www.example.net/pumps", "open"),
      { ...publicPage("https://open.example.com/shared", "secret-source"), sharedWith: ["open"] },
    ])
    await engine.settled()
    site = opened.use(
      await startTestSite({
        "/open/": article("Open", {
          links: ["/open/pumps", "/open/hop", "/secret/page", "http://secret.example.org/"],
        }),
        "/open/pumps": article("Pumps", { links: ["/secret/page"] }),
        "/open/hop": redirect("/secret/page"),
        "/open/long-hop": redirect("/open/hop"),
        "/secret/page": article("Secret"),
      }),
    )
    const reader = opened.use(
      createReader({ ...readSettings(crawlerSettings, {}), allowedNetworks: [site.authority] }),
    )
    const jobs = new Jobs(db)
    await new Sources(db, jobs).put({ name: "open", seeds: [site.url("/open/")], scope: "prefix" })
    const { sourceSites } = await import("./source-sites.ts")
    const sourceNames = async () => ["open", "closed", "elsewhere", "secret-source"]
    app = opened.use(await serveAccounts({ dir, engine, reader, sites: sourceSites(db, jobs), sourceNames }))
    await app.accounts.collections.set("secret-set", ["open", "closed", "secret-source"])
    await app.accounts.collections.set("parts", ["open"])
    await app.accounts.collections.set("none-declared", ["nowhere"])
    live = {
      inside: site.url("/open/"),
      out: site.url("/secret/page"),
      hops: [site.url("/open/hop"), site.url("/open/long-hop")],
    }
  })
  afterAll(async () => {
    await opened.disposeAsync()
    await rm(dir, { recursive: true })
  })

  const ofSource = { scope: readScope({ sources: ["open"] }) }
  const specs: readonly [string, Partial<KeySpec>, boolean][] = [
    ["of a source", ofSource, true],
    ["of a collection", { scope: scopeOfCollections(["parts"]) }, true],
    [
      "of a source and its domains",
      { scope: readScope({ sources: ["open"], domains: ["example.com", "example.net", "127.0.0.1"] }) },
      true,
    ],
    ["of a collection that is gone", { scope: scopeOfCollections(["was-here"]) }, false],
    ["of a source of no pages", { scope: scopeOfCollections(["none-declared"]) }, false],
    ["of a domain without pages", { scope: readScope({ domains: ["example.info"] }) }, false],
    [
      "of nothing in common",
      { scope: readScope({ sources: ["open"], domains: ["vault.example.org"] }) },
      false,
    ],
    ["of nothing", { scope: { ...UNLIMITED, sources: [] } }, false],
  ]

  test.each(specs)("%s sees no page outside its scope through any endpoint", async (_, spec, findsPages) => {
    const key = await app.key(spec)
    let found = 0
    for (const endpoint of ENDPOINTS) {
      // If you add an endpoint, add its request above.
      const unknown = hostile[endpoint] ? 0 : (await app.call(`/${endpoint}`, key, {})).status
      expect({ endpoint, unknown }).toEqual({ endpoint, unknown: hostile[endpoint] ? 0 : 404 })
      const bodies = hostile[endpoint]?.(live) ?? []
      for (const body of bodies) {
        const answer = await shownTo(app, endpoint, key, body)
        const rest = withoutEchoes(JSON.stringify(answer.body), body)
        expect({ endpoint, body, rest: SECRET.exec(rest)?.[0] }).toEqual({
          endpoint,
          body,
          rest: undefined,
        })
        const isNamed = "sources" in body || "collections" in body
        expect(isNamed ? [200, 400, 403] : [200, 403]).toContain(answer.status)
        found += answer.body.results?.length ?? 0
      }
    }
    expect(found > 0).toBe(findsPages)
  })

  test.each(specs.filter((_, at) => at % 3 === 0))(
    "%s sees no page outside its scope through the tools of models either",
    async (_, spec, findsPages) => {
      const key = await app.key(spec)
      const told: string[] = []
      for (const endpoint of ENDPOINTS) {
        const bodies = hostile[endpoint]?.(live) ?? []
        for (const [at, text] of (await toldTo(app, endpoint, key, bodies)).entries()) {
          const rest = withoutEchoes(text, bodies[at]!)
          expect({ endpoint, body: bodies[at], rest: SECRET.exec(rest)?.[0] }).toMatchObject({
            rest: undefined,
          })
          told.push(rest)
        }
      }
      expect(told.some((text) => text.includes("Open parts list"))).toBe(findsPages)
    },
  )

  test("finds as much within its scope as an unlimited key would", async () => {
    const key = await app.key(ofSource)
    const { body } = await app.call("/search", key, { query: "pump seals", max_results: 1 })
    expect(body.results).toHaveLength(1)
    const all = await app.call("/search", await app.key(), { query: "pump seals", max_results: 20 })
    expect(all.body.results).toHaveLength(6)
    const live = await app.call("/extract", key, { urls: [site.url("/open/pumps")] })
    expect(live.body.results).toHaveLength(1)
  })

  test("sees the current contents of a collection", async () => {
    await app.accounts.collections.set("growing", ["nowhere"])
    const key = await app.key({ scope: scopeOfCollections(["growing"]) })
    const count = async () => (await app.call("/search", key, { query: "pump seals" })).body.results.length
    expect(await count()).toBe(0)
    await app.accounts.collections.set("growing", ["open"])
    expect(await count()).toBe(3)
    await app.accounts.collections.delete("growing")
    expect(await count()).toBe(0)
  })

  test("reads no live page outside its scope, and never learns where redirects lead", async () => {
    const key = await app.key(ofSource)
    const { body } = await app.call("/extract", key, {
      urls: [live.out, ...live.hops, site.url("/open/pumps")],
    })
    expect(body.results.map((one: { url: string }) => one.url)).toEqual([site.url("/open/pumps")])
    expect(body.failed_results).toHaveLength(3)
    for (const path of ["/crawl", "/map"]) {
      const refused = await app.call(path, key, { url: live.out })
      expect([refused.status, refused.body.detail.error]).toEqual([
        403,
        "[403] URL is not supported. This key may not read it.",
      ])
    }
    expect(site.requests.filter((target) => target.startsWith("/secret"))).toEqual([])
  })

  test("may be limited to endpoints", async () => {
    const key = await app.key({ scope: readScope({ endpoints: ["search"] }) })
    expect((await app.call("/search", key, { query: "pump" })).status).toBe(200)
    for (const path of ["/extract", "/crawl", "/map"]) {
      const refused = await app.call(path, key, { urls: live.inside, url: live.inside })
      expect([refused.status, refused.body.detail.error]).toEqual([
        403,
        `Access denied. This key may not use ${path}.`,
      ])
    }
    expect((await app.call("/usage", key)).status).toBe(200)
  })
})

describe("the engine of a limited scope", () => {
  const asked = async (query: Partial<Query>, given: KeyScope) => {
    const engine = new FakeEngine([
      hit({ url: aPage("https://example.com/a").url, source: "a" }),
      hit({ url: aPage("https://sub.example.com/b").url, source: "b" }),
      hit({ url: aPage("https://example.org/c").url, source: "a" }),
    ])
    const parts = { collections: { sourcesOf: async () => [] }, readers: NO_READERS }
    const limited = scopedEngine(engine, () => pageLimits({ scope: given, principals: null }, parts))
    const { hits } = await limited.search({ text: "x", limit: 10, ...query })
    return { filter: engine.queries[0]?.filter, urls: hits.map(({ url }) => new URL(url).hostname) }
  }

  test.each([
    [["example.com"], undefined, ["example.com"]],
    [["example.com"], ["sub.example.com"], ["sub.example.com"]],
    [["sub.example.com"], ["example.com"], ["sub.example.com"]],
    [["example.com"], ["example.org"], null],
    [["sub.example.com"], ["other.example.com"], null],
    [["example.com", "example.org"], ["a.example.org", "example.net"], ["a.example.org"]],
    [["xn--bcher-kva.example"], ["B\u00FCcher.example"], ["xn--bcher-kva.example"]],
  ])("domains %j asked for %j means %j", async (domains, includeDomains, expected) => {
    const { filter } = await asked(includeDomains ? { filter: { includeDomains } } : {}, {
      ...UNLIMITED,
      domains,
    })
    const spelt = filter?.includeDomains?.map((name) => domainToASCII(name)) ?? null
    expect(spelt && [...new Set(spelt)]).toEqual(expected)
  })

  test("drops hits that an engine returns against its filter", async () => {
    expect((await asked({}, { ...UNLIMITED, sources: ["a"] })).urls).toEqual(["example.com", "example.org"])
    expect((await asked({}, { ...UNLIMITED, domains: ["example.com"] })).urls).toEqual([
      "example.com",
      "sub.example.com",
    ])
    expect((await asked({}, { ...UNLIMITED, sources: ["b"], domains: ["example.org"] })).urls).toEqual([])
  })
})
