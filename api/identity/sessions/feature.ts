import type { Accounts } from "../accounts/accounts.ts"
import type { Context } from "../../context.ts"
import type { Feature } from "../../feature.ts"
import type { StateOutage } from "../../server/outage/state-outage.ts"
import type { PeopleSessions, Sessions } from "./sessions.ts"
import { sessionSettings } from "./settings.ts"
import type { StateStore } from "#base/store/state-store.ts"

interface From {
  /** The connection that the accounts use for writes. */
  readonly accountsDb: StateStore
  readonly accounts: Accounts
  readonly outage: StateOutage
  readonly config: { readonly sessionHours: number }
  /** Signs people in; if left out, people have only keys. */
  readonly signOn?: { readonly sessions: PeopleSessions }
}

interface Needs {
  /** People who signed in; left out if there is no sign-on. */
  readonly sessions?: Sessions
  readonly accounts: Pick<Accounts, "keys">
  readonly config: { readonly openKey: string; readonly publicUrl: string }
  /** The appliance's name on its pages; if left out, it has no name. */
  readonly applianceName?: () => Promise<string | null>
  /** Refuses calls without a key if their host name might belong to someone else. */
  readonly checkName: (ctx: Context) => void
}

/** Lets people sign in on a page. */
export const sessions = {
  name: "sessions",
  settings: sessionSettings,
  async open({ accountsDb, accounts, config, outage, signOn }) {
    const { openSessions } = await import("./sessions.ts")
    return openSessions(accountsDb, accounts, config, outage, signOn?.sessions)
  },
  async describe() {
    return { operations: Object.values((await import("./operations.ts")).sessionOperations) }
  },
  async serve(router, { sessions: opened, accounts, config, applianceName, checkName }) {
    if (opened === undefined) return undefined
    const [{ SESSION_PATH, sessionRoutes }, { presented }] = await Promise.all([
      import("./routes.ts"),
      import("./presented.ts"),
    ])
    const { openKey, publicUrl } = config
    const browsers = { keys: accounts.keys, openKey, publicUrl, sessions: opened }
    sessionRoutes(router, { ...browsers, applianceName })
    return { endpoints: [SESSION_PATH], middleware: presented({ ...browsers, checkName }) }
  },
} as const satisfies Feature<Needs, From>
