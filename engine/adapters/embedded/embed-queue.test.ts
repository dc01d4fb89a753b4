import path from "node:path"
import { afterEach, beforeEach, expect, test } from "vitest"
import { pause } from "#base/flow/pause.ts"
import { firstSourceFile, putSourceFirst } from "#engine/lifecycle/filling/first-source.ts"
import { adapter } from "#engine/testing/embedded-under-test.ts"
import { HashingEmbedder } from "#engine/testing/hashing-embedder.ts"
import { aPage, urlOf } from "#engine/testing/pages.ts"
import { EmbeddedEngine } from "./embedded-engine.ts"

let place: string
beforeEach(async () => {
  place = await adapter.freshPlace()
})
afterEach(() => adapter.removePlace(place))

/** Records the texts it embeds. */
function noting() {
  const embedder = new HashingEmbedder()
  const embed = embedder.embed.bind(embedder)
  const texts: string[] = []
  embedder.embed = async (given, options) => {
    texts.push(...given)
    return await embed(given, options)
  }
  return { embedder, texts }
}

const chapter = (i: number) => `# Chapter ${i}\n\n${`The chapter numbered ${i} says this. `.repeat(12)}`
const book = (chapters: readonly string[]) => aPage("book", { markdown: chapters.join("\n\n") })

test("only the new passages of a changed page are embedded", async () => {
  const chapters = Array.from({ length: 20 }, (_, i) => chapter(i))
  {
    await using engine = await adapter.open(place)
    await engine.index([book(chapters)])
    await engine.settled()
  }
  const { embedder, texts } = noting()
  await using engine = await adapter.open(place, { embedder })
  await engine.index([book(chapters.with(7, "# Chapter 7\n\nWritten anew: about hedgehogs. ".repeat(8)))])
  await engine.settled()
  const { passages, vectors } = (await engine.coverage(urlOf("book")))!
  expect(vectors).toBe(passages)
  expect(texts.length).toBeGreaterThan(0)
  expect(texts.length).toBeLessThan(passages / 2)
  for (const text of texts) expect(text).toContain("hedgehogs")
  for await (const { page, vectors: made } of engine.allPages()) {
    const fresh = new HashingEmbedder()
    const [last] = await fresh.embed([
      `${page.title}\n${chapter(19).replace("# ", "").replace("\n\n", "\n").trim()}`,
    ])
    expect(made!.at(-1)).toEqual(last)
  }
})

test("the same passage on many pages is embedded once", async () => {
  const { embedder, texts } = noting()
  await using engine = await adapter.open(place, { embedder })
  const licence = `# Licence\n\n${"You may copy this. ".repeat(15)}`
  await engine.index(
    Array.from({ length: 30 }, (_, i) =>
      aPage(`copy/${i}`, { title: "Guide", markdown: `${chapter(i)}\n\n${licence}` }),
    ),
  )
  await engine.settled()
  expect(new Set(texts).size).toBe(texts.length)
  expect(texts.filter((text) => text.includes("You may copy"))).toHaveLength(1)
  expect(await engine.stats()).toMatchObject({ pagesWithoutVectors: 0, passagesWithoutVectors: 0 })
})

test("the selected source gets its vectors first, even when selected during a fill", async () => {
  const { embedder, texts } = noting()
  const file = firstSourceFile(place)
  const pages = (source: string) =>
    Array.from({ length: 40 }, (_, i) =>
      aPage(`${source}/${i}`, { source, title: source, markdown: chapter(i) }),
    )
  const order = () => [...new Set(texts.map((text) => text.split("\n")[0]))]
  const dir = path.join(place, "index")
  {
    await using engine = await EmbeddedEngine.open({ dir, mode: "write", embedder, embedding: "off" })
    await engine.index([...pages("manual"), ...pages("forum"), ...pages("blog")])
  }
  await putSourceFirst(file, "forum")
  const embed = embedder.embed.bind(embedder)
  let isFirst = true
  embedder.embed = async (...given) => {
    if (isFirst) await putSourceFirst(file, "blog")
    // The queue checks once a second which source comes first.
    if (isFirst) await pause(1100)
    isFirst = false
    return await embed(...given)
  }
  await using engine = await EmbeddedEngine.open({ dir, mode: "write", embedder, dataDir: place })
  await engine.settled()
  expect(order()).toEqual(["forum", "blog", "manual"])
})

test("while the index in use answers questions, building another one leaves a processor free", async () => {
  const inUse = { dir: path.join(place, "index"), dataDir: place }
  {
    await using engine = await EmbeddedEngine.open({
      ...inUse,
      mode: "write",
      embedder: new HashingEmbedder(),
    })
    await engine.index([aPage("pump")])
    await engine.settled()
  }
  await using reader = await EmbeddedEngine.open({ ...inUse, mode: "read", embedder: new HashingEmbedder() })
  const embedder = new HashingEmbedder()
  const embed = embedder.embed.bind(embedder)
  const sparing: boolean[] = []
  embedder.embed = async (texts, options) => {
    sparing.push(options?.sparing ?? false)
    if (!sparing.at(-1)) {
      await reader.search({ text: "pump", limit: 1 })
      await pause(200)
    }
    return await embed(texts, options)
  }
  const beside = { dir: path.join(place, "index-2"), dataDir: place }
  await using engine = await EmbeddedEngine.open({ ...beside, mode: "write", embedder })
  await engine.index(Array.from({ length: 300 }, (_, i) => aPage(`page/${i}`, { markdown: chapter(i) })))
  await engine.settled()
  expect([sparing[0], sparing.at(-1)]).toEqual([false, true])
})
