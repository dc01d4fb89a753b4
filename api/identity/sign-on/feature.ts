import type { Logger } from "pino"

import type { StateStore } from "#base/store/state-store.ts"
import type { CrawlerConfig } from "#crawler"

import type { Feature } from "../../feature.ts"
import type { Accounts } from "../accounts/accounts.ts"
import type { PersonKeys } from "../people/person-keys.ts"
import type { PersonStore } from "../people/person-store.ts"
import { signOnSettings } from "./settings.ts"
import type { SignOnSpec } from "./file/sign-on-file.ts"
import type { SignOn } from "./sign-on.ts"

interface From {
  readonly accountsDb: StateStore
  readonly accounts: Pick<Accounts, "writes">
  readonly people: PersonStore
  /** The people declared in the sign-on file, or null. */
  readonly declared: { readonly spec: SignOnSpec; readonly keys: PersonKeys } | null
  readonly config: { readonly sessionHours: number; readonly publicUrl: string }
  readonly crawlerConfig: CrawlerConfig
  readonly env: NodeJS.ProcessEnv
  readonly log: Logger
}

interface Needs {
  /** Sign-on through providers; left out if no provider signs people in. */
  readonly signOn?: SignOn
  readonly accounts: Pick<Accounts, "audit" | "writes">
  readonly config: { readonly publicUrl: string }
  readonly log: Logger
}

/** Lets people sign in through identity providers. */
export const signOn = {
  name: "signOn",
  settings: signOnSettings,
  async open({ accountsDb: db, accounts, people, declared, config, crawlerConfig, env, log }, closing) {
    if (declared === null) return undefined
    const [{ openSignOn }, { userAgentHeader }] = await Promise.all([
      import("./sign-on.ts"),
      import("#crawler/settings.ts"),
    ])
    const { spec, keys } = declared
    const { publicUrl, sessionHours } = config
    const userAgent = userAgentHeader(crawlerConfig)
    const parts = {
      db,
      accounts,
      people,
      keys,
      publicUrl,
      sessionHours,
      proxy: crawlerConfig,
      userAgent,
      env,
      log,
    }
    return closing.use(await openSignOn(spec, parts))
  },
  async serve(router, { signOn: opened, accounts, config, log }) {
    if (opened === undefined) return undefined
    const { SIGN_ON_PATH, signOnRoutes } = await import("./routes.ts")
    const parts = { signOn: opened, publicUrl: config.publicUrl, log }
    signOnRoutes(router, { ...parts, ...accounts })
    const { recognised } = await import("./headers/recognised.ts")
    return { roots: [SIGN_ON_PATH], middleware: recognised(parts) }
  },
} as const satisfies Feature<Needs, From>
