// How well the ranking answers judged questions:
// npm run bench -- relevance <folder of collections> [bm25|exact|embedded|meilisearch|opensearch|hybrid ...] [--model
// <folder>] [--together]
//
// `bm25` ranks whole documents by plain BM25: the baseline for any ranking.
// `exact` ranks every document by its words and vectors, held in memory: the best that analysis, passages, model and
// fusion can do.
// `embedded`, `meilisearch` and `opensearch` query these engines at every depth, so they show what their approximate
// arms lose, and `hybrid` queries Meilisearch with its own ranking, given the same vectors. Meilisearch needs a server:
// MEILI_URL, and its key in MEILI_KEY. OpenSearch is a cluster of three nodes that is started for the bench, or the one
// at OPENSEARCH_URLS. The default is `bm25`, `exact`, `embedded`, and with MEILI_URL also Meilisearch. A collection is
// a folder with corpus.jsonl, queries.jsonl, qrels.tsv, and for a language other than English its code in language.txt.
// `--model`: a model folder other than the shipped one, which is English. `--together`: the engines index all
// collections as one, for example one in each language. Vectors are kept between runs.
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { parseArgs } from "node:util"
import { Meilisearch } from "meilisearch"
import { type Embedder, type Engine, openEngine, type PageWithVectors, type SearchDepth } from "#engine"
import { opensearchGenerations } from "#engine/adapters/opensearch/opensearch-generations.ts"
import { engineSettings } from "#engine/settings.ts"
import { TransformersEmbedder, shippedModel } from "#engine/models/embedders/transformers-embedder.ts"
import { fuse } from "#engine/search/ranking/fusion.ts"
import { embeddingText, toPassages } from "#engine/text/passages.ts"
import { startCluster } from "#engine/testing/opensearch/cluster/start-cluster.ts"
import { readSettings } from "#base/settings.ts"
import { CachedEmbedder } from "../corpora/cached-embedder.ts"
import { toPage, urlOfDocument } from "../corpora/collection-page.ts"
import { UNRELATED } from "../questions/question-sets.ts"
import { type Collection, readCollections, together } from "../corpora/collection.ts"
import { ExactWords, nearestPassages, PlainBm25 } from "./exact-ranking.ts"
import { median } from "../measure.ts"
import { deleteIndexes, OwnHybrid } from "../corpora/meilisearch.ts"
import { type Answer, areaUnderCurve, mean, ndcg, recall, reciprocalRank } from "./metrics.ts"

type Way = "lexical" | "vector" | SearchDepth | `ratio ${number}`
type Scored = { id: string; score: number }
/** The first hundred documents for a question, best first. */
type Search = (question: string, way: Way) => Promise<Scored[]>

/**
 * nDCG@10 that others measured on collections with these names, with vectors from the same model: Meilisearch 1.50's
 * hybrid at its best ratio (see `hybrid`), and BM25 and vectors combined, scores divided by their maximum, 0.4 to 0.6.
 */
const TO_BEAT: Readonly<Record<string, { meilisearch: number; combined: number }>> = {
  apidocs: { meilisearch: 0.728, combined: 0.801 },
  codebase: { meilisearch: 0.604, combined: 0.711 },
  passages: { meilisearch: 0.641, combined: 0.73 },
}
const DEPTHS = ["ultra-fast", "fast", "basic", "advanced"] as const
/** Number of questions whose CPU time is measured, with none of the model's earlier results cached. */
const TIMED = 25
const DEPTH = 100

const RANKERS = ["bm25", "exact", "embedded", "meilisearch", "opensearch", "hybrid"] as const
/** Shares of the vectors in Meilisearch's own hybrid. */
const RATIOS = [0.5, 0.7, 0.9] as const
/** The prefix of the indexes on the server. */
const ON_SERVER = "fossick-relevance"

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { model: { type: "string" }, together: { type: "boolean", default: false } },
})
const [folder, ...asked] = positionals
const server = process.env["MEILI_URL"]
const unknown = asked.some((name) => !RANKERS.some((ranker) => ranker === name))
if (!folder || unknown || (!server && asked.some((name) => name === "meilisearch" || name === "hybrid"))) {
  console.error(
    `Usage: npm run bench -- relevance <folder of collections> [${RANKERS.join("|")} ...] [--model <folder>] [--together]`,
  )
  console.error("meilisearch and hybrid need the address of a server in MEILI_URL.")
  process.exit(2)
}
const possible = server ? RANKERS.filter((name) => name !== "opensearch") : RANKERS.slice(0, 3)
const wanted = new Set(asked.length > 0 ? asked : possible)
const started = wanted.has("opensearch") && !process.env["OPENSEARCH_URLS"] ? await startCluster() : undefined
const cluster = started?.urls.join() ?? process.env["OPENSEARCH_URLS"]
const model = await TransformersEmbedder.open({ model: values.model ?? shippedModel, threads: 2 })
const embedder = new CachedEmbedder(model)
const means = new Map<string, number[]>()

