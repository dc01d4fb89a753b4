import type { Accounts } from "../../identity/accounts/accounts.ts"
import type { PersonKeys } from "../../identity/people/person-keys.ts"
import type { Feature } from "../../feature.ts"
import type { ApiSettings } from "../upkeep/setting-routes.ts"
import type { AdminParts } from "./admin-parts.ts"
import type { Gates } from "../../server/load/gates.ts"
import type { History } from "../history/history.ts"
import type { QueryLog } from "../../services/queries/query-log.ts"

interface From extends Pick<AdminParts, "db" | "engine" | "jobs" | "crawlerConfig" | "engineConfig"> {
  readonly accounts: Pick<Accounts, "audit">
  readonly gates: Pick<Gates, "eventStreams">
  readonly queries?: QueryLog
  readonly history?: History
  /** Left out or null if no provider signs people in. */
  readonly declared?: { readonly keys: PersonKeys } | null
}

interface Needs {
  /** Opens the parts of the admin API on its first request; if left out, there is no admin API. */
  readonly admin?: () => Promise<AdminParts>
  readonly accounts: Pick<Accounts, "keys">
  readonly config: { readonly bodyLimit: number }
  readonly apiSettings: ApiSettings
  readonly readOnly: string | null
}

/** The admin API. */
export const admin = {
  name: "admin",
  /** Returns only a function that opens the admin API, because most processes that answer never need it. */
  open(from) {
    const { accounts, gates, declared, ...parts } = from
    return async () => {
      const { openAdmin } = await import("./open-admin.ts")
      const { audit } = accounts
      return openAdmin({ ...parts, audit, eventStreams: gates.eventStreams, people: declared?.keys ?? null })
    }
  },
  describe: async () => (await import("./operations/all-operations.ts")).adminDescription,
  async serve(_router, { admin: open, accounts, config, apiSettings, readOnly }) {
    if (open === undefined) return undefined
    const { lazyAdmin } = await import("./lazy-admin.ts")
    const { bodyLimit } = config
    return {
      roots: ["admin"],
      middleware: lazyAdmin(open, accounts.keys, { bodyLimit, apiSettings }, readOnly),
    }
  },
} as const satisfies Feature<Needs, From>
