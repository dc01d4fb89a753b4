import type { Feature } from "../../feature.ts"
import type { FileNeeds } from "./routes.ts"

/** The originals of sources other than websites. */
export const files = {
  name: "files",
  async describe() {
    const { fileOperations } = await import("./described/operations.ts")
    return { operations: Object.values(fileOperations) }
  },
  async serve(router, needs) {
    const { FILES, fileRoutes } = await import("./routes.ts")
    fileRoutes(router, needs)
    return { roots: [FILES] }
  },
} as const satisfies Feature<FileNeeds>
