import { createRequire } from "node:module"
import { parentPort, workerData } from "node:worker_threads"
import { AutoModel, AutoTokenizer, env } from "@xenova/transformers"
import type { FromWorker, ToWorker, WorkerSetup } from "./embed-protocol.ts"
import { pool } from "./pool.ts"

/** Nobody writes tokens longer than this on average; the rest of a text cannot be within the model's reach. */
const CHARS_PER_TOKEN = 32

const { folder, maxTokens, quantized, pooling } = workerData as WorkerSetup
const port = parentPort!
const send = (message: FromWorker, transfer: ArrayBuffer[] = []) => port.postMessage(message, transfer)

env.allowRemoteModels = false
env.localModelPath = ""
oneThreadEach()

try {
  const tokenizer = await AutoTokenizer.from_pretrained(folder)
  const model = await AutoModel.from_pretrained(folder, { quantized })
  port.on("message", (message: ToWorker) => {
    if (message.kind === "close") {
      void model.dispose().finally(() => port.close())
      return
    }
    embed(message.text).then(
      (vector) => send({ kind: "vector", vector }, [vector.buffer as ArrayBuffer]),
      (error: unknown) => send({ kind: "failed", message: String(error) }),
    )
  })
  send({ kind: "ready" })

  async function embed(text: string): Promise<Float32Array> {
    const inputs = tokenizer(text.slice(0, maxTokens * CHARS_PER_TOKEN), {
      truncation: true,
      max_length: maxTokens,
    })
    const output = (await model(inputs)) as {
      last_hidden_state?: Tensor
      logits?: Tensor
      token_embeddings?: Tensor
    }
    const states = output.last_hidden_state ?? output.token_embeddings ?? output.logits
    if (!states) throw new Error("The model gives no token states.")
    return pool(states.data, states.dims.at(-1)!, pooling)
  }
} catch (error) {
  send({ kind: "unusable", message: error instanceof Error ? error.message : String(error) })
  port.close()
}

interface Tensor {
  readonly data: Float32Array
  readonly dims: readonly number[]
}

/**
 * One inference thread per session, since there is a session per worker: threads that share a text of this
 * size wait for each other (66 ms of CPU a passage against 30), and without its arena a session holds 13 MB
 * instead of 50. transformers.js passes no session options on, hence the wrap around the runtime's factory.
 */
function oneThreadEach(): void {
  interface Runtime {
    InferenceSession: { create(model: Uint8Array, options?: object): Promise<unknown> }
  }
  const require = createRequire(import.meta.resolve("@xenova/transformers"))
  const { InferenceSession } = require("onnxruntime-node") as Runtime
  const create = InferenceSession.create.bind(InferenceSession)
  InferenceSession.create = (model, options) =>
    create(model, { ...options, intraOpNumThreads: 1, interOpNumThreads: 1, enableCpuMemArena: false })
}
