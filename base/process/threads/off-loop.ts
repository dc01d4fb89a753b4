import { moduleBeside } from "../module-beside.ts"
import { WorkThreads } from "./work-threads.ts"

/**
 * Text up to this length is processed in the calling thread. Measured: 50,000 characters of a handbook are split into
 * passages in 5 ms, split into terms in 7 ms and converted to plain text in 1 ms; a thread that has to be started first
 * takes about 150 ms.
 */
export const AT_ONCE_CHARS = 32_000

export interface WorkOptions {
  /** Number of characters of text in the arguments. */
  readonly chars: number
  /** Aborting stops the work at any point. */
  readonly signal?: AbortSignal | undefined
}

/**
 * Wraps a function whose work grows with the length of its text: short text is handled at once, longer text in a
 * thread, so the event loop stays free. Arguments and results are copied (structured clone), so they must be plain
 * values.
 *
 * @param module `import.meta.url` of the module that exports `work` under its own name
 * @returns a function that throws WorkError when a thread fails, and the signal's reason when it aborts
 */
export function offLoop<Args extends readonly unknown[], Result>(
  module: string,
  work: (...args: Args) => Result,
): (options: WorkOptions, ...args: Args) => Promise<Result> {
  return async ({ chars, signal }, ...args) => {
    signal?.throwIfAborted()
    if (chars <= AT_ONCE_CHARS) return work(...args)
    return (await threads.run({ module, name: work.name, args }, signal)) as Result
  }
}

const threads = new WorkThreads(moduleBeside(import.meta.url, "./work-thread"))
