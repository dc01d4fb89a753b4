import { parentPort } from "node:worker_threads"
import { readBody, type ReadBodyTask } from "./read-body.ts"
import type { ReadBodyAnswer } from "./reader-threads.ts"

// The thread of reader-threads.ts: one body in, what it says out.
parentPort?.on("message", (task: ReadBodyTask) => {
  let answer: ReadBodyAnswer
  try {
    answer = { ok: true, extracted: readBody(task) }
  } catch (error) {
    answer = { ok: false, message: error instanceof Error ? error.message : String(error) }
  }
  parentPort?.postMessage(answer)
})
