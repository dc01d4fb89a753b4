import { join } from "node:path"
import { defineConfig } from "vitest/config"

import { needTags } from "../needs.ts"
import { ClosingReport } from "../report.ts"

const ROCKET = { name: "rocket", advice: "build a rocket", isThere: () => false }

/** What suite.test.ts runs to see the report and the check of leftovers at work. */
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
