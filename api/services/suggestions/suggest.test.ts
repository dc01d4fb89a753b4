import { afterAll, beforeAll, expect, test } from "vitest"

import { toPageUrl } from "#engine"
import { EmbeddedEngine } from "#engine/adapters/embedded/embedded-engine.ts"
import { HashingEmbedder } from "#engine/testing/hashing-embedder.ts"
import { aPage } from "#engine/testing/pages.ts"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"

import { readScope } from "../../identity/accounts/keys/key-scope.ts"
import { type ServedAccounts, serveAccounts } from "../../testing/serve-accounts.ts"

// Tests suggestions from a real index, over HTTP, for keys of different scopes.

const opened = new AsyncDisposableStack()
let app: ServedAccounts

beforeAll(async () => {
  const dir = await mkdtemp(path.join(tmpdir(), "fossick-suggest-"))
  opened.defer(() => rm(dir, { recursive: true }))
  const embedder = new HashingEmbedder()
  const engine = opened.use(await EmbeddedEngine.open({ dir, embedder, mode: "write", embedding: "off" }))
  await engine.index([
    aPage("https://docs.example.com/a", {
      title: "Pump manual",
      source: "manual",
      markdown: "## Seals\n\nA.",
    }),
    aPage("https://docs.example.com/b", { title: "Pump prices", source: "sales", markdown: "B." }),
    aPage("https://other.example.org/c", { title: "Pump forum", source: "forum", markdown: "C." }),
  ])
  app = opened.use(await serveAccounts({ engine, sourceNames: async () => ["manual", "sales", "forum"] }))
  await app.accounts.collections.set("shop", ["sales", "forum"])
})
afterAll(() => opened.disposeAsync())

async function suggested(query: string, scope?: Parameters<typeof readScope>[0]) {
  const { status, body } = await app.call(
    `/suggest?${query}`,
    await app.key(scope ? { scope: readScope(scope) } : {}),
  )
  const { suggestions, detail } = body as {
    readonly suggestions?: readonly { readonly text: string }[]
    readonly detail?: { readonly error: string }
  }
  return { status, texts: suggestions?.map(({ text }) => text) ?? [], error: detail?.error }
}

test("typing returns matching titles and headings with their addresses, and costs no credit", async () => {
  const key = await app.key()
  const { body } = await app.call("/suggest?q=sea", key)
  expect(body).toMatchObject({
    suggestions: [{ text: "Seals", kind: "heading", url: toPageUrl("https://docs.example.com/a") }],
  })
  expect((await suggested("q=pump")).texts).toEqual(["Pump forum", "Pump manual", "Pump prices"])
  expect((await suggested("q=pump&limit=1")).texts).toEqual(["Pump forum"])
  const usage = await app.call("/usage", key)
  expect(usage.body).toMatchObject({ key: { usage: 0 } })
})

test("source and collection narrow what is suggested", async () => {
  expect((await suggested("q=pump&source=manual")).texts).toEqual(["Pump manual"])
  expect((await suggested("q=pump&collection=shop")).texts).toEqual(["Pump forum", "Pump prices"])
  expect(await suggested("q=pump&source=manul")).toMatchObject({
    status: 400,
    error: 'Invalid sources. There is no source "manul"; did you mean "manual"?',
  })
})

test("a key gets no suggestions from outside its sources and domains", async () => {
  expect((await suggested("q=pump", { sources: ["sales"] })).texts).toEqual(["Pump prices"])
  expect((await suggested("q=pump&source=manual", { sources: ["sales"] })).status).toBe(400)
  expect((await suggested("q=pump", { domains: ["example.org"] })).texts).toEqual(["Pump forum"])
  expect((await suggested("q=pump", { collections: ["shop"] })).texts).toEqual(["Pump forum", "Pump prices"])
  expect((await suggested("q=pump", { collections: ["gone"] })).texts).toEqual([])
  expect((await suggested("q=pump", { endpoints: ["extract"] })).status).toBe(403)
})

test.each([
  ["", "Invalid q. It is missing; set it to what has been typed."],
  ["q=", "Invalid q. It is empty; leave it out instead."],
  [`q=${"x".repeat(401)}`, "Invalid q. Must have at most 400 characters."],
  ["q=a&limit=21", "Invalid limit. Must be a whole number from 1 to 20."],
])("%s is refused", async (query, error) => {
  expect(await suggested(query)).toMatchObject({ status: 400, error })
})
