import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"

import { EmbeddedEngine } from "#engine/adapters/embedded/embedded-engine.ts"
import { HashingEmbedder } from "#engine/testing/hashing-embedder.ts"
import { aPage } from "#engine/testing/pages.ts"

import { readScope } from "../../identity/accounts/keys/key-scope.ts"
import { type ServedAccounts, serveAccounts } from "../../testing/serve-accounts.ts"
import type { ShownFacet } from "../../core/ask/facets.ts"

// Facets of a real index, as counted for keys with different scopes.

const opened = new AsyncDisposableStack()
let app: ServedAccounts

beforeAll(async () => {
  const dir = await mkdtemp(path.join(tmpdir(), "fossick-facets-"))
  opened.defer(() => rm(dir, { recursive: true }))
  const embedder = new HashingEmbedder()
  const engine = opened.use(await EmbeddedEngine.open({ dir, embedder, mode: "write", embedding: "off" }))
  await engine.index([
    aPage("https://docs.example.com/a", {
      source: "manual",
      sharedWith: ["sales"],
      markdown: "Pumps, seals.",
    }),
    aPage("https://docs.example.com/b.pdf", { source: "sales", markdown: "Prices of pumps." }),
    aPage("https://example.net/docs/3.12/guide/d", {
      source: "versions",
      title: "Watering",
      markdown: "Roses are watered in the evening.",
      topic: "news",
    }),
    aPage("https://example.net/docs/3.13/guide/d", { source: "versions", markdown: "Roses drink." }),
    aPage("https://example.net/de/docs/3.13/guide/d", {
      source: "versions",
      markdown: "Roses trinken.",
      language: "de",
    }),
    aPage("http://127.0.0.1:8080/docs/guide/lilies", { source: "versions", markdown: "Lilies float." }),
    aPage("http://127.0.0.1:8080/docs/news/lilies", { source: "versions", markdown: "Lilies bloom." }),
    aPage("http://127.0.0.1:9090/docs/lilies", { source: "versions", markdown: "Lilies sink." }),
    aPage("http://127.0.0.1:9090/pond/lilies", { source: "versions", markdown: "Lilies grow." }),
    aPage("https://example.org/c", { source: "forum", markdown: "Talk of pumps.", language: "de" }),
  ])
  app = opened.use(
    await serveAccounts({ engine, sourceNames: async () => ["manual", "sales", "forum", "versions"] }),
  )
})
afterAll(() => opened.disposeAsync())

async function asked(body: object, scope?: Parameters<typeof readScope>[0]) {
  const key = await app.key(scope ? { scope: readScope(scope) } : {})
  return await app.call("/search", key, { query: "pumps", search_depth: "fast", ...body })
}

async function facets(body: object, scope?: Parameters<typeof readScope>[0]) {
  const { facets: shown } = (await asked(body, scope)).body as { facets?: readonly ShownFacet[] }
  return shown?.map(({ field, values }) => [field, Object.fromEntries(values.map((v) => [v.value, v.count]))])
}

test("counts only the requested fields", async () => {
  expect(await facets({})).toBeUndefined()
  expect(await facets({ include_facets: ["type", "source"], max_results: 1 })).toEqual([
    ["type", { html: 2, pdf: 1 }],
    ["source", { sales: 2, forum: 1, manual: 1 }],
  ])
  const { body } = await asked({ include_facets: "language" })
  expect(body).toMatchObject({ facets: [{ field: "language", pages: 3, exact: true }] })
})

test("a field is counted without its own filter, the others with it", async () => {
  expect(await facets({ include_facets: ["source", "type"], types: "pdf", sources: "sales" })).toEqual([
    ["source", { sales: 1 }],
    ["type", { html: 1, pdf: 1 }],
  ])
  expect(await facets({ include_facets: ["domain", "type"], include_domains: ["example.org"] })).toEqual([
    ["domain", { "example.com": 2, "example.org": 1 }],
    ["type", { html: 1 }],
  ])
})

