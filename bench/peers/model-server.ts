import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { parseArgs } from "node:util"
import { readSettings } from "#base/settings.ts"
import type { Embedder, Engine } from "#engine"
import { cosineOf } from "#engine/embedder.ts"
import { RemoteEmbedder } from "#engine/models/embedders/remote/remote-embedder.ts"
import { shippedModel, TransformersEmbedder } from "#engine/models/embedders/transformers-embedder.ts"
import { openEngine, openSearchEngine } from "#engine/open-engine.ts"
import { CrossEncoder } from "#engine/models/rerankers/cross-encoder.ts"
import { openReranker } from "#engine/models/rerankers/open-reranker.ts"
import { engineSettings } from "#engine/settings.ts"
import { embeddingText, toPassages } from "#engine/text/passages.ts"
import { type Collection, readCollections } from "../corpora/collection.ts"
import { toPage, urlOfDocument } from "../corpora/collection-page.ts"
import { median, percentile } from "../measure.ts"
import { mean, ndcg } from "../quality/metrics.ts"

// Compares a third-party model server running the shipped model with that model in this process: whether the two are
// compatible, whether they find the same pages, and what a question costs. bench/README.md says how to start one.

const { values: options } = parseArgs({
  options: {
    embeddings: { type: "string" },
    model: { type: "string", default: "all-MiniLM-L6-v2" },
    api: { type: "string", default: "auto" },
    reranker: { type: "string", default: "" },
    "reranker-model": { type: "string", default: "" },
    "cross-encoder": { type: "string", default: "" },
    collections: { type: "string", default: path.join(import.meta.dirname, "..", "testing", "collections") },
  },
})
if (!options.embeddings) {
  console.error(
    "Usage: npm run bench -- model-server --embeddings <base address> [--model NAME] [--api auto|openai|tei] [--reranker <base address> --reranker-model NAME [--cross-encoder <its folder>]] [--collections <folder>]",
  )
  process.exit(2)
}

const ms = (value: number) => `${value.toFixed(1)} ms`
const settingsOf = (dataDir: string, env: Record<string, string> = {}) =>
  readSettings(engineSettings, { FOSSICK_DATA_DIR: dataDir, ...env })
const remote = {
  FOSSICK_EMBEDDINGS_URL: options.embeddings,
  FOSSICK_EMBEDDINGS_MODEL: options.model,
  FOSSICK_EMBEDDINGS_API: options.api,
  FOSSICK_EMBEDDINGS_TIMEOUT_MS: "20000",
}
const reranking = {
  FOSSICK_RERANKER_URL: options.reranker,
  FOSSICK_RERANKER_MODEL: options["reranker-model"],
  FOSSICK_RERANKER_TIMEOUT_MS: "20000",
}

async function compareVectors(texts: readonly string[], here: Embedder, there: Embedder): Promise<void> {
  const [own, theirs] = [await here.embed(texts), await there.embed(texts)]
  const cosines = own.map((vector, i) => cosineOf(vector, theirs[i]!))
  console.log(
    `vectors of ${texts.length} passages: ${there.dimensions} dimensions, cosine to ours ${Math.min(...cosines).toFixed(4)} at least, ${median(cosines).toFixed(4)} at the median`,
  )
}

async function compareSearches(
  { name, documents, queries }: Collection,
  engines: ReadonlyMap<string, { engine: Engine; depth: "basic" | "advanced" }>,
): Promise<void> {
  const ids = new Map<string, string>(documents.map(({ id }, i) => [urlOfDocument(i), id]))
  const firsts = new Map<string, (string | undefined)[]>()
  for (const [label, { engine, depth }] of engines) {
    const times: number[] = []
    const gained: number[] = []
    const first: (string | undefined)[] = []
    for (const { text, relevant } of queries) {
      const began = performance.now()
      const { hits, wordsAlone, notReranked } = await engine.search({
        text,
        limit: 10,
        passagesPerPage: 1,
        depth,
      })
      times.push(performance.now() - began)
      if (wordsAlone ?? notReranked) throw new Error(wordsAlone ?? notReranked)
      const gains = hits.map(({ url }) => relevant.get(ids.get(url)!) ?? 0)
      gained.push(ndcg({ gains, ideal: [...relevant.values()] }, 10))
      first.push(hits[0]?.url)
    }
    firsts.set(label, first)
    const [[, ours]] = firsts as unknown as [[string, readonly string[]]]
    const same = first.filter((url, i) => url === ours[i]).length
    console.log(
      `  ${label.padEnd(34)} nDCG@10 ${mean(gained).toFixed(4)}, same first result as ours ${same} of ${queries.length}, a question ${ms(median(times))} at the median, ${ms(percentile(times, 0.99))} at the 99th percentile`,
    )
  }
  console.log(`  (${name}: ${documents.length} documents)`)
}

