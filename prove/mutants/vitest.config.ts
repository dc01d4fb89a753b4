import { statSync } from "node:fs"
import { defineConfig } from "vitest/config"
import { BaseSequencer, type TestSpecification } from "vitest/node"
import { PATIENCE } from "../../base/testing/patience.ts"
import { keptThread } from "./kept-thread.ts"
import { TESTS_VARIABLE } from "./tests-variable.ts"
import { missingNeeds, needTags } from "../suite/needs.ts"

/** Short test files first: a mutant that they detect needn't wait for a story of many visits. */
class ShortFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const size = ({ moduleId }: TestSpecification) => statSync(moduleId).size
    return files.toSorted((a, b) => size(a) - size(b))
  }
}

const patterns = JSON.parse(process.env[TESTS_VARIABLE] ?? "[]") as string[]

/** How Stryker runs the tests of a room: one file after the other in a thread, which takes none of Node's own flags. */
export default defineConfig({
  plugins: [
    {
      name: "kept-thread",
      // Stryker sets the pool itself, and only knows vitest's own pools.
      configureVitest: ({ project }) => {
        project.config.pool = keptThread.name
        project.config.poolRunner = keptThread
      },
    },
  ],
  test: {
    include: patterns.filter((pattern) => !pattern.startsWith("!")),
    exclude: patterns.filter((pattern) => pattern.startsWith("!")).map((pattern) => pattern.slice(1)),
    setupFiles: ["prove/mutants/switched-off.ts"],
    pool: "threads",
    isolate: false,
    sequence: { sequencer: ShortFirst },
    ...PATIENCE,
    tags: needTags(await missingNeeds()),
  },
})
