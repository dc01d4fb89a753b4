import { availableParallelism } from "node:os"

/** The processes that tests run in, whichever store their state is on. */
export const WORKERS = {
  // Most of a test's time is waiting: for processes, sockets and databases. With as many workers as processors, three
  // tenths of a small machine stay idle.
  maxWorkers: Math.max(2, Math.ceil(availableParallelism() * 1.5)),
  // What startThread() in base/process/threads/thread.ts sets, for what vitest itself does before.
  execArgv: ["--wasm-wrapper-tiering-budget=2147483647"],
}
