import type { Feature } from "../../feature.ts"
import type { PageNeeds } from "./routes.ts"

/** Stored pages by their address, and what the index holds. */
export const pages = {
  name: "pages",
  async describe() {
    const { pageOperations, pageSchemas } = await import("./described/operations.ts")
    return { operations: pageOperations, schemas: pageSchemas }
  },
  async serve(router, needs) {
    const { PAGE_PATHS, pageRoutes } = await import("./routes.ts")
    pageRoutes(router, needs)
    return { endpoints: PAGE_PATHS, toolEndpoints: ["pages"] }
  },
} as const satisfies Feature<PageNeeds>
