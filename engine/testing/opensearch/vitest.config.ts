import path from "node:path"
import { defineConfig } from "vitest/config"
import { PATIENCE } from "#base/testing/patience.ts"
import { missingNeeds, needTags } from "../../../prove/suite/needs.ts"

/** Tests that need a real cluster: `npm run test:opensearch`. */
export default defineConfig({
  test: {
    root: path.join(import.meta.dirname, "../../.."),
    include: ["engine/testing/opensearch/*.server-test.ts", "prove/cluster/*.server-test.ts"],
    // One cluster at a time: each has three nodes that use a gigabyte each.
    fileParallelism: false,
    globalSetup: "engine/testing/opensearch/start-for-tests.ts",
    ...PATIENCE,
    tags: needTags(await missingNeeds()),
  },
})
