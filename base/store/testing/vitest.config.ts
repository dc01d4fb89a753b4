import path from "node:path"
import { configDefaults, defineConfig } from "vitest/config"
import { FAILURES } from "../../testing/failures.ts"
import { PATIENCE } from "../../testing/patience.ts"
import { WORKERS } from "../../testing/workers.ts"

/**
 * Tests of all that is in the state, run again with the state on a PostgreSQL server of their own: `npm run test:postgres`. Those of
 * the store itself start such a server in any case.
 */
export default defineConfig({
  test: {
    root: path.join(import.meta.dirname, "../../.."),
    include: [
      "base/{audit,traces}/**/*.test.ts",
      "crawler/{alerts,coverage,duplicates,frontier,hosts,images,jobs,removals,sources,tasks,traps,webhooks,why}/**/*.test.ts",
      "api/{accounts,admin,audit,history,judging,oauth,outbound,public-keys,queries,rules,sessions,suggestions,usage,watches,x402/books}/**/*.test.ts",
      "api/{research/task-store,firecrawl/jobs/*,firecrawl/webhooks/*}.test.ts",
    ],
    // A disk that is full, or read-only, is made by what SQLite alone can be told.
    exclude: [
      ...configDefaults.exclude,
      "**/*.browser.test.ts",
      "api/accounts/billing/{full-disk,read-only-folder}.test.ts",
    ],
    globalSetup: "base/store/testing/own-server.ts",
    ...WORKERS,
    ...PATIENCE,
    ...FAILURES,
  },
})
