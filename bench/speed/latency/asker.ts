// Answers questions in one process: `node asker.ts <root> <data folder> <passages>`. `root` is the checkout whose code
// searches the index, and builds it if it does not exist. Receives messages with questions, and answers with times in
// milliseconds.
import { join } from "node:path"
import type { SearchDepth } from "#engine"
import type * as OpenEngine from "#engine/open-engine.ts"
import type * as EngineSettings from "#engine/settings.ts"
import type * as Models from "#engine/models/embedders/transformers-embedder.ts"
import type * as SearchIndex from "../../corpora/search-index.ts"
import { readSettings } from "#base/settings.ts"

/** The questions of one turn. */
export interface Turn {
  readonly depth: SearchDepth
  readonly texts: readonly string[]
}

/** The cost of a turn: milliseconds for each question, and the processor time for all questions, including all threads. */
export interface Took {
  readonly each: readonly number[]
  readonly cpuMs: number
}

const REAL_VECTORS = 3000
/** The engine options of a /search that does not request whole pages. */
const AS_THE_API = { limit: 5, passagesPerPage: 3, withMarkdown: false }

const [root, dataDir, passages] = process.argv.slice(2) as [string, string, string]
const from = async <T>(path: string) => (await import(join(root, path))) as T
const { openEngine } = await from<typeof OpenEngine>("engine/open-engine.ts")
const { engineSettings } = await from<typeof EngineSettings>("engine/settings.ts")
const { shippedModel, TransformersEmbedder } = await from<typeof Models>(
  "engine/models/embedders/transformers-embedder.ts",
)
const { ensureIndex } = await from<typeof SearchIndex>("bench/corpora/search-index.ts")

const embedder = await TransformersEmbedder.open({ model: shippedModel, threads: 1 })
const built = await ensureIndex(dataDir, embedder, Number(passages), REAL_VECTORS)
const settings = { ...readSettings(engineSettings, {}), dataDir }
const engine = await openEngine(settings, { mode: "read", embedder })

process.on("message", ({ depth, texts }: Turn) => {
  void answer(depth, texts).then((took) => process.send?.(took))
})
process.once("disconnect", () => {
  void engine[Symbol.asyncDispose]().then(() => embedder[Symbol.asyncDispose]())
})
process.send?.(built)

async function answer(depth: SearchDepth, texts: readonly string[]): Promise<Took> {
  const before = process.cpuUsage()
  const each: number[] = []
  for (const text of texts) {
    const began = performance.now()
    await engine.search({ ...AS_THE_API, text, depth })
    each.push(performance.now() - began)
  }
  const { user, system } = process.cpuUsage(before)
  return { each, cpuMs: (user + system) / 1000 }
}
