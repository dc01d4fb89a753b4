import { createReadStream } from "node:fs"
import { Client } from "@opensearch-project/opensearch"
import { afterAll, afterEach, describe, expect, test } from "vitest"
import { EmbeddedEngine } from "#engine/adapters/embedded/embedded-engine.ts"
import { opensearchGenerations } from "#engine/adapters/opensearch/opensearch-generations.ts"
import { openOpenSearch } from "#engine/adapters/opensearch/opensearch-engine.ts"
import type { Engine } from "#engine/engine.ts"
import { engineSettings } from "#engine/settings.ts"
import { readSettings } from "#base/settings.ts"
import { exportToFile } from "#engine/lifecycle/move/export-to-file.ts"
import { ExportReader } from "#engine/lifecycle/move/format/read-export.ts"
import { importInto, pagesOfManyKinds, scratch } from "#engine/lifecycle/move/testing/movable-index.ts"
import { isSound } from "#engine/commands/difference-lines.ts"
import { HashingEmbedder } from "../hashing-embedder.ts"
import { aPage, rareWord, urlOf } from "../pages.ts"
import { clusterUnderTest } from "./cluster-under-test.ts"
import { onCluster } from "./under-test.ts"

const urls = clusterUnderTest()
const adapter = onCluster(urls)
const client = new Client({ nodes: [...urls] })
const places: string[] = []
const opened: Engine[] = []

afterEach(async () => {
  await Promise.all(opened.splice(0).map((engine) => engine[Symbol.asyncDispose]()))
  for (const place of places.splice(0)) await adapter.removePlace(place)
})
afterAll(() => client.close())

async function fresh(): Promise<{ readonly place: string; readonly name: string }> {
  const place = await adapter.freshPlace()
  places.push(place)
  return { place, name: (JSON.parse(place) as { name: string }).name }
}
async function open(place: string, options?: Parameters<typeof adapter.open>[1]): Promise<Engine> {
  const engine = await adapter.open(place, options)
  opened.push(engine)
  return engine
}
const found = async (engine: Engine, text: string) =>
  (await engine.search({ text, limit: 5, arms: "lexical" })).hits.map(({ url }) => url)

describe("a write that comes late", () => {
  test("does not bring back what a page said before, nor a page that was removed", async () => {
    const { place, name } = await fresh()
    const engine = await open(place)
    const page = aPage("page", { markdown: "Old words of herons." })
    await engine.index([page, aPage("gone", { markdown: "Herons that leave." })])
    await engine.settled()
    // Requests from an aborted client that may still be in flight.
    const late: object[] = []
    for (const index of [`${name}-pages`, `${name}-vectors`]) {
      const { body } = await client.search({ index, body: { version: true, size: 10 } })
      const { hits } = body.hits as unknown as {
        hits: { _id: string; _version: number; _source: object }[]
      }
      for (const { _id, _version: version, _source } of hits) {
        late.push({ index: { _index: index, _id, version, version_type: "external_gte" } }, _source)
      }
    }
    expect(late).toHaveLength(8)
    await engine.index([{ ...page, markdown: "New words of storks." }])
    await engine.remove([urlOf("gone")])
    await engine.settled()
    const { body } = await client.bulk({ body: late as never, refresh: true })
    const statuses = (body.items as unknown as { index: { status: number } }[]).map(
      ({ index }) => index.status,
    )
    expect(statuses).toEqual(Array.from({ length: 4 }, () => 409))
    expect((await engine.get(page.url))!.markdown).toBe("New words of storks.")
    expect(await found(engine, "herons")).toEqual([])
    expect(await found(engine, "storks")).toEqual([page.url])
    expect(await engine.stats()).toMatchObject({ pages: 1, pagesWithoutVectors: 0 })
  })

  test("of vectors does not stand beside a page that was written since", async () => {
    const { place } = await fresh()
    const slow = new HashingEmbedder()
    const embed = slow.embed.bind(slow)
    const held = Promise.withResolvers<void>()
    const asked = Promise.withResolvers<void>()
    slow.embed = async (texts, options) => {
      const vectors = await embed(texts, options)
      if (options?.priority === "index" && texts.some((text) => text.includes("Old words"))) {
        asked.resolve()
        await held.promise
      }
      return vectors
    }
    const engine = await open(place, { embedder: slow })
    const page = aPage("page", { markdown: "Old words of herons." })
    await engine.index([page])
    await asked.promise
    await engine.index([{ ...page, markdown: "New words of storks." }])
    held.resolve()
    await engine.settled()
    const nearness = async (text: string) =>
      (await engine.search({ text, limit: 1, arms: "vector" })).hits[0]?.parts.vector ?? 0
    expect(await nearness("storks")).toBeGreaterThan(0.2)
    expect(await nearness("herons")).toBeLessThan(await nearness("storks"))
    expect(await engine.coverage(page.url)).toEqual({ passages: 1, vectors: 1 })
  })
})

