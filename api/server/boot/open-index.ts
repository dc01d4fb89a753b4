import type { Logger } from "pino"

import { handbookApart } from "#crawler/handbook-apart.ts"
import { type ImageFacts, ImageStore } from "#crawler/upkeep/images/image-store.ts"
import { fixReaders } from "#crawler/sources/readers/readers-now.ts"
import { userAgentHeader } from "#crawler/settings.ts"
import { indexCacheMb } from "#engine/index-cache.ts"
import { openSearchEngine } from "#engine/open-engine.ts"

import { openAnswerReader } from "../../services/answers/unit-reader.ts"
import { openChatModel } from "../../services/chat-models/chat-server.ts"
import { lazyReader, lazyRereader } from "../../core/read/lazy-reader.ts"
import { Federation } from "../../services/federation/federation.ts"
import { readPeers } from "../../services/federation/peers-file.ts"
import { refusingIfLost } from "../health/index-health.ts"
import { mostOfIndexMb } from "../load/memory/memory-limits.ts"
import { RuleStore } from "../../operator/rules/rule-store.ts"
import { ruledEngine } from "../../operator/rules/ruled-engine.ts"
import type { State } from "./open-state.ts"
import type { ProcessSettings } from "./read-settings.ts"

/** Number of threads for embedding: a search embeds only one short text; the threads that embed pages belong to the crawler. */
const QUERY_THREADS = 1

export type OpenIndex = Awaited<ReturnType<typeof openIndex>>

/**
 * Opens the index (read-only), everything else that searches need, and the reader of live pages.
 * @param opened closes all of them
 */
export async function openIndex(
  settings: ProcessSettings,
  { db, jobs, lost, outage }: Pick<State, "db" | "jobs" | "lost" | "outage">,
  log: Logger,
  opened: AsyncDisposableStack,
) {
  const { config, engineConfig, crawlerConfig } = settings
  log.info({ engine: engineConfig.engine }, "opening the index ({engine})")
  const following = opened.use(
    await openSearchEngine(
      {
        ...engineConfig,
        embedThreads: QUERY_THREADS,
        indexCacheMb: indexCacheMb(engineConfig.indexCacheMb, mostOfIndexMb(config)),
      },
      {
        loadsModel: true,
        onProblem: (error) => log.warn({ err: error }, "the engine had a problem and will try again"),
      },
    ),
  )
  const ruleStore = new RuleStore(db)
  const rules = { list: outage.remembered(() => ruleStore.list()) }
  const engine = ruledEngine(
    handbookApart(
      refusingIfLost(
        following,
        outage.without(() => lost.expected(), 0),
      ),
      db,
      crawlerConfig,
      (look) => outage.remembered(look),
    ),
    rules,
  )
  const federation = openFederation(settings, rules, log, opened)
  fixReaders(db, federation?.readers ?? new Map())
  const reader = opened.use(lazyReader(crawlerConfig))
  const rereader = opened.use(
    lazyRereader({
      db,
      jobs,
      config: crawlerConfig,
      onProblem: (source, err) => log.warn({ source, err }, "pages of {source} could not be read again"),
    }),
  )
  const chatModel = opened.use(
    openChatModel(crawlerConfig.readOnly === "drill" ? { ...config, llmUrl: "" } : config),
  )
  const unitReader = opened.use(await openAnswerReader(config, log))
  const images = new ImageStore(db, engineConfig.dataDir)
  return {
    /** The unmodified index; searches use `engine`. */
    following,
    engine,
    embedder: following.embedder,
    federation,
    reader,
    rereader: {
      read: outage.without(rereader.read, {
        kind: "refused",
        because: "the PostgreSQL server cannot be reached",
      }),
      readLive: outage.without(rereader.readLive, null),
    },
    chatModel,
    unitReader,
    thumbnails: images,
    images: {
      facts: outage.without(
        (...asked: Parameters<typeof images.facts>) => images.facts(...asked),
        new Map<string, ImageFacts>(),
      ),
    },
  }
}

/** The other appliances to ask; null if there are none. */
function openFederation(
  { config, crawlerConfig, env }: ProcessSettings,
  rules: Pick<RuleStore, "list">,
  log: Logger,
  opened: AsyncDisposableStack,
): Federation | null {
  // During a drill, no other appliance is asked.
  const peers = crawlerConfig.readOnly === "drill" ? [] : readPeers(config.peersFile, env)
  if (peers.length === 0) return null
  return opened.use(
    new Federation(peers, {
      mostHops: config.peerHops,
      rules: () => rules.list(),
      proxy: crawlerConfig,
      userAgent: userAgentHeader(crawlerConfig),
      env,
      log,
    }),
  )
}
