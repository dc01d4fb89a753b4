import { randomBytes } from "node:crypto"
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest"
import { Claims } from "#engine/adapters/opensearch/claims.ts"
import { openOpenSearch } from "#engine/adapters/opensearch/opensearch-engine.ts"
import { Cluster } from "#engine/adapters/opensearch/server/cluster.ts"
import { dropIndexes, indexesOf } from "#engine/adapters/opensearch/server/indexes.ts"
import type { Engine } from "#engine/engine.ts"
import { scratch } from "#engine/lifecycle/move/testing/movable-index.ts"
import { embeddingText, toPassages } from "#engine/text/passages.ts"
import { HashingEmbedder } from "../hashing-embedder.ts"
import { aPage, rareWord, urlOf } from "../pages.ts"
import { clusterUnderTest } from "./cluster-under-test.ts"

const urls = clusterUnderTest()
const reached = { urls, login: null, tls: { ca: null, cert: null, key: null } }
const AN_HOUR_MS = 3_600_000

let name: string
let folder: Awaited<ReturnType<typeof scratch>>
let cluster: Cluster
const opened: Engine[] = []

beforeEach(async () => {
  name = `contract-${randomBytes(6).toString("hex")}`
  folder = await scratch()
  cluster = new Cluster({ ...reached, patienceMs: 60_000 })
})
afterEach(async () => {
  vi.restoreAllMocks()
  await Promise.all(opened.splice(0).map((engine) => engine[Symbol.asyncDispose]()))
  await dropIndexes(cluster, name)
  await cluster[Symbol.asyncDispose]()
  await folder[Symbol.asyncDispose]()
})

/** A writer on a separate machine: its folder holds the locks. */
async function writer(machine: string, embedder = new HashingEmbedder()): Promise<Engine> {
  const engine = await openOpenSearch({
    cluster: reached,
    spread: { shards: 3, replicas: 1 },
    name,
    lockDir: folder.at(machine),
    mode: "write",
    embedder,
    lookMs: 200,
  })
  opened.push(engine)
  return engine
}
const found = async (engine: Engine, text: string, phrases: readonly string[] = []) => {
  const { hits } = await engine.search({ text, limit: 50, arms: "lexical", filter: { phrases } })
  return hits.map(({ url }) => url).sort()
}

