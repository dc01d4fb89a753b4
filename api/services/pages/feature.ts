import type { Feature } from "../../feature.ts"
import type { PageNeeds } from "./routes.ts"

/** Stored pages by their address, and the contents of the index. */
export const pages = {
  name: "pages",
  async describe() {
    const { pageOperations } = await import("./described/operations.ts")
    return { operations: Object.values(pageOperations) }
  },
  async serve(router, needs) {
    const { PAGE_PATHS, pageRoutes } = await import("./routes.ts")
    pageRoutes(router, needs)
    return { endpoints: PAGE_PATHS, toolEndpoints: ["pages"] }
  },
} as const satisfies Feature<PageNeeds>
