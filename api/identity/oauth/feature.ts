import type { Feature } from "../../feature.ts"
import type { OAuth } from "./oauth-endpoints.ts"
import type { Logger } from "pino"
import type { StateStore } from "#base/store/state-store.ts"
import type { CrawlerConfig } from "#crawler"
import type { Sessions } from "../sessions/sessions.ts"
import type { Accounts } from "../accounts/accounts.ts"
import type { StateOutage } from "../../server/outage/state-outage.ts"

interface From {
  readonly db: StateStore
  readonly accounts: Pick<Accounts, "keys" | "collections">
  readonly config: { readonly publicUrl: string }
  readonly crawlerConfig: CrawlerConfig
  readonly outage: StateOutage
  readonly log: Logger
}

interface Needs {
  /** OAuth for programs; if left out, programs need a key. */
  readonly oauth?: Pick<OAuth, "endpoints">
  /** People who signed in; left out if there is no sign-on. */
  readonly sessions?: Sessions
}

/** Admits programs over MCP without a key. */
export const oauth = {
  name: "oauth",
  async open({ db, accounts, config, crawlerConfig, outage, log }, closing) {
    const [{ oauthProblem, openOAuth }, { ClientDocuments }, { userAgentHeader }] = await Promise.all([
      import("./oauth-endpoints.ts"),
      import("./client-documents.ts"),
      import("#crawler/settings.ts"),
    ])
    const { publicUrl } = config
    const problem = oauthProblem(publicUrl)
    if (problem !== null) {
      if (publicUrl !== "") log.info({ reason: problem }, "OAuth for MCP is off: {reason}")
      return undefined
    }
    const documents = closing.use(
      new ClientDocuments({ proxy: crawlerConfig, userAgent: userAgentHeader(crawlerConfig) }),
    )
    const { keys, collections } = accounts
    return openOAuth({ db, keys, collections, documents, publicUrl, outage })
  },
  serve: async (_router, { oauth: opened, sessions }) => opened && { middleware: opened.endpoints(sessions) },
} as const satisfies Feature<Needs, From>
