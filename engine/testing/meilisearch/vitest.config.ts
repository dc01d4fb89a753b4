import path from "node:path"
import { defineConfig } from "vitest/config"
import { PATIENCE } from "#base/testing/patience.ts"
import { missingNeeds, needTags } from "../../../prove/suite/needs.ts"

/** Tests that need a real server: `npm run test:meilisearch`. */
export default defineConfig({
  test: {
    root: path.join(import.meta.dirname, "../../.."),
    include: ["engine/testing/meilisearch/contract.test.ts", "{engine,crawler}/**/*.server-test.ts"],
    exclude: ["engine/testing/opensearch/**"],
    globalSetup: "engine/testing/meilisearch/require-server.ts",
    ...PATIENCE,
    tags: needTags(await missingNeeds()),
  },
})
