import { join } from "node:path"
import { Stryker } from "@stryker-mutator/core"
import { TESTS_VARIABLE } from "./tests-variable.ts"

// Runs Stryker once, in a separate process, because it changes much of the process it runs in.

const { mutate, tests, dir, report } = JSON.parse(process.argv[2]!) as {
  readonly mutate: string[]
  readonly tests: string[]
  readonly dir: string
  readonly report: string
}

// Stryker's own `testFiles` isn't used: with it, code that runs while a file is loaded is only mutated after it was
// loaded, and so its mutants survive.
process.env[TESTS_VARIABLE] = JSON.stringify(tests)

const options = {
  testRunner: "vitest",
  plugins: ["@stryker-mutator/vitest-runner"],
  // Otherwise all tests that import a file, even indirectly, run for it, which for `base` means nearly all tests.
  vitest: { related: false, configFile: "prove/mutants/vitest.config.ts" },
  mutate,
  // Links to folders, as in the chart, can't be copied.
  ignorePatterns: ["index-data", "bench", "deploy"],
  concurrency: 1,
  tempDirName: join(dir, "copy"),
  reporters: ["json"],
  jsonReporter: { fileName: report },
  // A mutant that never ends is detected by how often its line runs; the timeout is only a last resort, because
  // machines may be busy.
  timeoutMS: 45_000,
  dryRunTimeoutMinutes: 60,
  // The tsconfig would be rewritten with a compiler older than version 7; nothing here reads it.
  tsconfigFile: "none.json",
  allowConsoleColors: false,
}

await new Stryker(options).runMutationTest()
