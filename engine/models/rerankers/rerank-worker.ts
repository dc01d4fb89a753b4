import { parentPort, workerData } from "node:worker_threads"
import { AutoTokenizer, env } from "@xenova/transformers"
import { onnxRuntime } from "../embedders/onnx-runtime.ts"
import type { FromReranker, RerankSetup, ToReranker } from "./rerank-protocol.ts"

/** Upper bound for the average number of characters per token: text beyond `maxTokens` times this length is certainly beyond the model's limit. */
const CHARS_PER_TOKEN = 32

const { folder, weights, maxTokens } = workerData as RerankSetup
const port = parentPort!
const send = (message: FromReranker) => port.postMessage(message)

// transformers.js prints warnings; errors that matter are sent as messages.
console.warn = () => undefined
env.allowRemoteModels = false
env.localModelPath = ""

try {
  const tokenizer = await AutoTokenizer.from_pretrained(folder)
  // One inference thread, as for embeddings, and no arena.
  const session = await onnxRuntime().InferenceSession.create(weights, {
    intraOpNumThreads: 1,
    interOpNumThreads: 1,
    enableCpuMemArena: false,
  })
  let work = Promise.resolve()
  port.on("message", (message: ToReranker) => {
    work = work.then(() => answer(message))
  })

  async function answer(message: ToReranker): Promise<void> {
    try {
      send({ kind: "logit", logit: await run(message) })
    } catch (error) {
      send({ kind: "failed", message: String(error) })
    }
  }

  /** How well the text answers the question, on no particular scale. */
  async function run({ question, text }: ToReranker): Promise<number> {
    const chars = maxTokens * CHARS_PER_TOKEN
    const tokens = tokenizer(question.slice(0, chars), {
      text_pair: text.slice(0, chars),
      truncation: true,
      max_length: maxTokens,
    }) as Record<string, unknown>
    const output = await session.run(
      Object.fromEntries(session.inputNames.map((name) => [name, tokens[name]])),
    )
    // A unit reader has a second output, `spans`, which isn't used here.
    const values = (output["logits"] ?? output["answers"] ?? Object.values(output)[0])?.data
    if (values?.length !== 1) throw new Error("The model must return exactly one number for a question and a text, but it did not.")
    return values[0]!
  }
} catch (error) {
  send({ kind: "unusable", message: error instanceof Error ? error.message : String(error) })
  // Listening keeps the thread from ending, which would kill the process too: see embedders/model-threads.ts.
  port.on("message", () => undefined)
}
