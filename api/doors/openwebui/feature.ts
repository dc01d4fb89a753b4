import type { Feature } from "../../feature.ts"
import type { OpenWebuiRouteParts } from "./routes.ts"

interface Needs {
  readonly door: OpenWebuiRouteParts
}

/** Open WebUI's external search and external web loader. */
export const openwebui = {
  name: "openwebui",
  async serve(router, { door }) {
    const { openWebuiRoutes } = await import("./routes.ts")
    openWebuiRoutes(router, door)
    return { roots: ["openwebui"] }
  },
} as const satisfies Feature<Needs>
