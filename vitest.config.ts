import { defineConfig } from "vitest/config"
import { BaseSequencer } from "vitest/node"
import { keepCompiled } from "./command/compile-cache.js"
import { FAILURES } from "./base/testing/failures.ts"
import { PATIENCE } from "./base/testing/patience.ts"
import { WORKERS } from "./base/testing/workers.ts"

// For the processes that run tests, and those that tests start.
await keepCompiled(process.env)

/** Files that take long come first, so that in the end no processor waits for the last of them. */
class LongOnesFirst extends BaseSequencer {
  override async sort(...given: Parameters<BaseSequencer["sort"]>): ReturnType<BaseSequencer["sort"]> {
    const files = await super.sort(...given)
    const isLong = ({ moduleId }: (typeof files)[number]) =>
      /\/(?:prove|bench)\/|\.browser\.test\.ts$/.test(moduleId)
    return [...files.filter(isLong), ...files.filter((file) => !isLong(file))]
  }
}

export default defineConfig({
  test: {
    include: [
      "{base,engine,crawler,api,faces,command,docs,bench,prove,docker,deploy}/**/*.test.ts",
      "*.test.ts",
    ],
    // The pages for people, built once for all tests that show them.
    globalSetup: "faces/build/before-tests.ts",
    ...WORKERS,
    ...PATIENCE,
    ...FAILURES,
    sequence: { sequencer: LongOnesFirst },
    passWithNoTests: false,
  },
})
