import { pino } from "pino"

import type { CrawlerConfig, StateStore } from "#crawler"
import type { Engine } from "#engine"

import { openWatches, type Watches } from "../open-watches.ts"

/** Watches that check nothing, for tests that only make calls. */
export const watchesOf = async (parts: {
  readonly db: StateStore
  readonly engine: Pick<Engine, "get" | "stats" | "supports">
  readonly crawlerConfig: CrawlerConfig
}): Promise<Watches> => {
  const watches = await openWatches({
    ...parts,
    keys: { byId: async () => null },
    config: { watchTextMb: 0, keyStoredMb: 512, watchEntries: 10 },
    log: pino({ level: "silent" }),
  })
  return { ...watches, start: () => {} }
}
