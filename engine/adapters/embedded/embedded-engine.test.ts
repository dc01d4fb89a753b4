import { once } from "node:events"
import { readFile, rm, stat, writeFile } from "node:fs/promises"
import path from "node:path"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { breather } from "#base/flow/breather.ts"
import { TransformersEmbedder, shippedModel } from "#engine/models/embedders/transformers-embedder.ts"
import { adapter } from "#engine/testing/embedded-under-test.ts"
import { describeEngine } from "#engine/testing/engine-contract.ts"
import { HashingEmbedder } from "#engine/testing/hashing-embedder.ts"
import type { Engine } from "#engine"
import { aPage, rareWord, urlOf } from "#engine/testing/pages.ts"
import { EmbeddedEngine } from "./embedded-engine.ts"
import { ASKED_FILE } from "./embed-queue.ts"
import { PageStore } from "./files/page-store.ts"
import { TermFrequencies } from "./files/term-frequencies.ts"
import { PAGES_TABLE, connectTo } from "./lance/tables.ts"
import { toPageRow } from "../../index/page-record.ts"
import { pageId } from "../../index/page/page-url.ts"

describeEngine("embedded", adapter)

describe("the embedded engine", () => {
  let dir: string

  beforeEach(async () => {
    dir = await adapter.freshPlace()
  })
  afterEach(() => adapter.removePlace(dir))

  const open = (options: Partial<Parameters<typeof EmbeddedEngine.open>[0]> = {}) =>
    EmbeddedEngine.open({ dir, mode: "write", embedder: new HashingEmbedder(), ...options })

  test("has saved all it records about searches when it closes, and writes nothing after that", async () => {
    const engine = await open({ embedding: "off" })
    await engine.index([aPage("pump"), aPage("valve")])
    for (const text of ["pump", "valve"]) await engine.search({ text, limit: 1 })
    await engine[Symbol.asyncDispose]()
    const file = path.join(dir, ASKED_FILE)
    expect(JSON.parse(await readFile(file, "utf8"))).toEqual([pageId(urlOf("pump")), pageId(urlOf("valve"))])
    await expect(stat(`${file}.new`)).rejects.toMatchObject({ code: "ENOENT" })
  })

  test("finds the first page in a language by its words before its terms are counted", async () => {
    await using writer = await open({ embedding: "off" })
    // These pages are counted immediately, and then nothing is counted for some seconds.
    await writer.index(Array.from({ length: 60 }, (_, i) => aPage(`en/${i}`, { language: "en" })))
    const markdown = "Das Fest heißt auf Englisch lantern festival."
    await writer.index([aPage("de", { language: "de", markdown })])
    await using reader = await open({ mode: "read" })
    const { hits } = await reader.search({ text: "lantern", limit: 3 })
    expect(hits.map(({ url }) => url)).toEqual([urlOf("de")])
  })

  test("rejects an index in a newer format and leaves it unchanged", async () => {
    await (await open())[Symbol.asyncDispose]()
    const file = path.join(dir, "index.json")
    const newer = JSON.stringify({
      ...JSON.parse(await readFile(file, "utf8")),
      format: 99,
      checksum: undefined,
    })
    await writeFile(file, newer)
    for (const mode of ["read", "write"] as const) {
      await expect(open({ mode })).rejects.toMatchObject({ code: "INDEX_FORMAT_TOO_NEW" })
    }
    expect(await readFile(file, "utf8")).toBe(newer)
  })

  test("rejects an index in an older format, says what to do, and leaves it unchanged", async () => {
    await (await open())[Symbol.asyncDispose]()
    const file = path.join(dir, "index.json")
    const older = JSON.stringify({
      ...JSON.parse(await readFile(file, "utf8")),
      format: 2,
      checksum: undefined,
    })
    await writeFile(file, older)
    for (const mode of ["read", "write"] as const) {
      await expect(open({ mode })).rejects.toMatchObject({
        code: "INDEX_FORMAT_TOO_OLD",
        message: expect.stringContaining("fossick index upgrade"),
      })
    }
    expect(await readFile(file, "utf8")).toBe(older)
  })

  test("makes no new vectors for a page that gains another source or topic", async () => {
    const embedder = new HashingEmbedder()
    const made: string[] = []
    const embed = embedder.embed.bind(embedder)
    embedder.embed = (texts, options) => {
      if (options?.priority === "index") made.push(...texts)
      return embed(texts, options)
    }
    await using engine = await open({ embedder })
    const page = aPage("page", { source: "a", markdown: "Text of plums.\n\n## More\n\nText of pears." })
    const plain = JSON.parse(await readFile(path.join(dir, "index.json"), "utf8")) as object
    expect(plain).not.toHaveProperty("sharings")
    await engine.index([page])
    await engine.settled()
    const before = made.length
    expect(before).toBeGreaterThan(0)
    await engine.index([{ ...page, source: "b", sharedWith: ["a"] }])
    await engine.index([{ ...page, source: "b", sharedWith: ["a"], topic: "news" }])
    await engine.settled()
    expect(made).toHaveLength(before)
    for (const source of ["a", "b"]) {
      const query = { text: "pears", limit: 5, arms: "vector", filter: { sources: [source] } } as const
      expect((await engine.search(query)).hits).toHaveLength(1)
    }
    for (const [source, count] of [
      ["a", 0],
      ["b", 0],
      ["c", 1],
    ] as const) {
      for (const arms of ["vector", "lexical"] as const) {
        const query = { text: "pears", limit: 5, arms, filter: { excludeSources: [source] } }
        expect((await engine.search(query)).hits).toHaveLength(count)
      }
    }
    await engine.index([{ ...page, source: "b", markdown: "Text of figs." }])
    await engine.settled()
    expect(made.length).toBeGreaterThan(before)
  })

  test("counts a source's pages without vectors, including those shared with others", async () => {
    await using engine = await open({ embedding: "off" })
    await engine.index([
      aPage("one", { source: "a" }),
      aPage("two", { source: "a", sharedWith: ["b"] }),
      aPage("three", { source: "c" }),
    ])
    const counts = async (from: Engine) =>
      await Promise.all(["a", "b", "c", "it's none"].map((source) => from.pagesWithoutVectors(source)))
    expect(await counts(engine)).toEqual([2, 1, 1, 0])
    await engine[Symbol.asyncDispose]()
    await using embedding = await open()
    await embedding.settled()
    expect(await counts(embedding)).toEqual([0, 0, 0, 0])
  })

  test("names the file it cannot read", async () => {
    await (await open())[Symbol.asyncDispose]()
    for (const name of ["index.json", "index-copy.json"])
      await writeFile(path.join(dir, name), '{ "format": ')
    await expect(open()).rejects.toMatchObject({
      code: "INDEX_DAMAGED",
      message: expect.stringContaining("index.json"),
    })
  })

  test("keeps the vectors of a page that is crawled again unchanged", async () => {
    const embedder = new HashingEmbedder()
    const embed = embedder.embed.bind(embedder)
    let embedded = 0
    embedder.embed = (texts, options) => {
      embedded += texts.length
      return embed(texts, options)
    }
    await using engine = await open({ embedder })
    await engine.index([aPage("same", { markdown: "Nothing new." })])
    await engine.settled()
    await engine.index([aPage("same", { markdown: "Nothing new.", fetchedAt: new Date() })])
    await engine.settled()
    expect(embedded).toBe(1)
    const { hits } = await engine.search({ text: "nothing new", limit: 1, arms: "vector" })
    expect(hits).toHaveLength(1)
  })

  test("completes the work of a writer killed between its two writes", async () => {
    const embedder = new HashingEmbedder()
    {
      await using engine = await EmbeddedEngine.open({ dir, embedder, mode: "write" })
      await engine.index([aPage("replaced", { markdown: "Old words." })])
      await engine.settled()
    }
    {
      using store = PageStore.open(dir)
      await store.write([
        await toPageRow(aPage("replaced", { markdown: "New words." }), breather()),
        await toPageRow(aPage("unheard", { markdown: "Nobody was told." }), breather()),
      ])
    }
    await using engine = await EmbeddedEngine.open({ dir, embedder, mode: "write" })
    await engine.settled()
    const { hits } = await engine.search({ text: "new", limit: 5, arms: "lexical" })
    expect(hits.map((hit) => hit.markdown)).toEqual(["New words."])
    // This page is indexed again too, because the table might have lost it.
    const heard = await engine.search({ text: "nobody told", limit: 5, arms: "lexical" })
    expect(heard.hits.map((hit) => hit.url)).toEqual([urlOf("unheard")])
    expect(await engine.stats()).toMatchObject({ pages: 2, pagesWithoutVectors: 0 })
  })

  test("stops its background work when a killed writer's work cannot be completed", async () => {
    {
      await using engine = await open({ embedding: "off" })
      await engine.index([aPage("ahead"), aPage("waiting")])
    }
    using store = PageStore.open(dir)
    const row = await toPageRow(aPage("ahead", { markdown: "Newer words." }), breather())
    await store.write([{ ...row, details: "not JSON" }])
    const embedder = new HashingEmbedder()
    const asked: AbortSignal[] = []
    embedder.embed = async (_texts, options) => {
      const signal = options!.signal!
      asked.push(signal)
      signal.throwIfAborted()
      await once(signal, "abort")
      throw signal.reason
    }
    await expect(open({ embedder })).rejects.toThrow("JSON")
    await store.write([row])
    await using engine = await open()
    await engine.settled()
    expect(asked.every((signal) => signal.aborted)).toBe(true)
    const { hits } = await engine.search({ text: "newer", limit: 1, arms: "lexical" })
    expect(hits.map((hit) => hit.url)).toEqual([urlOf("ahead")])
  })

  test("keeps no old section of a page that became shorter, even if killed in between", async () => {
    const long = (word: string) =>
      Array.from({ length: 40 }, (_, i) => `## Part ${i}\n\n${`Filling ${rareWord(i)} text. `.repeat(12)}`)
        .concat(`## End\n\nThe ${word} stands last.`)
        .join("\n\n")
    const sections = async () => {
      const connection = await connectTo(dir, 0)
      try {
        return await (await connection.openTable(PAGES_TABLE)).countRows()
      } finally {
        connection.close()
      }
    }
    const [one, other] = [
      aPage("one", { markdown: long("quokka") }),
      aPage("other", { markdown: long("zebu") }),
    ]
    {
      await using engine = await open()
      await engine.index([one, other])
      expect(await sections()).toBeGreaterThan(12)
      expect(await engine.stats()).toMatchObject({ pages: 2 })
      await engine.index([aPage("one", { markdown: "Short." })])
      await engine.settled()
    }
    const before = await sections()
    {
      // The same state as if the writer had been killed after the first of its two writes.
      using store = PageStore.open(dir)
      await store.write([await toPageRow(aPage("other", { markdown: "Short too." }), breather())])
    }
    expect(await sections()).toBe(before)
    await using engine = await open()
    await engine.settled()
    expect(await sections()).toBe(2)
    expect(await engine.stats()).toMatchObject({ pages: 2, passages: 2, pagesWithoutVectors: 0 })
  })

  test("counts the pages of a term again when the counts are lost, however many sections contain it", async () => {
    const many = Array.from({ length: 60 }, (_, i) => `## Part ${i}\n\n${"The common word. ".repeat(20)}`)
    const pages = [
      aPage("long", { markdown: many.join("\n\n") }),
      ...Array.from({ length: 9 }, (_, i) => aPage(`p/${i}`, { markdown: `Page ${rareWord(i)}.` })),
    ]
    {
      await using engine = await open({ embedding: "off" })
      await engine.index(pages)
    }
    const kept = await TermFrequencies.load(dir)
    await rm(path.join(dir, "terms.bin"))
    await (await open({ embedding: "off" }))[Symbol.asyncDispose]()
    const again = await TermFrequencies.load(dir)
    for (const term of ["common", "page", "unknown"]) expect(again.idf(term)).toBe(kept.idf(term))
    expect(again.idf("common")).toBeCloseTo(Math.log(1 + 9.5 / 1.5))
  })

  test("finds a phrase without terms on any page that contains it", async () => {
    await using engine = await EmbeddedEngine.open({
      dir,
      embedder: new HashingEmbedder(),
      mode: "write",
      embedding: "off",
    })
    const pages = Array.from({ length: 2100 }, (_, i) => aPage(`page-${i}`, { markdown: "Common words." }))
    await engine.index([...pages, aPage("last", { markdown: "Common words and ->> arrows." })])
    const { hits } = await engine.search({ text: 'common "->>"', limit: 3 })
    // The other pages have the same text, so they are merged into one hit.
    expect(hits).toHaveLength(2)
    expect(hits[0]!.url).toBe(urlOf("last"))
    const held = await engine.search({ text: "common", limit: 3, filter: { phrases: ["->>"] } })
    expect(held.hits.map((hit) => hit.url)).toEqual([urlOf("last")])
  })

  test("finds pages by meaning with the model shipped with Fossick", async () => {
    await using embedder = await TransformersEmbedder.open({ model: shippedModel, threads: 1 })
    await using engine = await open({ embedder })
    await engine.index([
      aPage("car", {
        title: "Vehicles",
        markdown: "The automobile would not start because its battery was flat.",
      }),
      aPage("cake", { title: "Baking", markdown: "Beat the eggs with sugar until they are pale." }),
      aPage("tax", { title: "Taxes", markdown: "Income is declared once a year." }),
    ])
    await engine.settled()
    const { hits } = await engine.search({ text: "my vehicle is dead", limit: 3 })
    expect(hits[0]!.url).toBe(urlOf("car"))
    const unrelated = await engine.search({ text: "penguins of Antarctica", limit: 3 })
    expect(unrelated.hits[0]!.score).toBeLessThan(hits[0]!.score)
  })
})
