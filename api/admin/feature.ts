import type { Accounts } from "../accounts/accounts.ts"
import type { Feature } from "../feature.ts"
import type { ApiSettings } from "../upkeep/setting-routes.ts"
import type { AdminParts } from "./admin-parts.ts"

interface Needs {
  /** Opens what the admin API works on, with its first request; left out, none is served. */
  readonly admin?: () => Promise<AdminParts>
  readonly accounts: Pick<Accounts, "keys">
  readonly config: { readonly bodyLimit: number }
  readonly apiSettings: ApiSettings
  readonly readOnly: string | null
}

/** The admin API. */
export const admin = {
  name: "admin",
  describe: async () => (await import("./described/all-operations.ts")).adminDescription,
  async serve(_router, { admin: open, accounts, config, apiSettings, readOnly }) {
    if (open === undefined) return undefined
    const { lazyAdmin } = await import("./lazy-admin.ts")
    const { bodyLimit } = config
    return { middleware: lazyAdmin(open, accounts.keys, { bodyLimit, apiSettings }, readOnly) }
  },
} satisfies Feature<Needs>
