import { moduleBeside } from "#base/process/module-beside.ts"
import { bareEnvironment, startThread } from "#base/process/threads/thread.ts"
import { type PlaceMessage, type StartPlace, tooMuchMemory } from "./reader-place.ts"

const PROGRAM = moduleBeside(import.meta.url, "./read-worker")

/**
 * A thread that reads bodies. The limit applies to memory that its code allocates, not to buffers: it is intended for
 * formats whose buffers are as large as their bodies.
 */
export const startReaderThread: StartPlace = (memoryMb, { message, ended }, program = PROGRAM) => {
  const worker = startThread(program, {
    resourceLimits: { maxOldGenerationSizeMb: memoryMb, stackSizeMb: 8 },
    env: bareEnvironment(),
  })
  worker.unref()
  worker.on("message", (said: PlaceMessage) => {
    message(said)
  })
  worker.on("error", (error: NodeJS.ErrnoException) => {
    ended(
      error.code === "ERR_WORKER_OUT_OF_MEMORY"
        ? { kind: "too-large", detail: tooMuchMemory(memoryMb) }
        : { kind: "unreadable", detail: error.message },
    )
  })
  worker.on("exit", (code) => {
    ended({ kind: "crashed", detail: `the reader thread exited with code ${code}` })
  })
  return {
    post: (task) => {
      worker.postMessage(task, [task.body.buffer as ArrayBuffer])
    },
    ref: () => {
      worker.ref()
    },
    unref: () => {
      worker.unref()
    },
    end: async () => {
      await worker.terminate()
    },
  }
}
