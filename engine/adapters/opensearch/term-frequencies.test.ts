import { afterEach, expect, test, vi } from "vitest"
import { type Request, startServer } from "../meilisearch/testing/scripted-server.ts"
import { Cluster } from "./server/cluster.ts"
import { indexesOf } from "./server/indexes.ts"
import { Shards } from "./server/shards.ts"
import { TermFrequencies } from "./term-frequencies.ts"

/** A cluster with one shard, where the number of pages with a term equals the term's length, and no page contains "none". */
async function counting() {
  const asked: string[][] = []
  const server = await startServer(({ path, body }: Request) => {
    if (path.includes("_search_shards")) return { status: 200, body: { shards: [[{ shard: 0 }]] } }
    const { docs } = JSON.parse(body) as { docs: Array<{ doc: { words: string } }> }
    const terms = docs[0]!.doc.words.split(" ")
    asked.push(terms)
    const found = terms.filter((term) => term !== "none").map((term) => [term, { doc_freq: term.length }])
    return {
      status: 200,
      body: { docs: [{ term_vectors: { words: { terms: Object.fromEntries(found) } } }] },
    }
  })
  const tls = { ca: null, cert: null, key: null }
  const cluster = new Cluster({ urls: [server.url], login: null, tls, patienceMs: 5000 })
  const indexes = indexesOf("test")
  return {
    asked,
    frequencies: new TermFrequencies(cluster, indexes, new Shards(cluster, indexes.pages)),
    async [Symbol.asyncDispose]() {
      await cluster[Symbol.asyncDispose]()
      await server[Symbol.asyncDispose]()
    },
  }
}

afterEach(() => vi.restoreAllMocks())

test("a term is requested only once, unless no page contains it", async () => {
  await using counted = await counting()
  const { asked, frequencies } = counted
  expect([...(await frequencies.of(["heron", "none"], { pages: 100 }))]).toEqual([
    ["heron", 5],
    ["none", 0],
  ])
  expect([...(await frequencies.of(["none", "heron", "ox"], { pages: 100 }))]).toEqual([
    ["none", 0],
    ["heron", 5],
    ["ox", 2],
  ])
  await frequencies.of(["ox", "heron"], { pages: 101 })
  expect(asked).toEqual([
    ["heron", "none"],
    ["none", "ox"],
  ])
})

test("all terms are requested again when many pages have been added or removed", async () => {
  await using counted = await counting()
  const { asked, frequencies } = counted
  for (const pages of [100, 102, 102, 90]) await frequencies.of(["heron"], { pages })
  expect(asked).toHaveLength(3)
})

test("all terms are requested again now and then while pages change, and never while nothing is written", async () => {
  await using counted = await counting()
  const { asked, frequencies } = counted
  let now = performance.now()
  vi.spyOn(performance, "now").mockImplementation(() => now)
  for (const lastWritten of [7, 7, 8, 8, 9]) {
    await frequencies.of(["heron"], { pages: 100, lastWritten })
    now += 60_000
  }
  expect(asked).toHaveLength(3)
})
