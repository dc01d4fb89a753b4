import { randomBytes } from "node:crypto"
import { Client } from "@opensearch-project/opensearch"
import { afterEach, beforeEach, expect, test, vi } from "vitest"
import { opensearchIndex } from "#engine/adapters/opensearch/opensearch-index.ts"
import { readState } from "#engine/adapters/opensearch/index-state.ts"
import { Cluster } from "#engine/adapters/opensearch/server/cluster.ts"
import { indexesOf } from "#engine/adapters/opensearch/server/indexes.ts"
import { shardOf, Shards } from "#engine/adapters/opensearch/server/shards.ts"
import { TermFrequencies } from "#engine/adapters/opensearch/term-frequencies.ts"
import type { Engine } from "#engine/engine.ts"
import { pageId } from "#engine/index/page/page-url.ts"
import { HashingEmbedder } from "../hashing-embedder.ts"
import { aPage, rareWord, urlOf } from "../pages.ts"
import { clusterUnderTest } from "./cluster-under-test.ts"
import { onCluster } from "./under-test.ts"

const urls = clusterUnderTest()
const adapter = onCluster(urls)

let place: string
let name: string
let cluster: Cluster
const opened: Engine[] = []

beforeEach(async () => {
  place = await adapter.freshPlace()
  name = (JSON.parse(place) as { name: string }).name
  cluster = new Cluster({ urls, login: null, tls: { ca: null, cert: null, key: null }, patienceMs: 60_000 })
})
afterEach(async () => {
  vi.restoreAllMocks()
  await Promise.all(opened.splice(0).map((engine) => engine[Symbol.asyncDispose]()))
  await cluster[Symbol.asyncDispose]()
  await adapter.removePlace(place)
})

async function open(options?: Parameters<typeof adapter.open>[1]): Promise<Engine> {
  const engine = await adapter.open(place, options)
  opened.push(engine)
  return engine
}

/** The index in its current state, for the queries of one search. */
async function asked() {
  const indexes = indexesOf(name)
  const shards = new Shards(cluster, indexes.pages)
  const frequencies = new TermFrequencies(cluster, indexes, shards)
  return opensearchIndex({
    cluster,
    indexes,
    shards,
    frequencies,
    state: (await readState(cluster, indexes))!,
  })
}

/** Pages of several passages, each with different words. */
const manyPages = (pages: number) =>
  Array.from({ length: pages }, (_, page) => {
    const parts = Array.from({ length: 6 }, (_, i) =>
      `# Part ${i}\n\n${rareWord(6 * page + i)} and herons. `.repeat(20),
    )
    return aPage(`p/${page}`, { markdown: parts.join("\n\n") })
  })

test("the nearest passages have the cosines of their vectors, four of a page", async () => {
  const engine = await open()
  await engine.index(manyPages(12))
  await engine.settled()
  const [question] = await new HashingEmbedder().embed([`herons with ${rareWord(7)}`])
  const cosines = new Map<string, number>()
  for await (const { page, vectors } of engine.allPages()) {
    for (const [position, vector] of vectors!.entries()) {
      const cosine = vector.reduce((sum, value, i) => sum + value * question![i]!, 0)
      cosines.set(`${pageId(page.url)} ${position}`, cosine)
    }
  }
  const found = await (await asked()).nearest(question!, 1000, [])
  const byPage = Map.groupBy(found, ({ page }) => page)
  expect(byPage.size).toBe(12)
  for (const { page, position, cosine } of found) {
    expect(cosine).toBeCloseTo(cosines.get(`${page} ${position}`)!, 5)
  }
  for (const [page, told] of byPage) {
    const all = [...cosines].flatMap(([key, cosine]) => (key.startsWith(`${page} `) ? [cosine] : []))
    const best = all.toSorted((a, b) => b - a).slice(0, 4)
    expect(told).toHaveLength(best.length)
    for (const [i, { cosine }] of told.entries()) expect(cosine).toBeCloseTo(best[i]!, 5)
  }
})

test("pages are asked for in the shards that the cluster has them in", async () => {
  await open()
  const client = new Client({ nodes: [...urls] })
  const index = indexesOf(name).pages
  for (let i = 0; i < 20; i++) {
    const id = randomBytes(1 + i).toString("hex")
    const { body } = await client.searchShards({ index, routing: id })
    const { shards } = body as unknown as { shards: ReadonlyArray<ReadonlyArray<{ shard: number }>> }
    expect(shards[0]![0]!.shard).toBe(shardOf(id, 3))
  }
  await client.close()
  const groups = await new Shards(cluster, index).split(Array.from({ length: 30 }, (_, i) => `page ${i}`))
  expect(groups).toHaveLength(3)
})

test("pages are found in an index that was made anew with other shards", async () => {
  const engine = await open()
  const pages = manyPages(8)
  await engine.index(pages)
  const index = await asked()
  const ids = pages.map(({ url }) => pageId(url))
  const wrong = vi.spyOn(Shards.prototype, "split").mockImplementation(async function (this: Shards, ids) {
    return [{ routing: (await this.routings())[0]!, ids }]
  })
  expect((await index.heads(ids)).map(({ id }) => id)).toEqual(ids)
  expect(wrong).toHaveBeenCalled()
  expect(await (await asked()).heads(["gone", ids[0]!])).toHaveLength(1)
})

test("a fresh page without vectors stands where it belongs for a reader that has seen no change for long", async () => {
  const first = await open()
  await first.index([
    aPage("old", { markdown: "Hedgehog winter." }),
    aPage("far", { markdown: "Nothing of the kind." }),
  ])
  await first.settled()
  await first[Symbol.asyncDispose]()
  const reader = await open({ mode: "read" })
  const question = { text: "hedgehog winter nest", limit: 3 }
  let now = performance.now()
  vi.spyOn(performance, "now").mockImplementation(() => now)
  for (const waited of [0, 600, 1100, 2100, 4100, 5100]) {
    now += waited
    expect((await reader.search(question)).hits[0]!.url).toBe(urlOf("old"))
  }
  const second = await open({ embedding: "off" })
  const nest = "A winter nest for a hedgehog: the nest a hedgehog sleeps in all winter."
  await second.index([aPage("new", { markdown: nest })])
  now += 1000
  const { hits } = await reader.search(question)
  expect(hits[0]!.url).toBe(urlOf("new"))
})