test("what a write that was cut off left half done is put right by the queue", async () => {
  const { place, name } = await fresh()
  const first = await open(place)
  await first.index([aPage("kept", { markdown: "Kept words." }), aPage("half", { markdown: "Half words." })])
  await first.settled()
  await first[Symbol.asyncDispose]()
  // The cluster died between the two documents of each page: one page was never written, the other still has its old
  // version.
  const index = `${name}-vectors`
  const { body } = await client.search({ index, body: { version: true, size: 10 } })
  const { hits } = body.hits as unknown as {
    hits: { _id: string; _version: number; _source: Record<string, unknown> }[]
  }
  const waiting = (source: Record<string, unknown>, id: string, revision: unknown) => {
    const { vectors: _, ...rest } = source
    return { ...rest, id, revision, waiting: true }
  }
  const [{ _id, _version, _source }] = hits as [(typeof hits)[number]]
  const version = _version + 1001
  const about = (id: string) => ({ index: { _index: index, _id: id, version, version_type: "external_gte" } })
  await client.bulk({
    body: [about(_id), waiting(_source, _id, 1), about("nobody"), waiting(_source, "nobody", 2)] as never,
    refresh: true,
  })
  const engine = await openOpenSearch({
    cluster: { urls, login: null, tls: { ca: null, cert: null, key: null } },
    spread: { shards: 3, replicas: 1 },
    name,
    lockDir: `/tmp/fossick-${name}`,
    mode: "write",
    embedder: new HashingEmbedder(),
    halfWrittenMs: 0,
  })
  opened.push(engine)
  expect((await engine.stats()).pagesWithoutVectors).toBe(2)
  await engine.settled()
  expect(await engine.stats()).toMatchObject({ pages: 2, pagesWithoutVectors: 0 })
  const moved = await Array.fromAsync(engine.allPages())
  expect(moved.map(({ vectors }) => vectors?.length)).toEqual([1, 1])
})

test("a page of over a thousand passages and one of words without end are kept whole", async () => {
  const { place } = await fresh()
  const engine = await open(place, { embedding: "off" })
  const book = aPage("book", {
    markdown: Array.from(
      { length: 3000 },
      (_, i) => `# Part ${i}\n\n${rareWord(i)} is told here. ${"And more is said. ".repeat(8)}`,
    ).join("\n\n"),
  })
  const long = aPage("long", { markdown: `${"x".repeat(40_000)} ${"y".repeat(300)}z` })
  await engine.index([book, long])
  expect((await engine.get(book.url))!.markdown).toBe(book.markdown)
  expect((await engine.coverage(book.url))!.passages).toBeGreaterThan(1000)
  const question = { text: rareWord(2999), limit: 1, arms: "lexical", passagesPerPage: 1 } as const
  const [hit] = (await engine.search(question)).hits
  expect(hit!.url).toBe(book.url)
  expect(hit!.passages[0]!.text).toContain(rareWord(2999))
  expect(await found(engine, `${"y".repeat(300)}z`)).toEqual([long.url])
})

