import { join } from "node:path"
import { defineConfig } from "vitest/config"

import { needTags } from "../needs.ts"
import { ClosingReport } from "../report.ts"

const ROCKET = { name: "rocket", advice: "build a rocket", isThere: () => false }

/** The run with which suite.test.ts checks the report and the search for leftovers. */
export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ["*.fixture.ts"],
    globalSetup: join(import.meta.dirname, "../run-folder.ts"),
    setupFiles: join(import.meta.dirname, "../leftovers.ts"),
    isolate: false,
    tags: needTags([ROCKET], [ROCKET]),
    reporters: [new ClosingReport([ROCKET])],
  },
})
