import { once } from "node:events"
import { availableParallelism } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { Worker } from "node:worker_threads"
import { AutoTokenizer, env } from "@xenova/transformers"
import { shippedModel, TransformersEmbedder } from "#engine/models/embedders/transformers-embedder.ts"
import { embeddingText, toPassages } from "#engine/text/passages.ts"
import { documentationPages } from "../corpora/documentation-pages.ts"
import { machine, median, short, table } from "../measure.ts"
import type { TokenIds } from "../peers/bare-onnx-worker.ts"

const MAX_TOKENS = 512

/** Seconds of wall clock and CPU that one run over all texts took. */
interface Run {
  readonly seconds: number
  readonly cpuSeconds: number
}

async function timed(work: () => Promise<unknown>): Promise<Run> {
  const cpu = process.cpuUsage()
  const began = performance.now()
  await work()
  const seconds = (performance.now() - began) / 1000
  const { user, system } = process.cpuUsage(cpu)
  return { seconds, cpuSeconds: (user + system) / 1e6 }
}

/** `count` passages as they are embedded, evenly spread over a share of the documentation site's pages. */
async function sampleTexts(count: number): Promise<string[]> {
  const texts: string[] = []
  for await (const page of documentationPages(20)) {
    for (const passage of toPassages(page.markdown)) texts.push(embeddingText(page.title, passage))
  }
  if (texts.length < count) throw new Error(`only ${texts.length} passages to take ${count} from`)
  return Array.from({ length: count }, (_, i) => texts[Math.floor((i * texts.length) / count)] ?? "")
}

async function tokenise(texts: readonly string[]): Promise<TokenIds> {
  env.allowRemoteModels = false
  env.localModelPath = ""
  const tokenizer = await AutoTokenizer.from_pretrained(shippedModel)
  return texts.map((text) => {
    const inputs = tokenizer(text, { truncation: true, max_length: MAX_TOKENS }) as {
      input_ids: { data: BigInt64Array }
    }
    return BigInt64Array.from(inputs.input_ids.data)
  })
}

/** Threads with a bare session each, which share the texts out evenly. */
async function startBare(threads: number) {
  const workers = await Promise.all(
    Array.from({ length: threads }, async () => {
      const worker = new Worker(new URL("../peers/bare-onnx-worker.ts", import.meta.url), {
        workerData: join(shippedModel, "onnx/model_quantized.onnx"),
      })
      await once(worker, "message")
      return worker
    }),
  )
  return {
    run: (ids: TokenIds) =>
      Promise.all(
        workers.map(async (worker, index) => {
          worker.postMessage(ids.filter((_, i) => i % threads === index))
          await once(worker, "message")
        }),
      ),
    end: () => Promise.all(workers.map((worker) => worker.terminate())),
  }
}

const { values } = parseArgs({
  options: {
    texts: { type: "string", default: "400" },
    rounds: { type: "string", default: "3" },
    threads: { type: "string", default: String(Math.max(1, availableParallelism() - 1)) },
  },
})
const threads = Number(values.threads)
const rounds = Number(values.rounds)
const texts = await sampleTexts(Number(values.texts))
const ids = await tokenise(texts)
const bare = await startBare(threads)
const own: Run[] = []
const peer: Run[] = []
{
  await using embedder = await TransformersEmbedder.open({ model: shippedModel, threads })
  // Loads the model in every thread before anything is timed.
  await Promise.all([embedder.embed(texts.slice(0, threads * 4)), bare.run(ids.slice(0, threads * 4))])
  for (let round = 0; round < rounds; round++) {
    own.push(await timed(() => embedder.embed(texts)))
    peer.push(await timed(() => bare.run(ids)))
  }
}
await bare.end()

const rate = (runs: readonly Run[]) => median(runs.map((run) => texts.length / run.seconds))
const cpu = (runs: readonly Run[]) => median(runs.map((run) => (run.cpuSeconds / texts.length) * 1000))
const tokens = ids.reduce((sum, one) => sum + one.length, 0) / ids.length
process.stdout.write(
  `${machine()}; ${texts.length} passages of ${short(tokens)} tokens on average, ${threads} thread(s), medians of ${rounds} rounds\n\n`,
)
process.stdout.write(
  table([
    ["", "texts/s", "CPU ms per text"],
    ["TransformersEmbedder (tokenise, infer, pool)", short(rate(own)), short(cpu(own))],
    ["bare onnxruntime-node (infer only)", short(rate(peer)), short(cpu(peer))],
  ]),
)
process.stdout.write(`\nTransformersEmbedder / bare: ${short(rate(own) / rate(peer))}\n`)