test("a key counts no pages outside its scope, and never sees a source it may not know", async () => {
  const include_facets = ["source", "domain"]
  expect(await facets({ include_facets }, { sources: ["sales"] })).toEqual([
    ["source", { sales: 2 }],
    ["domain", { "example.com": 2 }],
  ])
  expect(await facets({ include_facets, sources: ["sales"] }, { sources: ["sales"] })).toEqual([
    ["source", { sales: 2 }],
    ["domain", { "example.com": 2 }],
  ])
  expect(await facets({ include_facets }, { domains: ["example.org"] })).toEqual([
    ["source", {}],
    ["domain", { "example.org": 1 }],
  ])
})

test("counts folders, versions and topics, and filters by them", async () => {
  const include_facets = ["path", "version", "topic"]
  expect(await facets({ query: "roses", language: "en", filter_by_language: true, include_facets })).toEqual([
    ["path", { "/docs/3.12": 1, "/docs/3.13": 1 }],
    ["version", { "3.12": 1, "3.13": 1 }],
    ["topic", { news: 1 }],
  ])
  const found = async (body: object) => {
    const { results } = (await asked({ query: "roses", ...body })).body as {
      results: readonly { url: string }[]
    }
    return results.map(({ url }) => url)
  }
  expect(await found({ paths: "/docs/3.12" })).toEqual(["https://example.net/docs/3.12/guide/d"])
  expect(await found({ versions: ["3.12"], topics: "news" })).toEqual([
    "https://example.net/docs/3.12/guide/d",
  ])
  expect(await found({ versions: ["3.12"], topics: ["finance"] })).toEqual([])
  const { miss } = (await asked({ query: "roses", paths: "/nowhere", search_depth: "basic" })).body as {
    miss?: { filters?: readonly string[] }
  }
  expect(miss?.filters ?? ["paths"]).toEqual(["paths"])
  expect(await asked({ paths: "x".repeat(401) })).toMatchObject({
    status: 400,
    body: { detail: { error: expect.stringContaining("paths") as string } },
  })
})

test("returns corrected words for a misspelt question, and translations for a page", async () => {
  const { body } = await asked({ query: "Wattering rosse -pumps", max_results: 5 })
  expect(body).toMatchObject({
    query: "Wattering rosse -pumps",
    corrected_query: "watering roses -pumps",
  })
  // The request is answered as if it were spelt correctly.
  const misspelt = { query: "when are rosse watred?", include_answer: true, search_depth: "basic" }
  expect((await asked(misspelt)).body).toMatchObject({
    corrected_query: "when are roses watered?",
    answer: expect.stringContaining("Roses are watered in the evening.") as string,
  })
  expect((await asked({ query: "roses" })).body).not.toHaveProperty("corrected_query")
  const { results } = (await asked({ query: "roses", versions: "3.13" })).body as {
    results: readonly object[]
  }
  expect(results).toHaveLength(1)
  expect(results[0]).toMatchObject({
    url: "https://example.net/docs/3.13/guide/d",
    translations: [{ url: "https://example.net/de/docs/3.13/guide/d", language: "de" }],
  })
})

test("rejects an unknown field by name", async () => {
  expect(await asked({ include_facets: ["colour"] })).toMatchObject({
    status: 400,
    body: { detail: { error: expect.stringContaining("include_facets") as string } },
  })
})

test("tells folders of several sites apart by site, and filters by that site", async () => {
  const [site, other] = ["//127.0.0.1:8080", "//127.0.0.1:9090"]
  expect(await facets({ query: "lilies", include_facets: "path" })).toEqual([
    [
      "path",
      { [`${site}/docs/guide`]: 1, [`${site}/docs/news`]: 1, [`${other}/docs`]: 1, [`${other}/pond`]: 1 },
    ],
  ])
  const found = async (paths: readonly string[]) => {
    const { results } = (await asked({ query: "lilies", paths })).body as {
      results: readonly { url: string }[]
    }
    return results.map(({ url }) => url).toSorted()
  }
  expect(await found([`${other}/docs`])).toEqual(["http://127.0.0.1:9090/docs/lilies"])
  expect(await found(["/docs", `!${site}/docs/news`])).toEqual([
    "http://127.0.0.1:8080/docs/guide/lilies",
    "http://127.0.0.1:9090/docs/lilies",
  ])
})