describe("two machines that write into one index", () => {
  test("may make it at the same time", async () => {
    const both = await Promise.all([writer("one"), writer("other")])
    await Promise.all(
      both.map((engine, i) => engine.index([aPage(`of/${i}`, { markdown: `Herons and ${rareWord(i)}.` })])),
    )
    for (const engine of both) {
      await engine.settled()
      expect(await found(engine, "herons")).toEqual([urlOf("of/0"), urlOf("of/1")])
      expect(await engine.stats()).toMatchObject({ pages: 2, pagesWithoutVectors: 0 })
    }
  })

  test("the later write counts, though the clock of the earlier one is an hour ahead", async () => {
    const [ahead, behind] = [await writer("one"), await writer("other")]
    const now = Date.now()
    const inAnHour = vi.spyOn(Date, "now").mockReturnValue(now + AN_HOUR_MS)
    await ahead.index([
      aPage("changed", { markdown: "Old words of herons." }),
      aPage("removed", { markdown: "Herons that leave." }),
      aPage("back", { markdown: "Herons that come back." }),
    ])
    await ahead.remove([urlOf("back")])
    inAnHour.mockRestore()
    await behind.index([
      aPage("changed", { markdown: "New words of storks." }),
      aPage("back", { markdown: "Storks that came back." }),
    ])
    await behind.remove([urlOf("removed")])
    expect(await found(behind, "herons")).toEqual([])
    expect(await found(behind, "storks")).toEqual([urlOf("back"), urlOf("changed")])
    await behind.settled()
    expect(await behind.stats()).toMatchObject({ pages: 2, pagesWithoutVectors: 0 })
    expect(await behind.coverage(urlOf("changed"))).toEqual({ passages: 1, vectors: 1 })
  })

  test("of a page that both write at once one stays, whole, with its own vectors", async () => {
    const both = [await writer("one"), await writer("other")]
    const many = Array.from({ length: 30 }, (_, i) => i)
    const said = (i: number, by: number) =>
      `Page ${rareWord(i)} as ${by === 0 ? "herons" : "storks"} tell it.`
    await Promise.all(
      both.flatMap((engine, by) =>
        [1, 2, 3].map((round) =>
          // Every third page has the same text, whichever process writes it.
          engine.index(many.map((i) => aPage(`p/${i}`, { markdown: said(i, i % 3 === 0 ? round % 2 : by) }))),
        ),
      ),
    )
    for (const engine of both) await engine.settled()
    const pages = new Map<string, string>()
    for await (const { page, vectors } of both[0]!.allPages()) {
      pages.set(page.url, page.markdown)
      // The hashing embedder gives different texts different vectors, so these vectors belong to this text.
      const texts = toPassages(page.markdown).map((passage) => embeddingText(page.title, passage))
      expect(vectors).toEqual(await new HashingEmbedder().embed(texts))
    }
    for (const i of many) {
      const markdown = pages.get(urlOf(`p/${i}`))!
      expect([said(i, 0), said(i, 1)]).toContain(markdown)
      const other = markdown === said(i, 0) ? "storks" : "herons"
      expect(await found(both[1]!, rareWord(i), [`${rareWord(i)} as ${other}`])).toEqual([])
    }
    expect(await both[1]!.stats()).toMatchObject({ pages: 30, pagesWithoutVectors: 0 })
  })

  test("make the vectors of each page once, both of them at work", async () => {
    const embedded: string[][] = [[], []]
    const bothAsked = Promise.withResolvers<void>()
    const embedders = embedded.map((texts) => {
      const embedder = new HashingEmbedder()
      const embed = embedder.embed.bind(embedder)
      embedder.embed = async (some, options) => {
        if (options?.priority === "index") {
          texts.push(...some)
          if (embedded.every(({ length }) => length > 0)) bothAsked.resolve()
          await bothAsked.promise
        }
        return embed(some, options)
      }
      return embedder
    })
    const both = [await writer("one", embedders[0]), await writer("other", embedders[1])]
    const pages = Array.from({ length: 120 }, (_, i) => aPage(`p/${i}`, { markdown: `Only ${rareWord(i)}.` }))
    await Promise.all([both[0]!.index(pages.slice(0, 60)), both[1]!.index(pages.slice(60))])
    await Promise.all(both.map((engine) => engine.settled()))
    expect(await both[0]!.stats()).toMatchObject({ pages: 120, pagesWithoutVectors: 0 })
    const all = embedded.flat()
    expect(all).toHaveLength(120)
    expect(new Set(all).size).toBe(120)
  })

  test("suggest each other's pages, and none that the other one removed", async () => {
    const both = [await writer("one"), await writer("other")]
    await both[0]!.index([aPage("pears", { title: "Pears" }), aPage("pearls", { title: "Pearls" })])
    await both[1]!.index([aPage("plums", { title: "Plums" })])
    await both[1]!.remove([urlOf("pearls")])
    const typed = async (engine: Engine, text: string) =>
      (await engine.suggest({ text, limit: 5 })).map((one) => one.text)
    for (const engine of both) {
      await expect.poll(() => typed(engine, "p")).toEqual(["Pears", "Plums"])
    }
  })
})

test("a page that a process which died had claimed is another's when the claim is over", async () => {
  await writer("one")
  const { claims: index } = indexesOf(name)
  const [dead, living] = [new Claims(cluster, index, 1), new Claims(cluster, index)]
  expect([...(await dead.take(["a", "b"]))]).toEqual(["a", "b"])
  await expect.poll(async () => [...(await living.take(["a", "b"]))]).toEqual(["a", "b"])
  const late = new Claims(cluster, index)
  expect((await late.take(["a", "c"])).has("a")).toBe(false)
  expect(late.others).toEqual(["a"])
  await living.release()
  late.forgetOthers()
  expect((await late.take(["a"])).has("a")).toBe(true)
})
