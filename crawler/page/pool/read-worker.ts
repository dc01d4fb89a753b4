import { flushCompileCache } from "node:module"
import { parentPort } from "node:worker_threads"
import { DocumentError } from "../formats/document-error.ts"
import { readBody, type ReadBodyTask } from "../read-body.ts"
import type { PlaceMessage, ReadBodyAnswer } from "./reader-place.ts"

// The thread of reader-thread.ts, and of the process of read-process-worker.ts: one body in, what it says out.
const say = (message: PlaceMessage) => parentPort?.postMessage(message)

parentPort?.on("message", (task: ReadBodyTask) => {
  void answerTo(task).then(say)
})
say("ready")

/** Formats whose code is among what is kept compiled. A process that reads is killed in the end, which keeps nothing. */
const kept = new Set<string>()

async function answerTo(task: ReadBodyTask): Promise<ReadBodyAnswer> {
  try {
    const extracted = await readBody(task)
    keepCompiled(task.kind === "document" ? task.format : "page")
    return { ok: true, extracted }
  } catch (error) {
    const kind = error instanceof DocumentError ? error.kind : "unreadable"
    return { ok: false, kind, message: error instanceof Error ? error.message : String(error) }
  }
}

function keepCompiled(format: string): void {
  if (kept.has(format)) return
  kept.add(format)
  flushCompileCache()
}
