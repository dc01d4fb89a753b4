// How well the ranking answers judged questions: node bench/relevance.ts <folder of collections> [exact|engine]
//
// `exact` ranks with BM25 and vectors held in memory: the best that analysis, passages, model and fusion can do.
// `engine` asks the embedded engine itself, so it shows what its approximate arms lose. Both by default.
// A collection is a folder with corpus.jsonl, queries.jsonl and qrels.tsv. Vectors are kept between runs.
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import type { Embedder, Page, PageUrl, Query } from "#engine"
import { EmbeddedEngine } from "#engine/adapters/embedded/embedded-engine.ts"
import { TransformersEmbedder, shippedModel } from "#engine/embedders/transformers-embedder.ts"
import { fuse } from "#engine/fusion.ts"
import { embeddingText, toPassages } from "#engine/passages.ts"
import { CachedEmbedder } from "./cached-embedder.ts"
import { type Collection, readCollections } from "./collection.ts"
import { ExactBm25, nearestPassages } from "./exact-ranking.ts"
import { type Answer, areaUnderCurve, mean, ndcg, recall, reciprocalRank } from "./metrics.ts"

type Arms = NonNullable<Query["arms"]>
type Scored = { id: string; score: number }
/** The first hundred documents for a question, best first. */
type Search = (question: string, arms: Arms) => Promise<Scored[]>

const DEPTH = 100
/** What nobody would ask these collections. */
const UNRELATED = [
  "best pizza in Naples",
  "how to knit a scarf",
  "Champions League final 1999 goals",
  "flights from Paris to Tokyo in May",
  "banana bread recipe without eggs",
  "who painted the Mona Lisa",
  "cheap hotels near Lake Garda",
  "how deep is the Mariana Trench",
  "used car prices Toyota Corolla 2015",
  "tango lessons for beginners",
  "how to remove red wine stains",
  "guitar chords for Wonderwall",
  "garden soil for tomatoes",
  "why do cats purr",
]

const [folder, which] = process.argv.slice(2)
if (!folder || (which !== undefined && which !== "exact" && which !== "engine")) {
  console.error("Usage: node bench/relevance.ts <folder of collections> [exact|engine]")
  process.exit(2)
}
const embedder = new CachedEmbedder(await TransformersEmbedder.open({ model: shippedModel, threads: 2 }))
for (const collection of readCollections(folder)) {
  const { name, documents, queries } = collection
  console.log(`\n${name}: ${documents.length} documents, ${queries.length} questions`)
  if (which !== "engine") await report("exact", collection, await exactSearch(collection, embedder))
  if (which !== "exact")
    await withEngine(collection, embedder, (search) => report("engine", collection, search))
}
await embedder[Symbol.asyncDispose]()

async function report(label: string, collection: Collection, search: Search): Promise<void> {
  const topTen: { score: number; relevant: boolean }[] = []
  for (const arms of ["lexical", "vector", "hybrid"] as const) {
    const answers: Answer[] = []
    for (const query of collection.queries) {
      const ranked = await search(query.text, arms)
      const gains = ranked.map(({ id }) => query.relevant.get(id) ?? 0)
      answers.push({ gains, ideal: [...query.relevant.values()] })
      if (arms !== "hybrid") continue
      for (const [i, { score }] of ranked.slice(0, 10).entries())
        topTen.push({ score, relevant: gains[i]! > 0 })
    }
    const [gain, found, early] = [
      mean(answers.map((one) => ndcg(one, 10))),
      mean(answers.map((one) => recall(one, DEPTH))),
      mean(answers.map(reciprocalRank)),
    ].map((value) => value.toFixed(4))
    console.log(`  ${label} ${arms.padEnd(8)} nDCG@10 ${gain}  recall@${DEPTH} ${found}  MRR ${early}`)
  }
  console.log(
    `  ${label} score    AUC ${areaUnderCurve(topTen).toFixed(3)}; share relevant by score: ${bands(topTen)}`,
  )
  const unrelated = await Promise.all(
    UNRELATED.map(async (question) => ({
      question,
      score: (await search(question, "hybrid"))[0]?.score ?? 0,
    })),
  )
  const [worst] = unrelated.sort((a, b) => b.score - a.score)
  const scores = unrelated.map((one) => one.score.toFixed(2)).join(" ")
  console.log(`  ${label} unrelated questions, top scores: ${scores} (highest: ${worst!.question})`)
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

async function exactSearch({ documents }: Collection, embedder: Embedder): Promise<Search> {
  const lexical = new ExactBm25()
  const vectors: Float32Array[][] = []
  for (const { title, text } of documents) {
    lexical.add(`${title}\n${text}`)
    vectors.push(await embedder.embed(toPassages(text).map((passage) => embeddingText(title, passage))))
  }
  return async (question, arms) => {
    const [vector] = await embedder.embed([question], { priority: "query" })
    const { scores, bound } = lexical.search(question)
    const cosines = arms === "lexical" ? null : nearestPassages(vector!, vectors)
    const candidates = documents.map((_, i) => ({
      // Of equal documents the one that comes first in the collection wins.
      id: String(i).padStart(8, "0"),
      lexical: arms === "vector" ? 0 : scores[i]!,
      cosine: cosines?.[i],
    }))
    return fuse(candidates, { lexicalBound: arms === "vector" ? 0 : bound })
      .slice(0, DEPTH)
      .map(({ id, score }) => ({ id: documents[Number(id)]!.id, score }))
  }
}

async function withEngine(
  { documents }: Collection,
  embedder: Embedder,
  use: (search: Search) => Promise<void>,
): Promise<void> {
  const dir = await mkdtemp(path.join(tmpdir(), "fossick-relevance-"))
  try {
    await using engine = await EmbeddedEngine.open({ dir, embedder, mode: "write" })
    const ids = new Map(documents.map(({ id }, i) => [`https://bench.test/${i}`, id]))
    await engine.index(documents.map(({ title, text }, i) => toPage(`https://bench.test/${i}`, title, text)))
    await engine.settled()
    await use(async (text, arms) => {
      const { hits } = await engine.search({ text, limit: DEPTH, arms, passagesPerPage: 1 })
      return hits.map(({ url, score }) => ({ id: ids.get(url)!, score }))
    })
  } finally {
    await rm(dir, { recursive: true })
  }
}

function toPage(url: string, title: string, markdown: string): Page {
  return {
    url: url as PageUrl,
    title,
    markdown,
    description: null,
    language: "en",
    author: null,
    publishedAt: null,
    topic: null,
    country: null,
    unsafe: false,
    images: [],
    favicon: null,
    source: "bench",
    fetchedAt: new Date(0),
  }
}
