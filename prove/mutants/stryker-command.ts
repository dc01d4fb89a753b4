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

// Not Stryker's own `testFiles`: with it, what runs while a file is loaded is changed only after it was loaded, and lives on.
process.env[TESTS_VARIABLE] = JSON.stringify(tests)

const options = {
  testRunner: "vitest",
  plugins: ["@stryker-mutator/vitest-runner"],
  // Otherwise all tests that come to import a file run for it, which for `base` are nearly all there are.
  vitest: { related: false, configFile: "prove/mutants/vitest.config.ts" },
  mutate,
  // A link to a folder, as the chart has one, cannot be copied.
  ignorePatterns: ["index-data", "bench", "deploy"],
  concurrency: 1,
  tempDirName: join(dir, "copy"),
  reporters: ["json"],
  jsonReporter: { fileName: report },
  // A mutant that never ends is found by how often its line runs; time decides only where nothing else does, and machines may be busy.
  timeoutMS: 45_000,
  dryRunTimeoutMinutes: 60,
  // It would be rewritten with a compiler of before version 7; nothing here reads it.
  tsconfigFile: "none.json",
  allowConsoleColors: false,
}

await new Stryker(options).runMutationTest()