test("an index is made with the parts and copies that the settings say", async () => {
  const { name } = await fresh()
  const engine = await openOpenSearch({
    cluster: { urls, login: null, tls: { ca: null, cert: null, key: null } },
    spread: { shards: 2, replicas: 0 },
    name,
    lockDir: `/tmp/fossick-${name}`,
    mode: "write",
    embedder: new HashingEmbedder(),
  })
  opened.push(engine)
  await engine.index([aPage("a", { markdown: "Two parts." })])
  expect(await found(engine, "parts")).toEqual([urlOf("a")])
  const { body } = await client.indices.getSettings({ index: `${name}-pages` })
  const { index } = (body as unknown as Record<string, { settings: { index: Record<string, string> } }>)[
    `${name}-pages`
  ]!.settings
  expect(index).toMatchObject({ number_of_shards: "2", number_of_replicas: "0" })
})

test("generations stand side by side, each says what it is, and one is dropped without the others", async () => {
  const { name } = await fresh()
  await using folder = await scratch()
  const settings = readSettings(engineSettings, {
    FOSSICK_DATA_DIR: folder.at("data"),
    FOSSICK_OPENSEARCH_URLS: urls.join(),
    FOSSICK_OPENSEARCH_INDEX: name,
    FOSSICK_OPENSEARCH_SHARDS: "1",
  })
  const adapter = opensearchGenerations(settings)
  expect(await adapter.info("index")).toBeNull()
  for (const [generation, embedder] of [
    ["index", new HashingEmbedder()],
    ["index-2", new HashingEmbedder("other")],
  ] as const) {
    await using engine = await adapter.open(generation, { mode: "write", embedder })
    await engine.index([aPage("page", { markdown: `Text of ${generation}.` })])
    const { id, dimensions } = embedder
    expect(await adapter.info(generation)).toEqual({ format: adapter.format, embedder: id, dimensions })
  }
  await adapter.drop("index")
  await adapter.drop("index")
  expect(await adapter.info("index")).toBeNull()
  const other = { mode: "read", embedder: new HashingEmbedder("other") } as const
  await using left = await adapter.open("index-2", other)
  expect((await left.stats()).pages).toBe(1)
  await adapter.drop("index-2")
  expect([adapter.useOf(adapter.format), adapter.useOf(adapter.format + 1), adapter.useOf(0)]).toEqual([
    "written",
    "too-new",
    "too-old",
  ])
})

test("pages and vectors move from the embedded index to the cluster and back as they are", async () => {
  const pages = pagesOfManyKinds(40)
  await using folder = await scratch()
  const silent = new HashingEmbedder()
  const embed = silent.embed.bind(silent)
  silent.embed = (texts, options) =>
    options?.priority === "index" ? Promise.reject(new Error("Embedded again.")) : embed(texts, options)
  await using from = await EmbeddedEngine.open({
    dir: folder.at("from"),
    mode: "write",
    embedder: new HashingEmbedder(),
  })
  await from.index(pages)
  await from.settled()
  await exportToFile(from, folder.at("1.fossick"))
  const { place } = await fresh()
  const there = await open(place, { embedder: silent })
  const result = await importInto(there, folder.at("1.fossick"))
  expect(result).toMatchObject({ written: pages.length, unchanged: 0, others: 0, withoutVectors: 0 })
  expect(isSound(result.differences)).toBe(true)
  expect(await importInto(there, folder.at("1.fossick"))).toMatchObject({ written: 0 })
  await exportToFile(there, folder.at("2.fossick"))
  const contentOf = async (file: string) => (await ExportReader.open(createReadStream(file), file)).check()
  expect(await contentOf(folder.at("2.fossick"))).toEqual(await contentOf(folder.at("1.fossick")))
  await using to = await EmbeddedEngine.open({ dir: folder.at("to"), mode: "write", embedder: silent })
  expect(isSound((await importInto(to, folder.at("2.fossick"))).differences)).toBe(true)
  expect(await there.stats()).toEqual(await from.stats())
  expect(await to.stats()).toEqual(await from.stats())
})
