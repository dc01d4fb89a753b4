import { expect, test } from "vitest"
import { type Request, startServer } from "../../meilisearch/testing/scripted-server.ts"
import { Cluster } from "./cluster.ts"
import { murmur3, shardOf, Shards } from "./shards.ts"

/** An index whose cluster routes by the given rule. */
async function routedBy(shards: number, rule: (routing: string) => number) {
  const server = await startServer(({ path }: Request) => {
    const routing = new URL(path, "http://cluster").searchParams.get("routing")
    const led = routing === null ? Array.from({ length: shards }, (_, i) => i) : [rule(routing)]
    return { status: 200, body: { shards: led.map((shard) => [{ shard }]) } }
  })
  const tls = { ca: null, cert: null, key: null }
  const cluster = new Cluster({ urls: [server.url], login: null, tls, patienceMs: 5000 })
  return {
    shards: new Shards(cluster, "pages"),
    async [Symbol.asyncDispose]() {
      await cluster[Symbol.asyncDispose]()
      await server[Symbol.asyncDispose]()
    },
  }
}

const IDS = Array.from({ length: 50 }, (_, i) => `page ${i}`)

test("a text has the same hash as in OpenSearch", () => {
  const hashOf = (text: string) => murmur3(Buffer.from(text, "utf16le")) >>> 0
  expect(hashOf("hell")).toBe(0x5a0cb7c3)
  expect(hashOf("hello")).toBe(0xd7c31989)
  expect(hashOf("hello w")).toBe(0x22ab2984)
  expect(hashOf("The quick brown fox jumps over the lazy dog")).toBe(0xe07db09c)
})

test("pages are requested shard by shard, each with a value that routes there", async () => {
  await using routed = await routedBy(3, (routing) => shardOf(routing, 3))
  const groups = await routed.shards.split(IDS)
  expect(groups).toHaveLength(3)
  expect(groups.flatMap(({ ids }) => ids).toSorted()).toEqual(IDS.toSorted())
  for (const { routing, ids } of groups) {
    expect(new Set(ids.map((id) => shardOf(id, 3)))).toEqual(new Set([shardOf(routing!, 3)]))
  }
})

test("all shards are asked when the cluster routes differently", async () => {
  await using routed = await routedBy(3, (routing) => Number(routing) % 3)
  expect(await routed.shards.split(IDS)).toEqual([{ ids: IDS }])
  expect(await routed.shards.routings()).toHaveLength(3)
})
