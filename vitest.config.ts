import { availableParallelism } from "node:os"
import { defineConfig } from "vitest/config"
import { PATIENCE } from "./base/testing/patience.ts"

export default defineConfig({
  test: {
    include: [
      "{base,engine,crawler,api,faces,command,docs,bench,prove,docker,deploy}/**/*.test.ts",
      "*.test.ts",
    ],
    // The pages for people, built once for all tests that show them.
    globalSetup: "faces/build/before-tests.ts",
    // Most of a test's time is waiting: for processes, sockets and databases. One worker fewer than processors, as is
    // usual, leaves half of a small machine idle.
    maxWorkers: Math.max(2, availableParallelism()),
    // What startThread() in base/process/thread.ts sets, for what vitest itself does before.
    execArgv: ["--wasm-wrapper-tiering-budget=2147483647"],
    ...PATIENCE,
    passWithNoTests: false,
  },
})
