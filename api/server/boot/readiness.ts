import type { Logger } from "pino"

import { isOnServer } from "#base/store/state-store.ts"
import { ModelOutage } from "#engine/models/servers/availability.ts"

import type { Check } from "../health/health.ts"
import { indexCheck, lostInWords } from "../health/index-health.ts"
import { checkState } from "../../operator/upkeep/state-check.ts"
import type { OpenIndex } from "./open-index.ts"
import type { State } from "./open-state.ts"
import type { ProcessSettings } from "./read-settings.ts"
import { WARM_UP } from "./warm-up.ts"

/**
 * The checks and warnings of /readyz.
 * @param closing ends the regular check of the state file
 */
export function readinessOf(
  { engineConfig, readOnly }: Pick<ProcessSettings, "engineConfig" | "readOnly">,
  state: State,
  {
    following,
    embedder,
    unitReader,
    chatModel,
    federation,
  }: Pick<OpenIndex, "following" | "embedder" | "unitReader" | "chatModel" | "federation">,
  log: Logger,
  closing: AsyncDisposableStack,
) {
  const { db, accountsDb, jobs, lost, room, outage } = state
  const stateFile = isOnServer(db)
    ? null
    : closing.use(checkState(engineConfig.dataDir, (problem) => log.error(problem)))
  const checks: Readonly<Record<string, Check>> = {
    // Only a database server can become unreachable: a file is available for as long as this process runs.
    ...(isOnServer(db) && {
      state: async () => {
        // Checks both connections, because calls depend on the second one.
        for (const one of [db, accountsDb]) await outage.watch(() => one.native("select 1").ask([]))
        return null
      },
    }),
    index: indexCheck({ engine: following, lostPages: () => lost.expected() }),
    model: async () => {
      try {
        await embedder.embed([WARM_UP], { priority: "query" })
      } catch (error) {
        // During an outage, search uses words alone, and the warnings say why.
        if (!(error instanceof ModelOutage)) throw error
      }
      return null
    },
    // The crawler can't send a heartbeat while nothing can be written to the disk.
    crawler: async () =>
      readOnly !== null || (await outage.watch(() => jobs.hasCrawler())) || room.takesNothing
        ? null
        : "no crawler process is running on this data folder",
  }
  return {
    checks,
    notes: { disk: async () => room.problem() },
    warnings: async () => {
      const { strange, clock } = await outage.watch(() => state.problems())
      return [
        strange,
        stateFile?.problem(),
        clock,
        ...following.warnings,
        ...unitReader.warnings(),
        chatModel?.outage,
        ...(federation?.warnings() ?? []),
        lostInWords(await lost.count()),
      ].filter((warning) => typeof warning === "string")
    },
    indexState: {
      wordsAlone: () => following.wordsAlone,
      notReranked: () => following.notReranked !== null,
      lostPages: () => lost.count(),
    },
  }
}