async function compareRerankers(pairs: readonly (readonly [string, readonly string[]])[]): Promise<void> {
  await using theirs = (await openReranker(settingsOf("", reranking)))!
  const folder = options["cross-encoder"]
  await using ours = folder === "" ? null : await CrossEncoder.open(folder, { timeoutMs: 60_000 })
  for (const [label, reranker] of [
    ["their reranker", theirs],
    ["the same in this process", ours],
  ] as const) {
    if (!reranker) continue
    const times: number[] = []
    const apart: number[] = []
    for (const [question, texts] of pairs) {
      const began = performance.now()
      const scores = await reranker.scores(question, texts)
      times.push(performance.now() - began)
      if (!ours) continue
      const own = await ours.scores(question, texts)
      apart.push(Math.max(...scores.map((score, i) => Math.abs(score - own[i]!))))
    }
    const distance = ours ? `, at most ${percentile(apart, 0.9).toFixed(3)} from ours in nine of ten` : ""
    console.log(
      `${label}: ten passages ${ms(median(times))} at the median, ${ms(percentile(times, 0.99))} at the 99th percentile${distance}`,
    )
  }
}

const dir = await mkdtemp(path.join(tmpdir(), "fossick-model-server-"))
try {
  const here = await TransformersEmbedder.open({ model: shippedModel, threads: 2 })
  for (const collection of readCollections(options.collections)) {
    const { name, documents, queries } = collection
    const local = settingsOf(path.join(dir, name, "local"))
    const theirs = settingsOf(path.join(dir, name, "theirs"), remote)
    await using there = await RemoteEmbedder.open(theirs)
    const texts = documents.flatMap(({ title, text }) =>
      toPassages(text).map((one) => embeddingText(title, one)),
    )
    await compareVectors(texts.slice(0, 200), here, there)
    for (const [settings, embedder] of [
      [local, here],
      [theirs, there],
    ] as const) {
      await using engine = await openEngine(settings, { mode: "write", embedder })
      const began = performance.now()
      await engine.index(documents.map((document, i) => toPage(i, document)))
      await engine.settled()
      const { passages } = await engine.stats()
      console.log(
        `${embedder === here ? "ours" : "theirs"}: ${passages} passages in ${((performance.now() - began) / 1000).toFixed(1)} s`,
      )
    }
    await using one = await openSearchEngine(local, { embedder: here })
    await using other = await openSearchEngine(theirs, { embedder: there })
    await using both = await openSearchEngine(
      {
        ...theirs,
        ...readSettings(engineSettings, { ...remote, ...reranking, FOSSICK_DATA_DIR: theirs.dataDir }),
      },
      { embedder: there },
    )
    for (const engine of [one, other]) await engine.search({ text: "ready?", limit: 1 })
    await compareSearches(
      collection,
      new Map([
        ["ours, basic", { engine: one, depth: "basic" as const }],
        ["their vectors, basic", { engine: other, depth: "basic" as const }],
        ["ours, advanced", { engine: one, depth: "advanced" as const }],
        ["their vectors, advanced", { engine: other, depth: "advanced" as const }],
        ...(options.reranker === ""
          ? []
          : [
              ["their vectors and reranker, advanced", { engine: both, depth: "advanced" as const }] as const,
            ]),
      ]),
    )
    if (options.reranker === "") continue
    await compareRerankers(
      queries.slice(0, 20).map(({ text }, i) => [text, texts.slice(i * 10, i * 10 + 10)]),
    )
  }
  await here[Symbol.asyncDispose]()
} finally {
  await rm(dir, { recursive: true })
}