async function report(
  label: string,
  collection: Collection,
  search: Search,
  ways: readonly Way[],
): Promise<void> {
  for (const way of ways) {
    const topTen: { score: number; relevant: boolean }[] = []
    const answers: Answer[] = []
    for (const query of collection.queries) {
      const ranked = await search(query.text, way)
      const gains = ranked.map(({ id }) => query.relevant.get(id) ?? 0)
      answers.push({ gains, ideal: [...query.relevant.values()] })
      for (const [i, { score }] of ranked.slice(0, 10).entries())
        topTen.push({ score, relevant: gains[i]! > 0 })
    }
    const gain = mean(answers.map((one) => ndcg(one, 10)))
    const figures = [gain, mean(answers.map((one) => recall(one, DEPTH))), mean(answers.map(reciprocalRank))]
    const [gained, found, early] = figures.map((value) => value.toFixed(4))
    const auc = areaUnderCurve(topTen).toFixed(3)
    console.log(
      `  ${label} ${way.padEnd(10)} nDCG@10 ${gained}  recall@${DEPTH} ${found}  MRR ${early}  AUC ${auc}`,
    )
    const key = `${label} ${way}`
    means.set(key, [...(means.get(key) ?? []), gain])
    if (way === "lexical" || way === "vector") continue
    console.log(`    share relevant by score: ${bands(topTen)}`)
    const scores = await Promise.all(UNRELATED.map(async (text) => (await search(text, way))[0]?.score ?? 0))
    const listed = scores.toSorted((a, b) => b - a).map((score) => score.toFixed(2))
    console.log(`    unrelated questions, top scores: ${listed.join(" ")}`)
  }
}

/** Median CPU milliseconds per question, over all threads of this process; a server's time is not included. */
async function cpuOf(search: Search, queries: Collection["queries"]): Promise<string> {
  const medians: string[] = []
  for (const depth of DEPTHS) {
    const times: number[] = []
    for (const { text } of queries.slice(0, TIMED)) {
      const before = process.cpuUsage()
      await search(text, depth)
      const { user, system } = process.cpuUsage(before)
      times.push((user + system) / 1000)
    }
    medians.push(`${depth} ${median(times).toFixed(0)}`)
  }
  return medians.join(", ")
}

function bands(scored: readonly { score: number; relevant: boolean }[]): string {
  return [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]
    .map((from) => {
      const inBand = scored.filter(({ score }) => score >= from && score < from + 0.1)
      const share = mean(inBand.map((one) => Number(one.relevant)))
      return inBand.length > 0 ? `${from}: ${share.toFixed(2)} of ${inBand.length}` : ""
    })
    .filter((band) => band !== "")
    .join(", ")
}

function bm25Search({ documents, language }: Collection): Search {
  const words = new PlainBm25(language)
  for (const { title, text } of documents) words.add(title, text)
  return (question) => {
    const scores = words.search(question)
    const ranked = documents
      .map(({ id }, i) => ({ id, score: scores[i]! }))
      .filter(({ score }) => score > 0)
      .toSorted((a, b) => b.score - a.score)
    return Promise.resolve(ranked.slice(0, DEPTH))
  }
}

async function exactSearch({ documents, language }: Collection, embedder: Embedder): Promise<Search> {
  const lexical = new ExactWords(language)
  const vectors: Float32Array[][] = []
  for (const [i, { title, text }] of documents.entries()) {
    lexical.add(title, urlOfDocument(i), text)
    vectors.push(await embedder.embed(toPassages(text).map((passage) => embeddingText(title, passage))))
  }
  return async (question, way) => {
    const [vector] = await embedder.embed([question], { priority: "query" })
    const shares = lexical.search(question)
    const cosines = way === "lexical" ? null : nearestPassages(vector!, vectors)
    const candidates = documents.map((_, i) => ({
      // If documents have the same score, the one that comes first in the collection wins.
      id: String(i).padStart(8, "0"),
      words: way === "vector" ? 0 : shares[i]!,
      cosine: cosines?.[i],
    }))
    return fuse(candidates, { hasWords: way !== "vector" })
      .slice(0, DEPTH)
      .map(({ id, score }) => ({ id: documents[Number(id)]!.id, score }))
  }
}

