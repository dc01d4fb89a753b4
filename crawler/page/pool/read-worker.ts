import { flushCompileCache } from "node:module"
import { parentPort } from "node:worker_threads"
import { DocumentError } from "../formats/document-error.ts"
import { readBody, type ReadBodyTask } from "../read-body.ts"
import type { PlaceMessage, ReadBodyAnswer } from "./reader-place.ts"

// The program of the thread in reader-thread.ts and in read-process-worker.ts: receives one body at a time, and answers
// with its content.
const say = (message: PlaceMessage) => parentPort?.postMessage(message)

parentPort?.on("message", (task: ReadBodyTask) => void read(task))
say("ready")

/** Formats whose compiled code has been written to the disk. It is written early because a reading process ends by being killed. */
const kept = new Set<string>()

async function read(task: ReadBodyTask): Promise<void> {
  const answer = await answerTo(task)
  say(answer)
  if (answer.ok) keepCompiled(task.kind === "document" ? task.format : "page")
}

async function answerTo(task: ReadBodyTask): Promise<ReadBodyAnswer> {
  try {
    return { ok: true, extracted: await readBody(task) }
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
