// Shows what `max_results: "auto"` returns for judged questions: npm run bench -- auto-results <folder of collections>
//
// Compares this with fixed numbers of results, for the questions of a collection and for those of the other
// collections, which nothing in it answers. Vectors are kept between runs.
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"

import { EmbeddedEngine } from "#engine/adapters/embedded/embedded-engine.ts"
import type { Embedder } from "#engine"
import { TransformersEmbedder, shippedModel } from "#engine/models/embedders/transformers-embedder.ts"
import { aPage } from "#engine/testing/pages.ts"

import { autoResults } from "../../api/core/ask/auto-results.ts"
import { CachedEmbedder } from "../corpora/cached-embedder.ts"
import { type Collection, readCollections } from "../corpora/collection.ts"
import { mean } from "./metrics.ts"

/** The appliance considers this many results by default. */
const MOST = 20
const FOREIGN_PER_COLLECTION = 60

interface Asked {
  readonly scores: readonly number[]
  readonly relevant: readonly boolean[]
  /** Number of relevant documents in the collection. */
  readonly known: number
}

const [folder] = process.argv.slice(2)
if (!folder) {
  console.error("Usage: npm run bench -- auto-results <folder of collections>")
  process.exit(2)
}
const rules: Readonly<Record<string, (scores: readonly number[]) => number>> = {
  auto: autoResults,
  ...Object.fromEntries(
    [1, 3, 5, 10].map((n) => [`always ${n}`, (s: readonly number[]) => Math.min(n, s.length)]),
  ),
}
const collections = readCollections(folder)
const embedder = new CachedEmbedder(await TransformersEmbedder.open({ model: shippedModel, threads: 2 }))
const asked = []
for (const collection of collections) asked.push(await ask(collection, embedder))
await embedder[Symbol.asyncDispose]()

for (const [name, rule] of Object.entries(rules)) {
  const rows = asked.map(({ own, foreign }) => {
    const judged = own.map((one) => judge(one, rule(one.scores)))
    return {
      precision: mean(judged.map((one) => one.precision)),
      recall: mean(judged.map((one) => one.recall)),
      f2: mean(judged.map((one) => one.f2)),
      results: mean(own.map((one) => rule(one.scores))),
      foreign: mean(foreign.map((scores) => rule(scores))),
    }
  })
  const column = (key: keyof (typeof rows)[number]) => mean(rows.map((row) => row[key])).toFixed(3)
  console.log(
    `${name.padEnd(9)} precision ${column("precision")}  recall ${column("recall")}  F2 ${column("f2")}  ` +
      `results ${column("results")}  when nothing answers ${column("foreign")}`,
  )
}

function judge({ relevant, known }: Asked, count: number) {
  const hits = relevant.slice(0, count).filter(Boolean).length
  const precision = count === 0 ? 0 : hits / count
  const recall = hits / Math.min(known, MOST)
  const f2 = hits === 0 ? 0 : (5 * precision * recall) / (4 * precision + recall)
  return { precision, recall, f2 }
}

async function ask(
  collection: Collection,
  embedder: Embedder,
): Promise<{ own: Asked[]; foreign: number[][] }> {
  const dir = await mkdtemp(path.join(tmpdir(), "fossick-auto-results-"))
  try {
    await using engine = await EmbeddedEngine.open({ dir, embedder, mode: "write" })
    const { documents, queries } = collection
    const ids = new Map(documents.map(({ id }, i) => [`https://bench.test/${i}`, id]))
    await engine.index(
      documents.map(({ title, text }, i) => aPage(`https://bench.test/${i}`, { title, markdown: text })),
    )
    await engine.settled()
    const search = async (text: string) =>
      (await engine.search({ text, limit: MOST, passagesPerPage: 1 })).hits
    const own: Asked[] = []
    for (const { text, relevant } of queries) {
      const hits = await search(text)
      own.push({
        scores: hits.map((hit) => hit.score),
        relevant: hits.map((hit) => relevant.has(ids.get(hit.url)!)),
        known: relevant.size,
      })
    }
    const foreign: number[][] = []
    for (const other of collections.filter((one) => one !== collection)) {
      for (const { text } of other.queries.slice(0, FOREIGN_PER_COLLECTION)) {
        foreign.push((await search(text)).map((hit) => hit.score))
      }
    }
    return { own, foreign }
  } finally {
    await rm(dir, { recursive: true })
  }
}
