import type { Feature } from "../../feature.ts"
import type { OpenaiRouteParts } from "./routes.ts"

interface Needs {
  readonly door: Omit<OpenaiRouteParts, "embedder">
  readonly embedder: OpenaiRouteParts["embedder"]
}

/** Vector stores and embeddings, for clients of OpenAI's API. */
export const openai = {
  name: "openai",
  async serve(router, { door, embedder }) {
    const [{ openaiRoutes }, { openaiApi }] = await Promise.all([
      import("./routes.ts"),
      import("./refusal.ts"),
    ])
    openaiRoutes(router, { ...door, embedder })
    return { roots: ["v1"], otherApi: openaiApi }
  },
} as const satisfies Feature<Needs>
