import { fork } from "node:child_process"
import { bareEnvironment } from "#base/process/threads/thread.ts"
import { moduleBeside } from "#base/process/module-beside.ts"
import {
  MEMORY_SIGNAL,
  type PlaceEnd,
  type PlaceMessage,
  type StartPlace,
  tooMuchMemory,
} from "./reader-place.ts"

const PROGRAM = moduleBeside(import.meta.url, "./read-process-worker")
const READER = moduleBeside(import.meta.url, "./read-worker")

/** A process's messages: those of its thread, and the reason why it is about to end itself. */
export type ProcessMessage = PlaceMessage | PlaceEnd

/**
 * A process that reads bodies. The limit applies to all of its memory, including buffers, libraries and Node.js itself:
 * the process watches itself, and ends at the limit. It also ends with the process that started it.
 */
export const startProcess: StartPlace = (memoryMb, { message, ended }, program = READER) => {
  // The last output of decoders and V8 is discarded, because the outcome contains the same information.
  const child = fork(PROGRAM, [String(memoryMb), program.href], {
    env: bareEnvironment(),
    execArgv: [],
    serialization: "advanced",
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  })
  const exited = new Promise<void>((resolve) => {
    child.once("exit", (code, signal) => {
      const how = signal === null ? `with code ${code}` : `by ${signal}`
      const end = () => {
        if (signal === MEMORY_SIGNAL) ended({ kind: "too-large", detail: tooMuchMemory(memoryMb) })
        else ended({ kind: "crashed", detail: `the reading process exited ${how}` })
        resolve()
      }
      // The process's last message may not have arrived yet.
      if (child.connected) child.once("disconnect", end)
      else end()
    })
    child.once("error", (error) => {
      ended({ kind: "crashed", detail: `the reading process failed: ${error.message}` })
      if (child.pid === undefined) resolve()
    })
  })
  const unref = () => {
    child.unref()
    child.channel?.unref()
  }
  const ref = () => {
    child.ref()
    child.channel?.ref()
  }
  unref()
  child.on("message", (said: ProcessMessage) => {
    if (typeof said === "object" && "detail" in said) ended(said)
    else message(said)
  })
  return {
    // If the process can't be reached, its exit is the answer.
    post: (task) => void child.send(task, () => {}),
    ref,
    unref,
    end: async () => {
      ref()
      child.kill("SIGKILL")
      await exited
    },
  }
}
