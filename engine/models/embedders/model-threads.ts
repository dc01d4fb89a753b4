import type { Worker } from "node:worker_threads"
import { startThread } from "#base/process/threads/thread.ts"
import type { FromWorker, Purpose, ToWorker, WorkerSetup } from "./embed-protocol.ts"
import { moduleBeside } from "#base/process/module-beside.ts"

/** How long closing waits for a text in progress. */
const LEAVE_MS = 5_000

/**
 * Threads released by embedders, by model and purpose, for the next embedder in this process.
 *
 * A thread never ends before its process does: when a thread that has used the inference runtime (onnxruntime-node
 * 1.14) ends and another one then loads it, the process dies in six runs out of eight ("double free"). A process that
 * must free the memory has to end, as the crawler's job process does.
 */
const left = new Map<string, Worker[]>()

/** A thread for the model: a released one if there is any, otherwise a new one. It responds to `ready?` when it can embed. */
export function takeThread(model: WorkerSetup, purpose: Purpose): Worker {
  const worker = left.get(keyOf(model, purpose))?.pop()
  if (!worker) return start(model, purpose)
  forgetListeners(worker)
  worker.ref()
  return worker
}

/**
 * Releases a thread for the next embedder once it has finished its current text, without waiting if that takes long.
 * The caller gets no more messages from the thread.
 */
export async function leaveThread(model: WorkerSetup, purpose: Purpose, worker: Worker): Promise<void> {
  const key = keyOf(model, purpose)
  const settled = Promise.withResolvers<void>()
  forgetListeners(worker)
  // Without a listener, an error in the thread would be an uncaught error of the process.
  worker.on("error", () => undefined)
  worker.on("exit", () => {
    left.set(
      key,
      (left.get(key) ?? []).filter((one) => one !== worker),
    )
    settled.resolve()
  })
  worker.on("message", (message: FromWorker) => {
    if (message.kind !== "left") return
    worker.removeAllListeners("message")
    left.set(key, [...(left.get(key) ?? []), worker])
    settled.resolve()
  })
  worker.postMessage({ kind: "leave" } satisfies ToWorker)
  const timer = setTimeout(() => settled.resolve(), LEAVE_MS)
  await settled.promise
  clearTimeout(timer)
  worker.unref()
}

/** Listeners are removed from one event at a time: a Worker has its own listeners for other events, which deliver the messages. */
function forgetListeners(worker: Worker): void {
  for (const event of ["message", "error", "exit"]) worker.removeAllListeners(event)
}

function start(model: WorkerSetup, purpose: Purpose): Worker {
  return startThread(moduleBeside(import.meta.url, "./embed-worker"), {
    workerData: { model, purpose },
    // Flags such as `--input-type` are specific to the starting script.
    execArgv: [],
    // The weights are outside the heap; a small young generation keeps the rest small too.
    resourceLimits: { maxYoungGenerationSizeMb: 8 },
  })
}

const keyOf = (model: WorkerSetup, purpose: Purpose) => JSON.stringify([model, purpose])
