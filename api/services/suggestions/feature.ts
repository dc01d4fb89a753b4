import type { Feature } from "../../feature.ts"
import type { SuggestNeeds } from "./routes.ts"

/** Suggests titles and headings while the user types. */
export const suggestions = {
  name: "suggestions",
  async describe() {
    return { operations: Object.values((await import("./operations.ts")).suggestionOperations) }
  },
  async serve(router, needs) {
    const { SUGGEST_PATH, suggestRoutes } = await import("./routes.ts")
    suggestRoutes(router, needs)
    return { endpoints: [SUGGEST_PATH] }
  },
} as const satisfies Feature<SuggestNeeds>
