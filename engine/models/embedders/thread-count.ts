import { stat } from "node:fs/promises"
import { availableParallelism } from "node:os"
import path from "node:path"
import { machineMemory } from "#base/process/machine-memory.ts"
import type { WorkerSetup } from "./embed-protocol.ts"

/** Share of the machine's memory that threads may use; the rest is for crawls, the index and the browser. */
const MEMORY_SHARE = 1 / 4
/**
 * Memory of one thread in relation to the size of the model, as measured with onnxruntime-node 1.14 in Node 24, with
 * texts of all lengths: all-MiniLM-L6-v2 (22 MB of weights, a vocabulary of 0.4 MB) takes 90 MB, multilingual-e5-small
 * (45 MB and 2.6 MB) 200 MB, with its whole vocabulary (73 MB and 6.2 MB) 310 to 400 MB. With a fused graph the first
 * two take 68 and 185 MB.
 */
const BASE_BYTES = 40 * 2 ** 20
const BYTES_PER_WEIGHT = 1.5
const BYTES_PER_VOCABULARY = 35

/** Number of threads that leaves one processor free for other work. At least 1. */
export const sparingThreads = (threads: number, processors = availableParallelism()): number =>
  threads < processors ? threads : Math.max(1, threads - 1)

/** Default number of threads that embed with this model: one for each processor, if memory allows. At least 1. */
export async function threadsFor(
  model: Pick<WorkerSetup, "folder" | "weights">,
  machine: { readonly processors: number; readonly memory: number } = {
    processors: availableParallelism(),
    memory: machineMemory(),
  },
): Promise<number> {
  const [weights, vocabulary] = await Promise.all(
    [model.weights, path.join(model.folder, "tokenizer.json")].map(async (file) => (await stat(file)).size),
  )
  const each = BASE_BYTES + BYTES_PER_WEIGHT * weights! + BYTES_PER_VOCABULARY * vocabulary!
  return Math.max(1, Math.min(machine.processors, Math.floor((machine.memory * MEMORY_SHARE) / each)))
}
