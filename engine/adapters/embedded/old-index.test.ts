import { readFile } from "node:fs/promises"
import path from "node:path"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { targetDue } from "../../lifecycle/generations/building/build.ts"
import { openForWriting } from "#engine/lifecycle/generations/open-for-writing.ts"
import { rollBack } from "../../lifecycle/generations/building/rollback.ts"
import { indexStatus } from "#engine/lifecycle/generations/status.ts"
import { DataFolder } from "#engine/lifecycle/generations/testing/appliance-data.ts"
import { upgradeNow } from "../../lifecycle/generations/building/upgrade-now.ts"
import { upgradeFormat } from "../../lifecycle/generations/building/upgrade.ts"
import { aPage, urlOf } from "#engine/testing/pages.ts"
import { readManifest, writeManifest } from "./files/manifest.ts"
import { unpackOldIndex } from "./testing/old-indexes.ts"

// Tests how indexes from older versions are migrated: see testing/README.md.

const MODEL = "hashing-64"
const PAGES = 11
const signal = new AbortController().signal

let data: DataFolder
beforeEach(async () => {
  data = await DataFolder.make()
  data.models.add(MODEL)
})
afterEach(() => data[Symbol.asyncDispose]())

describe("an index in format 2", () => {
  beforeEach(() => unpackOldIndex(path.join(data.dir, "index")))

  test("is converted with its vectors, while readers wait and then find everything", async () => {
    const context = data.context(MODEL)
    await using reader = await data.reader(MODEL)
    expect(reader.problem).toContain("format 2")
    expect(await reader.search({ text: "spring tide", limit: 3 })).toEqual({ hits: [] })
    expect(await reader.stats()).toMatchObject({ pages: 0, embedder: MODEL })
    await expect(openForWriting(context)).rejects.toMatchObject({
      code: "INDEX_FORMAT_TOO_OLD",
      message: expect.stringMatching(/format 2.*writes 5.*fossick index upgrade/s),
    })

    expect(await upgradeFormat(context, { signal })).toBe(true)

    await expect.poll(() => reader.problem).toBeNull()
    expect(await reader.stats()).toMatchObject({ pages: PAGES, pagesWithoutVectors: 2 })
    const byMeaning = await reader.search({ text: "a spring tide", limit: 1, arms: "vector" })
    expect(byMeaning.hits).toMatchObject([{ url: urlOf("tides"), title: "Tides" }])
    const byWords = await reader.search({ text: "Laternenfest", limit: 1, arms: "lexical" })
    expect(byWords.hits.map((hit) => hit.url)).toEqual([urlOf("laternen")])
    expect(await reader.get(urlOf("tides"))).toEqual({
      url: urlOf("tides"),
      title: "Tides",
      description: "Twice a day.",
      markdown: expect.stringContaining("## Neaps"),
      language: "en",
      author: "Ada",
      publishedAt: new Date("2025-03-04T05:06:07.000Z"),
      topic: null,
      country: null,
      unsafe: false,
      images: [{ url: urlOf("tide.png"), description: "A tide table" }],
      favicon: urlOf("icon.png"),
      source: "docs",
      fetchedAt: new Date("2026-01-02T03:04:05.000Z"),
    })
    expect(await reader.get(urlOf("news"))).toMatchObject({ topic: "news", country: "nl", unsafe: true })
    expect(await reader.get(urlOf("gone"))).toBeNull()
    expect(await reader.get(urlOf("buoy/3"))).toMatchObject({ markdown: expect.stringContaining("storm") })

    await using engine = await openForWriting(context)
    await engine.settled()
    expect((await engine.stats()).pagesWithoutVectors).toBe(0)
    expect(await targetDue(context)).toBeNull()
  })

  test("continues converting after an interruption", async () => {
    const context = data.context(MODEL)
    const stop = new AbortController()
    stop.abort()
    expect(await upgradeFormat(context, { signal: stop.signal })).toBe(false)
    expect(await indexStatus(context, 7)).toMatchObject({
      current: { name: "index", format: 2, pages: null },
      building: { name: "index-2", format: 5, pages: 0 },
    })
    expect(await upgradeFormat(context, { signal })).toBe(true)
    expect(await upgradeFormat(context, { signal })).toBe(false)
    expect((await indexStatus(context, 7)).current).toMatchObject({ name: "index-2", pages: PAGES })
  })

  test("is converted to the current format first, and then to the configured model", async () => {
    const context = data.context("second")
    await context.file.change(() => ({ models: { [MODEL]: MODEL } }))
    expect(await upgradeNow(context, { signal })).toBe(true)
    expect(await indexStatus(context, 7)).toMatchObject({
      current: { name: "index-3", format: 5, embedder: "second", pages: PAGES, pagesWithoutVectors: 0 },
      previous: { name: "index-2", embedder: MODEL },
      due: null,
    })
  })

  test("stays unchanged, so that the older version can be restored and the conversion repeated", async () => {
    const context = data.context(MODEL)
    const manifest = path.join(data.dir, "index", "index.json")
    const before = await readFile(manifest, "utf8")
    await upgradeFormat(context, { signal })
    expect(await rollBack(context, { signal })).toEqual({ to: "index", changed: null })
    expect(await readFile(manifest, "utf8")).toBe(before)
    expect(await upgradeFormat(context, { signal })).toBe(false)
    await expect(openForWriting(context)).rejects.toMatchObject({ code: "INDEX_FORMAT_TOO_OLD" })
    expect(await upgradeNow(context, { signal })).toBe(true)
    expect((await indexStatus(context, 7)).current).toMatchObject({ format: 5, pages: PAGES })
  })

  test("is read without vectors when its model is gone", async () => {
    data.models.clear()
    const context = data.context("second")
    expect(await upgradeFormat(context, { signal })).toBe(true)
    expect((await indexStatus(context, 7)).current).toMatchObject({ embedder: "second", pages: PAGES })
    await using engine = await openForWriting(context)
    await engine.settled()
    const { hits } = await engine.search({ text: "a spring tide", limit: 1, arms: "vector" })
    expect(hits.map((hit) => hit.url)).toEqual([urlOf("tides")])
  })
})

test.each([3, 4])(
  "an index in format %i, with different terms, is converted with its vectors",
  async (format) => {
    const context = data.context(MODEL)
    {
      await using engine = await openForWriting(context)
      await engine.index([aPage("kaffee", { markdown: "# Kaffee\n\nEin Kaffee am Hafen." })])
      await engine.settled()
    }
    const folder = path.join(data.dir, "index")
    await writeManifest(folder, { ...(await readManifest(folder))!, format })
    expect(await upgradeFormat(context, { signal })).toBe(true)
    await using reader = await data.reader(MODEL)
    expect(await reader.stats()).toMatchObject({ pages: 1, pagesWithoutVectors: 0 })
    const { hits } = await reader.search({ text: "Kaffee", limit: 1, arms: "lexical" })
    expect(hits.map(({ url }) => url)).toEqual([urlOf("kaffee")])
  },
)
