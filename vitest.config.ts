import { availableParallelism } from "node:os"
import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: ["{base,engine,crawler,api,command,docs,bench,docker}/**/*.test.ts", "*.test.ts"],
    // Most of a test's time is waiting: for processes, sockets and databases. One worker fewer than processors, as is
    // usual, leaves half of a small machine idle.
    maxWorkers: Math.max(2, availableParallelism()),
    // What startThread() in base/process/thread.ts sets, for what vitest itself does before.
    execArgv: ["--wasm-wrapper-tiering-budget=2147483647"],
    // Nothing is measured by these; a busy machine may be ten times as slow.
    testTimeout: 120_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 30_000 } },
    passWithNoTests: false,
  },
})
