import type { Feature } from "../../feature.ts"
import type { DocumentNeeds } from "../../services/documents/routes.ts"

/** The endpoint that oikb calls to keep a source in sync with Confluence, a drive, a bucket and similar sources. */
export const oikb = {
  name: "oikb",
  async serve(router, needs) {
    const { oikbApi, oikbRoutes } = await import("./routes.ts")
    oikbRoutes(router, needs)
    return { roots: ["api"], otherApi: oikbApi }
  },
} as const satisfies Feature<DocumentNeeds>
