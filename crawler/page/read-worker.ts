import { parentPort } from "node:worker_threads"
import { DocumentError } from "./formats/document-error.ts"
import { readBody, type ReadBodyTask } from "./read-body.ts"
import type { ReadBodyAnswer, ThreadMessage } from "./thread-messages.ts"

// The thread of reader-threads.ts: one body in, what it says out.
const say = (message: ThreadMessage) => parentPort?.postMessage(message)

parentPort?.on("message", (task: ReadBodyTask) => {
  void answerTo(task).then(say)
})
say("ready")

async function answerTo(task: ReadBodyTask): Promise<ReadBodyAnswer> {
  try {
    return { ok: true, extracted: await readBody(task) }
  } catch (error) {
    const kind = error instanceof DocumentError ? error.kind : "unreadable"
    return { ok: false, kind, message: error instanceof Error ? error.message : String(error) }
  }
}
