import { bareEnvironment, startThread } from "#base/process/threads/thread.ts"
import { watchMemory } from "#base/process/watch-memory.ts"
import type { ReadBodyTask } from "../read-body.ts"
import { MEMORY_SIGNAL, type PlaceEnd, type PlaceMessage } from "./reader-place.ts"
import type { ProcessMessage } from "./reader-process.ts"

// The program of reader-process.ts. A thread does the reading; the main thread only forwards messages and checks the
// memory, so it always responds. The process ends when it uses too much memory, and when its parent is gone.

/** The share of the memory that code can fill; the rest is for buffers, libraries and Node.js itself. */
const HEAP_SHARE = 0.6

/**
 * The process is replaced when this share of the memory is still in use after a body was read. With 512 MB, this
 * happens about once in three hundred large pages.
 */
const SPENT_SHARE = 0.75

const [, , memory, program = ""] = process.argv
const memoryMb = Number(memory)
const worker = startThread(new URL(program), {
  resourceLimits: { maxOldGenerationSizeMb: Math.floor(memoryMb * HEAP_SHARE), stackSizeMb: 8 },
  env: bareEnvironment(),
})

const tell = (message: ProcessMessage) => void process.send?.(message, () => {})

worker.on("message", (said: PlaceMessage) => {
  const isSpent = process.memoryUsage.rss() > memoryMb * SPENT_SHARE * 1024 * 1024
  tell(said !== "ready" && isSpent ? { ...said, isSpent } : said)
})
worker.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "ERR_WORKER_OUT_OF_MEMORY") endBy(MEMORY_SIGNAL)
  else end({ kind: "unreadable", detail: error.message })
})
worker.on("exit", (code) => {
  end({ kind: "crashed", detail: `the reading process exited with code ${code}` })
})
process.on("message", (task: ReadBodyTask) => {
  // The received bytes are part of their message's buffer.
  const body = new Uint8Array(task.body)
  worker.postMessage({ ...task, body }, [body.buffer])
})
process.on("disconnect", () => endBy("SIGKILL"))
watchMemory(memoryMb, () => endBy(MEMORY_SIGNAL))

function end(why: PlaceEnd): void {
  const gone = () => endBy("SIGKILL")
  if (process.send === undefined) gone()
  else process.send(why, gone)
}

/**
 * Ends the process at once: an orderly exit, or a last message, would have to wait for a decoder that continues to
 * allocate memory. The signal itself identifies the reason.
 */
function endBy(signal: NodeJS.Signals): void {
  process.kill(process.pid, signal)
}
