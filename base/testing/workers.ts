import { availableParallelism } from "node:os"

/** The processes that tests run in, regardless of the store that their state is in. */
export const WORKERS = {
  // Most of a test's time is spent waiting: for processes, sockets and databases. With as many workers as processors, a
  // small machine would be idle for three tenths of the time.
  maxWorkers: Math.max(2, Math.ceil(availableParallelism() * 1.5)),
  // The flags that startThread() in base/process/threads/thread.ts sets, for threads that vitest itself starts earlier.
  execArgv: ["--wasm-wrapper-tiering-budget=2147483647"],
}
