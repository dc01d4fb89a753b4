import { defineConfig } from "vitest/config"
import { PATIENCE } from "../../base/testing/patience.ts"

/** How Stryker runs the tests of a room: one at a time in threads, which take none of Node's own flags. */
export default defineConfig({
  test: { include: ["{base,engine,crawler,api}/**/*.test.ts"], pool: "threads", ...PATIENCE },
})
