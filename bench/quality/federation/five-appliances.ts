// How much quality is lost when five appliances are asked instead of one that holds all pages:
// npm run bench -- federation <folder of collections> [name ...]
//
// `federation` is how appliances work: words are weighted by the statistics of all appliances, and one ranking is made
// from the evidence of all pages. `evidence` leaves out the common statistics, `score` merges the scores as each index
// returns them. All five are in this process; api/services/federation/federation.test.ts has them on sockets. Vectors
// are kept between runs: run only one of these benches at a time.
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import type { Embedder, Engine, Hit, SearchDepth } from "#engine"
import { EmbeddedEngine } from "#engine/adapters/embedded/embedded-engine.ts"
import { TransformersEmbedder, shippedModel } from "#engine/models/embedders/transformers-embedder.ts"
import { merged } from "#engine/search/federation/merge.ts"
import { statisticsOf, sumOf } from "#engine/search/ranking/word-statistics.ts"
import { fnv1a } from "#base/text/hash.ts"
import { CachedEmbedder } from "../../corpora/cached-embedder.ts"
import { toPage, urlOfDocument } from "../../corpora/collection-page.ts"
import { type Collection, readCollections } from "../../corpora/collection.ts"
import { mean, ndcg } from "../metrics.ts"

const SHARDS = 5
const LIMIT = 10
const DEPTHS = ["fast", "basic", "advanced"] as const

const [folder, ...names] = process.argv.slice(2)
if (!folder) {
  console.error("Usage: npm run bench -- federation <folder of collections> [name ...]")
  process.exit(2)
}

/** The folder of a document, or the file or text that it is a piece of. */
const pageOf = (id: string): string => id.split("#")[0]!.replace(/[-:_]\d+$/, "")
const folderOf = (id: string): string => {
  const page = pageOf(id)
  return page.includes("/") ? page.slice(0, page.lastIndexOf("/")) : page
}

/** Puts each of the four largest topics on its own appliance, and all others on the fifth. Topics are folders, or pages if there are too few folders. */
function byTopic(documents: Collection["documents"]): (position: number) => number {
  const folders = new Set(documents.map(({ id }) => folderOf(id)))
  const topicOf = folders.size < SHARDS ? pageOf : folderOf
  const largest = [...Map.groupBy(documents, ({ id }) => topicOf(id))]
    .sort((a, b) => b[1].length - a[1].length)
    .slice(0, SHARDS - 1)
    .map(([topic]) => topic)
  return (position) => {
    const at = largest.indexOf(topicOf(documents[position]!.id))
    return at === -1 ? SHARDS - 1 : at
  }
}

const byHash = (): ((position: number) => number) => (position) =>
  (fnv1a(urlOfDocument(position)) >>> 0) % SHARDS

type Ask = (text: string, depth: SearchDepth) => Promise<readonly Hit[]>

const WAYS: Record<string, (shards: readonly Engine[]) => Ask> = {
  score: (shards) => async (text, depth) => {
    const all = await Promise.all(shards.map((one) => one.search({ text, depth, limit: LIMIT })))
    return all.flatMap(({ hits }) => hits).sort((a, b) => b.score - a.score)
  },
  evidence: (shards) => async (text, depth) =>
    await merged(
      { text, depth, limit: LIMIT },
      await Promise.all(shards.map((one) => one.search({ text, depth, limit: LIMIT, withEvidence: true }))),
    ),
  federation: (shards) => async (text, depth) => {
    const told = await Promise.all(
      shards.map(async (one) =>
        statisticsOf(
          (await one.stats()).pages,
          (await one.search({ text, depth, limit: 0, rarityOnly: true })).rarity ?? new Map(),
        ),
      ),
    )
    const statistics = sumOf(told)
    return await merged(
      { text, depth, limit: LIMIT },
      await Promise.all(
        shards.map((one) => one.search({ text, depth, limit: LIMIT, withEvidence: true, statistics })),
      ),
    )
  },
}

async function withShards(
  { documents }: Collection,
  shardOf: (position: number) => number,
  count: number,
  embedder: Embedder,
  use: (shards: readonly Engine[], sizes: readonly number[]) => Promise<void>,
) {
  const dir = await mkdtemp(path.join(tmpdir(), "fossick-federation-"))
  const shards: EmbeddedEngine[] = []
  try {
    const sizes: number[] = []
    for (let shard = 0; shard < count; shard++) {
      const engine = await EmbeddedEngine.open({
        dir: path.join(dir, String(shard)),
        embedder,
        mode: "write",
      })
      shards.push(engine)
      const pages = documents.flatMap((document, i) => (shardOf(i) === shard ? [toPage(i, document)] : []))
      await engine.index(pages)
      await engine.settled()
      sizes.push(pages.length)
    }
    await use(shards, sizes)
  } finally {
    for (const one of shards) await one[Symbol.asyncDispose]()
    await rm(dir, { recursive: true })
  }
}

async function nDCG({ documents, queries }: Collection, ask: Ask, depth: SearchDepth): Promise<string> {
  const ids = new Map<string, string>(documents.map(({ id }, i) => [urlOfDocument(i), id]))
  const values: number[] = []
  for (const { text, relevant } of queries) {
    const hits = await ask(text, depth)
    const gains = hits.slice(0, LIMIT).map(({ url }) => relevant.get(ids.get(url)!) ?? 0)
    values.push(ndcg({ gains, ideal: [...relevant.values()] }, LIMIT))
  }
  return mean(values).toFixed(4)
}

const embedder = new CachedEmbedder(await TransformersEmbedder.open({ model: shippedModel, threads: 1 }))
for (const collection of readCollections(folder)) {
  if (names.length > 0 && !names.includes(collection.name)) continue
  console.log(
    `\n${collection.name}: ${collection.documents.length} documents, ${collection.queries.length} questions`,
  )
  await withShards(
    collection,
    () => 0,
    1,
    embedder,
    async ([one]) => {
      for (const depth of DEPTHS) {
        const ask: Ask = async (text) => (await one!.search({ text, depth, limit: LIMIT })).hits
        console.log(`  one index ${depth.padEnd(9)} ${await nDCG(collection, ask, depth)}`)
      }
    },
  )
  for (const [split, shardOf] of [
    ["hash", byHash()],
    ["topic", byTopic(collection.documents)],
  ] as const) {
    await withShards(collection, shardOf, SHARDS, embedder, async (shards, sizes) => {
      console.log(`  five by ${split}: ${sizes.join(" ")}`)
      for (const [way, of] of Object.entries(WAYS))
        for (const depth of DEPTHS)
          console.log(`    ${way.padEnd(11)} ${depth.padEnd(9)} ${await nDCG(collection, of(shards), depth)}`)
    })
  }
}
await embedder[Symbol.asyncDispose]()
