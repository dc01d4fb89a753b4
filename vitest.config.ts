import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: ["{engine,crawler,api,docs,bench,docker}/**/*.test.ts", "*.test.ts"],
    testTimeout: 20_000,
    hookTimeout: 60_000,
    passWithNoTests: false,
  },
})