async function withEngine(
  name: "embedded" | "meilisearch" | "opensearch",
  { queries, documents, language }: Collection,
  use: (search: Search) => Promise<void>,
): Promise<void> {
  const dataDir = await mkdtemp(path.join(tmpdir(), "fossick-relevance-"))
  const ids = idsByUrl(documents)
  const env = {
    FOSSICK_DATA_DIR: dataDir,
    FOSSICK_ENGINE: name,
    FOSSICK_MEILI_INDEX: ON_SERVER,
    ...(server && { FOSSICK_MEILI_URL: server }),
    ...(process.env["MEILI_KEY"] && { FOSSICK_MEILI_KEY: process.env["MEILI_KEY"] }),
    FOSSICK_OPENSEARCH_INDEX: ON_SERVER,
    ...(cluster && { FOSSICK_OPENSEARCH_URLS: cluster }),
  }
  const settings = readSettings(engineSettings, env)
  const searchOf =
    (engine: Engine, limit: number): Search =>
    async (text, way) => {
      const how = way === "lexical" || way === "vector" ? { arms: way } : { depth: way as SearchDepth }
      const { hits } = await engine.search({ text, limit, passagesPerPage: 1, ...how })
      return hits.map(({ url, score }) => ({ id: ids.get(url)!, score }))
    }
  try {
    await clear(name)
    await using engine = await openEngine(settings, { mode: "write", embedder })
    await engine.index(documents.map((document, i) => toPage(i, document, document.language ?? language)))
    await engine.settled()
    await use(searchOf(engine, DEPTH))
    await using cold = await openEngine(settings, { mode: "read", embedder: model })
    console.log(`  median CPU ms of a question: ${await cpuOf(searchOf(cold, 5), queries)}`)
  } finally {
    await rm(dataDir, { recursive: true })
    await clear(name)
  }
}

/** Removes indexes that a run may have left behind on a server. */
async function clear(name: string): Promise<void> {
  if (name === "meilisearch") await deleteIndexes(serverClient(), ON_SERVER)
  if (name !== "opensearch") return
  const settings = readSettings(engineSettings, {
    FOSSICK_OPENSEARCH_INDEX: ON_SERVER,
    FOSSICK_OPENSEARCH_URLS: cluster,
  })
  await opensearchGenerations(settings).drop("index")
}

async function withHybrid(
  { documents, language }: Collection,
  use: (search: Search) => Promise<void>,
): Promise<void> {
  const ids = idsByUrl(documents)
  const own = await OwnHybrid.create(serverClient(), `${ON_SERVER}-hybrid`, embedder.dimensions)
  try {
    const pages: PageWithVectors[] = []
    for (const [i, document] of documents.entries()) {
      const page = toPage(i, document, language)
      const texts = toPassages(page.markdown).map((passage) => embeddingText(page.title, passage))
      pages.push({ page, vectors: await embedder.embed(texts) })
    }
    await own.load(pages)
    await use(async (text, way) => {
      const [vector] = await embedder.embed([text], { priority: "query" })
      const semanticRatio = Number(way.split(" ")[1])
      const hits = await own.search({ text, vector: [...vector!] }, { limit: DEPTH, semanticRatio })
      return hits.map(({ url, score }) => ({ id: ids.get(url)!, score }))
    })
  } finally {
    await deleteIndexes(serverClient(), ON_SERVER)
  }
}

const idsByUrl = (documents: Collection["documents"]) =>
  new Map<string, string>(documents.map(({ id }, i) => [urlOfDocument(i), id]))

function serverClient(): Meilisearch {
  const apiKey = process.env["MEILI_KEY"]
  return new Meilisearch({ host: server!, ...(apiKey ? { apiKey } : {}) })
}

const ENGINES = ["embedded", "meilisearch", "opensearch"] as const
const collections = readCollections(folder)
if (values.together) {
  const parts = together(collections)
  const documents = parts.flatMap((one) => one.documents)
  const queries = parts.flatMap((one) => one.queries)
  console.log(`\n${parts.map(({ name }) => name).join(", ")} in one index: ${documents.length} documents`)
  for (const engine of ENGINES.filter((name) => wanted.has(name)))
    await withEngine(engine, { name: "all", language: "en", documents, queries }, async (search) => {
      for (const part of parts) await report(`${engine} ${part.name}`, part, search, ["lexical", "basic"])
    })
}
for (const collection of values.together ? [] : collections) {
  const { name, language, documents, queries } = collection
  console.log(`\n${name} (${language}): ${documents.length} documents, ${queries.length} questions`)
  const others = TO_BEAT[name]
  if (others)
    console.log(`  to beat: Meilisearch hybrid ${others.meilisearch}, combined ${others.combined} nDCG@10`)
  if (wanted.has("bm25")) await report("bm25", collection, bm25Search(collection), ["lexical"])
  if (wanted.has("exact"))
    await report("exact", collection, await exactSearch(collection, embedder), ["lexical", "vector", "basic"])
  for (const engine of ENGINES)
    if (wanted.has(engine))
      await withEngine(engine, collection, (search) =>
        report(engine, collection, search, ["lexical", "vector", ...DEPTHS]),
      )
  if (wanted.has("hybrid"))
    await withHybrid(collection, (search) =>
      report(
        "hybrid",
        collection,
        search,
        RATIOS.map((ratio): Way => `ratio ${ratio}`),
      ),
    )
}
console.log("\nmean nDCG@10 of the collections")
for (const [label, values] of means) console.log(`  ${label.padEnd(18)} ${mean(values).toFixed(4)}`)
await embedder[Symbol.asyncDispose]()
await started?.[Symbol.asyncDispose]()
