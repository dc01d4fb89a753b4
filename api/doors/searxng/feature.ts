import type { Context } from "../../context.ts"
import type { Feature } from "../../feature.ts"
import type { SearxngRouteParts } from "./routes.ts"
import { searxngSettings } from "./settings.ts"

interface Needs {
  readonly door: Omit<SearxngRouteParts, "publicUrl" | "keyOfAll" | "checkName">
  readonly config: { readonly publicUrl: string; readonly searxngKey: string }
  /** Refuses calls without a key if their host name might belong to someone else. */
  readonly checkName: (ctx: Context) => void
}

/** The API of SearXNG, for its clients. */
export const searxng = {
  name: "searxng",
  settings: searxngSettings,
  async serve(router, { door, config, checkName }) {
    const { searxngApi, searxngRoutes } = await import("./routes.ts")
    searxngRoutes(router, { ...door, keyOfAll: config.searxngKey, publicUrl: config.publicUrl, checkName })
    return { roots: ["searxng"], otherApi: searxngApi }
  },
} as const satisfies Feature<Needs>
