import { parentPort, workerData } from "node:worker_threads"
import { AutoTokenizer, env } from "@xenova/transformers"
import type { FromWorker, ToWorker, WorkerSetup } from "./embed-protocol.ts"
import { type Session, onnxRuntime } from "./onnx-runtime.ts"
import { pool } from "./pool.ts"

/** Nobody writes tokens longer than this on average; the rest of a text cannot be within the model's reach. */
const CHARS_PER_TOKEN = 32

const { folder, weights, maxTokens, pooling } = workerData as WorkerSetup
const port = parentPort!
const send = (message: FromWorker, transfer: ArrayBuffer[] = []) => port.postMessage(message, transfer)

// transformers.js prints its warnings; what matters goes as a message.
console.warn = () => undefined
env.allowRemoteModels = false
env.localModelPath = ""

try {
  const tokenizer = await AutoTokenizer.from_pretrained(folder)
  const session = await openSession()
  let work = Promise.resolve()
  port.on("message", (message: ToWorker) => {
    work = work.then(() => answer(message))
  })

  async function answer(message: ToWorker): Promise<void> {
    if (message.kind !== "embed") {
      send({ kind: message.kind === "leave" ? "left" : "ready" })
      return
    }
    try {
      const vector = await embed(message.text)
      send({ kind: "vector", vector }, [vector.buffer as ArrayBuffer])
    } catch (error) {
      send({ kind: "failed", message: String(error) })
    }
  }

  async function embed(text: string): Promise<Float32Array> {
    const tokens = tokenizer(text.slice(0, maxTokens * CHARS_PER_TOKEN), {
      truncation: true,
      max_length: maxTokens,
    }) as Record<string, unknown>
    const inputs = Object.fromEntries(session.inputNames.map((name) => [name, tokens[name]]))
    const output = await session.run(inputs)
    const states = output["last_hidden_state"] ?? output["token_embeddings"] ?? output["logits"]
    if (!states) throw new Error("The model gives no token states.")
    return pool(states.data, states.dims.at(-1)!, pooling)
  }
} catch (error) {
  send({ kind: "unusable", message: error instanceof Error ? error.message : String(error) })
  // Listening keeps the thread from ending, which would take the process with it: see model-threads.ts.
  port.on("message", () => undefined)
}

/**
 * A session of the runtime that transformers.js brings, opened here because transformers.js passes no session
 * options on. One inference thread, since every worker has a session: threads that share a text of this size
 * wait for each other (66 ms of CPU a passage against 30). No arena: 13 MB a session instead of 50. By path:
 * no second copy of the weights in memory.
 */
async function openSession(): Promise<Session> {
  return onnxRuntime().InferenceSession.create(weights, {
    intraOpNumThreads: 1,
    interOpNumThreads: 1,
    enableCpuMemArena: false,
  })
}
