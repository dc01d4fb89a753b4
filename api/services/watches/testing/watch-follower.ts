import { flushCompileCache } from "node:module"
import { join } from "node:path"

import { pino } from "pino"

import { openStateStore } from "#base/store/state-store.ts"
import { readSettings } from "#base/settings.ts"
import { crawlerSettings } from "#crawler/settings.ts"
import { EmbeddedEngine } from "#engine/adapters/embedded/embedded-engine.ts"
import { HashingEmbedder } from "#engine/testing/hashing-embedder.ts"

import { apiKey } from "../../../identity/accounts/keys/keys.ts"
import { apiSettings } from "../../../settings.ts"
import { readQuestion } from "../../../doors/tavily/lent/saved-search.ts"
import { openWatches } from "../open-watches.ts"

// Follows the watches of a data folder until it is killed: node watch-follower.ts <folder>

const [folder = ""] = process.argv.slice(2)
const db = await openStateStore(folder)
const engine = await EmbeddedEngine.open({
  dir: join(folder, "index"),
  mode: "read",
  embedder: new HashingEmbedder(),
})
const config = readSettings(apiSettings, {})
const watches = await openWatches({
  db,
  engine,
  keys: { byId: async (id) => apiKey({ id, role: "admin" }) },
  config,
  crawlerConfig: readSettings(crawlerSettings, { FOSSICK_WEBHOOK_NETWORKS: "127.0.0.0/8" }),
  log: pino({ level: "silent" }),
  pollMs: 20,
})
watches.start(
  () => ({
    engine,
    limits: async () => null,
    keepsOut: async () => false,
    names: {
      named: async () => undefined,
      all: async () => ({ sources: [], collections: [] }),
      filing: async () => (sources) => ({ sources, collections: [] }),
    },
  }),
  (search, names) => readQuestion(search, config, names),
)
// A killed process would leave no compile cache, so each start would compile everything again.
flushCompileCache()
process.send?.("ready")
