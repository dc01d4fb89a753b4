import { parentPort, workerData } from "node:worker_threads"
import { AutoTokenizer, env } from "@xenova/transformers"
import type { TokenVectors } from "../../embedder.ts"
import { yieldToOthers } from "#base/process/low-priority.ts"
import type { FromWorker, Purpose, ToWorker, WorkerSetup } from "./embed-protocol.ts"
import { type Session, onnxRuntime } from "./onnx-runtime.ts"
import { lookPiecesUp } from "./model/piece-search.ts"
import { tokenIdsOf } from "./model/token-ids.ts"
import { pool } from "./pool.ts"

const { model, purpose } = workerData as { model: WorkerSetup; purpose: Purpose }
const { folder, graph, maxTokens, pooling } = model
if (purpose === "background") yieldToOthers()
const port = parentPort!
const { Tensor } = onnxRuntime()
const send = (message: FromWorker, transfer: ArrayBuffer[] = []) => port.postMessage(message, transfer)

// transformers.js prints its warnings, so they are turned off; anything important is sent as a message.
console.warn = () => undefined
env.allowRemoteModels = false
env.localModelPath = ""

lookPiecesUp()

try {
  const tokenizer = await AutoTokenizer.from_pretrained(folder)
  const tokenIds = tokenIdsOf(tokenizer, maxTokens)
  const session = await openSession()
  let work = Promise.resolve()
  port.on("message", (message: ToWorker) => {
    work = work.then(() => answer(message))
  })

  async function answer(message: ToWorker): Promise<void> {
    if (message.kind === "leave" || message.kind === "ready?") {
      send({ kind: message.kind === "leave" ? "left" : "ready" })
      return
    }
    try {
      const { ids, states, width } = await run(message.prefix + message.text)
      if (message.kind === "embed") {
        const vector = pool(states, width, pooling)
        const tokens = message.withTokens ? tokenVectors(ids, states, width) : null
        send({ kind: "vector", vector, tokensRead: ids.length, ...(tokens && { tokens }) }, [
          vector.buffer as ArrayBuffer,
          ...(tokens ? [tokens.vectors.buffer as ArrayBuffer] : []),
        ])
      } else {
        const tokens = tokenVectors(ids, states, width)
        send({ kind: "tokens", tokens }, [tokens.vectors.buffer as ArrayBuffer])
      }
    } catch (error) {
      send({ kind: "failed", message: String(error) })
    }
  }

  async function run(text: string): Promise<{ ids: readonly number[]; states: Float32Array; width: number }> {
    const ids = tokenIds(text)
    const output = await session.run(inputsFor(session.inputNames, ids))
    const states = output["last_hidden_state"] ?? output["token_embeddings"] ?? output["logits"]
    if (!states) throw new Error("The model returns no token states.")
    return { ids, states: states.data, width: states.dims.at(-1)! }
  }

  function tokenVectors(ids: readonly number[], states: Float32Array, width: number): TokenVectors {
    const added = new Set(tokenizer.all_special_ids)
    const rows = [...ids.keys()].filter((row) => !added.has(ids[row]!))
    const vectors = new Float32Array(rows.length * width)
    for (const [i, row] of rows.entries()) {
      let squares = 0
      for (let at = row * width; at < (row + 1) * width; at++) squares += states[at]! * states[at]!
      const scale = squares > 0 ? 1 / Math.sqrt(squares) : 0
      for (let at = 0; at < width; at++) vectors[i * width + at] = states[row * width + at]! * scale
    }
    return {
      tokens: tokenizer.model.convert_ids_to_tokens(rows.map((row) => ids[row]!)),
      vectors,
    }
  }
} catch (error) {
  send({ kind: "unusable", message: error instanceof Error ? error.message : String(error) })
  // Listening keeps the thread from ending, which would kill the process too: see model-threads.ts.
  port.on("message", () => undefined)
}

/**
 * A session of the runtime that comes with transformers.js, opened here because transformers.js doesn't pass on session
 * options. It has one inference thread, since every worker has a session: threads that share a text of this size wait
 * for each other (66 ms of CPU per passage instead of 30). An arena and a memory pattern for each text length save a
 * tenth of the time at a cost of 15 MB. The model is opened by its path, so that there is no second copy of the weights
 * in memory.
 */
async function openSession(): Promise<Session> {
  return onnxRuntime().InferenceSession.create(graph, {
    intraOpNumThreads: 1,
    interOpNumThreads: 1,
    enableCpuMemArena: true,
    enableMemPattern: true,
  })
}

/** The model's inputs for a single text: no token is masked, and all of them belong to the first text. */
function inputsFor(names: readonly string[], ids: readonly number[]): Record<string, unknown> {
  const tensor = (values: Int32Array) =>
    new Tensor("int64", new BigInt64Array(values.buffer), [1, ids.length])
  return Object.fromEntries(
    names.map((name) => {
      if (name === "input_ids") return [name, tensor(int64s(ids))]
      if (name === "attention_mask") return [name, tensor(int64s(ids.map(() => 1)))]
      if (name === "token_type_ids") return [name, tensor(int64s(ids.map(() => 0)))]
      throw new Error(`The model needs an input called ${name}, which Fossick does not provide.`)
    }),
  )
}

/** Small numbers as 64-bit integers, the lower half first. */
function int64s(values: readonly number[]): Int32Array<ArrayBuffer> {
  const halves = new Int32Array(values.length * 2)
  for (const [i, value] of values.entries()) halves[2 * i] = value
  return halves
}
