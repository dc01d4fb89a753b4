import { flushCompileCache } from "node:module"
import { pino } from "pino"

import { readSettings } from "#base/settings.ts"
import { openStateStore } from "#base/store/state-store.ts"
import { createReader, crawlerSettings } from "#crawler"

import { openAccounts } from "../../../../identity/accounts/accounts.ts"
import { openGates } from "../../../../server/load/gates.ts"
import type { PageKnowledge } from "../../../../services/pages/page-knowledge.ts"
import { apiSettings } from "../../../../settings.ts"
import { reachOf } from "../../../../identity/accounts/reach/reach.ts"
import type { JobRequest } from "../../jobs/crawl-request.ts"
import { openFirecrawlJobs } from "../../open-firecrawl.ts"

// Works on the jobs in a data folder and sends their messages until it is killed: node job-worker.ts <folder> <host of
// the site>

/** The request for a job to be accepted. */
export interface Asked {
  readonly id: string
  readonly keyId: string
  readonly request: JobRequest
}

const [folder = "", host = ""] = process.argv.slice(2)
const db = await openStateStore(folder)
const config = readSettings(apiSettings, {})
const accounts = await openAccounts(db, config, () => {})
/** There is no index in this process. */
const knowledge: PageKnowledge = {
  standingFor: async () => [],
  spellingsOf: async () => [],
  visits: async () => ({ checkedAt: null, changedAt: null }),
  sources: async () => [],
  content: async () => null,
}
const noIndex = () => Promise.reject(new Error("nobody searches here"))
const engine = { search: noIndex, get: async () => null, suggest: noIndex, facets: noIndex }
const log = pino({ level: "silent" })
const firecrawl = await openFirecrawlJobs(db, config, {
  accounts,
  knowledge,
  chatModel: null,
  sending: readSettings(crawlerSettings, { FOSSICK_WEBHOOK_NETWORKS: "127.0.0.0/8" }),
  userAgent: "test",
  log,
  pollMs: 20,
})
const reader = createReader({ ...readSettings(crawlerSettings, {}), allowedNetworks: [host] })
const gates = openGates(config)
const runner = firecrawl.start((key) =>
  reachOf(key, {
    engine,
    reader,
    gates,
    collections: accounts.collections,
    sourceNames: async () => [],
    readers: accounts.readers,
    sites: async () => () => true,
  }),
)
const add = async ({ id, keyId, request }: Asked) => {
  const key = (await accounts.keys.byId(keyId))!
  const owner = { keyId, project: "", session: "", human: "" }
  await runner.add(id, key, owner, request, id)
  process.send!(id)
}
process.on("message", (asked: Asked) => void add(asked))
// Without this, each start would compile the code again, because a killed process leaves no cache behind.
flushCompileCache()
process.send!("ready")
