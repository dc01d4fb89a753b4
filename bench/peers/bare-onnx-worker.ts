import { createRequire } from "node:module"
import { parentPort, workerData } from "node:worker_threads"

/** Token ids of texts, ready for the model. */
export type TokenIds = readonly BigInt64Array[]

interface Runtime {
  InferenceSession: { create(model: string, options: object): Promise<Session> }
  Tensor: new (type: "int64", data: BigInt64Array, dims: readonly number[]) => object
}

interface Session {
  run(feeds: Record<string, object>): Promise<Record<string, unknown>>
}

// The very onnxruntime that transformers.js uses; it is no dependency of ours.
const require = createRequire(import.meta.resolve("@xenova/transformers"))
const { InferenceSession, Tensor } = require("onnxruntime-node") as Runtime
const session = await InferenceSession.create(workerData as string, {
  intraOpNumThreads: 1,
  interOpNumThreads: 1,
})

/** Runs the model over each text by itself: no tokenising, no pooling, nothing sent back. */
async function run(texts: TokenIds): Promise<void> {
  for (const ids of texts) {
    const dims = [1, ids.length]
    await session.run({
      input_ids: new Tensor("int64", ids, dims),
      attention_mask: new Tensor("int64", new BigInt64Array(ids.length).fill(1n), dims),
      token_type_ids: new Tensor("int64", new BigInt64Array(ids.length), dims),
    })
  }
}

parentPort?.on("message", (texts: TokenIds) => {
  void run(texts).then(() => parentPort?.postMessage("done"))
})
parentPort?.postMessage("ready")
