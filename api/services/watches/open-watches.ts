import type { Logger } from "pino"

import { environment } from "#base/settings.ts"
import type { CrawlerConfig, StateStore } from "#crawler"
import { userAgentHeader } from "#crawler/settings.ts"
import type { Engine } from "#engine"

import type { KeyStore } from "../../identity/accounts/keys/keys.ts"
import { followWatches } from "./follow-watches.ts"
import type { LookParts } from "./look.ts"
import type { WatchParts } from "./own-watches.ts"
import { WatchOutbox } from "./store/outbox.ts"
import { WatchStore } from "./store/watch-store.ts"
import { openWatchSecrets } from "./watch-secrets.ts"

/** Added to the delay that index readers promise, because on a busy machine they see a write slightly later. */
const LAG_MARGIN_MS = 1000

export interface OpenWatchesParts {
  readonly db: StateStore
  readonly engine: Pick<Engine, "get" | "stats" | "supports">
  readonly keys: Pick<KeyStore, "byId">
  readonly config: {
    readonly watchTextMb: number
    readonly watchEntries: number
    readonly keyStoredMb: number
  }
  readonly crawlerConfig: CrawlerConfig
  readonly log: Logger
  /** Milliseconds between checks. Default: one second. */
  readonly pollMs?: number
}

/** The watches, and the follower that checks them. The caller must close this object before it closes the connection. */
export interface Watches extends WatchParts, AsyncDisposable {
  /**
   * Starts to look for changes and report them.
   * @param reachOf the current reach of a key
   */
  start(reachOf: LookParts["reachOf"], readQuestion: LookParts["readQuestion"]): void
}

export async function openWatches({
  db,
  engine,
  keys,
  config,
  crawlerConfig,
  log,
  pollMs,
}: OpenWatchesParts): Promise<Watches> {
  const store = new WatchStore(db, {
    textBytes: config.watchTextMb * 1_000_000,
    keyBytes: config.keyStoredMb * 1_000_000,
  })
  const outbox = new WatchOutbox(db)
  const secrets = await openWatchSecrets(db)
  const stop = new AbortController()
  let following: Promise<void> | undefined
  return {
    store,
    outbox,
    secrets,
    hasMailServer: crawlerConfig.smtpUrl !== "",
    start(reachOf, readQuestion) {
      const sending = crawlerConfig
      following = followWatches(
        {
          store,
          outbox,
          secrets,
          engine,
          keys,
          reachOf,
          readQuestion,
          config: { watchEntries: config.watchEntries, sending, userAgent: userAgentHeader(crawlerConfig) },
          env: environment(),
          log,
          lagMs: engine.supports.readerLagMs + LAG_MARGIN_MS,
          ...(pollMs !== undefined && { pollMs }),
        },
        stop.signal,
      )
    },
    async [Symbol.asyncDispose]() {
      stop.abort()
      await following
    },
  }
}
