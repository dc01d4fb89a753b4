import type { MessagePort } from "node:worker_threads"
import type { WorkAnswer, WorkAsked } from "./work-threads.ts"

/** Reports that the thread is ready, and from then on answers each incoming call with its result. */
export function answerCalls(port: MessagePort): void {
  const say = (answer: WorkAnswer) => port.postMessage(answer)
  port.on("message", (asked: WorkAsked) => {
    void answerTo(asked).then(say)
  })
  say("ready")
}

async function answerTo({ module, name, args }: WorkAsked): Promise<WorkAnswer> {
  try {
    const exported = (await import(module)) as Readonly<
      Record<string, (...args: readonly unknown[]) => unknown>
    >
    return { value: await exported[name]!(...args) }
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) }
  }
}
