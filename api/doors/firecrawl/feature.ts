import type { DiskRoom } from "#base/disk-space.ts"

import type { Accounts } from "../../identity/accounts/accounts.ts"
import type { Admissions } from "../../identity/accounts/admission.ts"
import type { Feature } from "../../feature.ts"
import type { FirecrawlJobs } from "./open-firecrawl.ts"
import type { FirecrawlRouteParts } from "./routes.ts"
import { firecrawlSettings } from "./settings.ts"
import type { Logger } from "pino"
import type { StateStore } from "#base/store/state-store.ts"
import type { LivingProcess } from "#base/store/processes/keep-alive.ts"
import type { Values } from "#base/settings.ts"
import type { CrawlerConfig } from "#crawler"
import type { ChatModel } from "../../services/chat-models/chat-model.ts"
import type { PageKnowledge } from "../../services/pages/page-knowledge.ts"

interface From {
  /** The connection that the accounts use for writes to `state.db`. */
  readonly accountsDb: StateStore
  readonly config: Values<typeof firecrawlSettings>
  readonly crawlerConfig: CrawlerConfig
  readonly accounts: Accounts
  readonly pages: PageKnowledge
  readonly chatModel: ChatModel | null
  readonly room: Pick<DiskRoom, "isLow">
  readonly process: LivingProcess
  readonly log: Logger
}

interface Needs {
  readonly door: Omit<FirecrawlRouteParts, "room" | "jobs" | "publicUrl" | "ledger">
  /** Runs the jobs; if left out, no jobs are accepted. */
  readonly firecrawl?: FirecrawlJobs
  readonly accounts: Pick<Accounts, "ledger">
  readonly admissions: Admissions
  /** The room on the disk that holds the data folder. */
  readonly mayKeep: Pick<DiskRoom, "isLow">
  readonly config: { readonly publicUrl: string }
}

/** Firecrawl's API: documents, and crawls that run as jobs. */
export const firecrawl = {
  name: "firecrawl",
  settings: firecrawlSettings,
  async open(from, closing) {
    const [{ openFirecrawlJobs }, { userAgentHeader }] = await Promise.all([
      import("./open-firecrawl.ts"),
      import("#crawler/settings.ts"),
    ])
    const { accountsDb, config, pages, crawlerConfig, ...parts } = from
    return closing.use(
      await openFirecrawlJobs(accountsDb, config, {
        ...parts,
        knowledge: pages,
        sending: crawlerConfig,
        userAgent: userAgentHeader(crawlerConfig),
      }),
    )
  },
  async serve(router, { door, firecrawl: opened, accounts, admissions, mayKeep, config }) {
    const [{ firecrawlRoutes }, { firecrawlApi }] = await Promise.all([
      import("./routes.ts"),
      import("./refusal.ts"),
    ])
    const jobs = opened && {
      store: opened.store,
      secretOf: opened.secretOf,
      runner: opened.start((key) => admissions.reach({ ...key, isPatient: true })),
    }
    firecrawlRoutes(router, {
      ...door,
      jobs,
      room: mayKeep,
      publicUrl: config.publicUrl,
      ledger: accounts.ledger,
    })
    return {
      roots: ["v1", "v2"],
      otherApi: firecrawlApi,
      ...(opened && { stored: async () => ({ "crawl-jobs": await opened.store.storedBytes() }) }),
    }
  },
} as const satisfies Feature<Needs, From>
