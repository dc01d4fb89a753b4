import type { Logger } from "pino"

import { readersNow } from "#crawler/sources/readers/readers-now.ts"
import { sourceNames } from "#crawler/sources/source-names.ts"

import { UNLIMITED } from "../../identity/accounts/keys/key-scope.ts"
import { reachOf } from "../../identity/accounts/reach/reach.ts"
import { sourceSites } from "../../identity/accounts/reach/source-sites.ts"
import { loadSales } from "../../features.ts"
import type { Connections } from "../load/connections.ts"
import type { Gates } from "../load/gates.ts"
import type { Memory } from "../load/memory/memory.ts"
import type { PageKnowledge } from "../../services/pages/page-knowledge.ts"
import { freshParts } from "../../core/ask/ask.ts"
import { salesLine, unknownForSale } from "../../doors/x402/for-sale.ts"
import type { PaidListener } from "../../doors/x402/open-listener.ts"
import type { X402Config } from "../../doors/x402/settings.ts"
import type { OpenIndex } from "./open-index.ts"
import type { State } from "./open-state.ts"
import type { ProcessSettings } from "./read-settings.ts"

/** The parts that the paid search shares with the other listener. */
interface Shared {
  readonly pages: PageKnowledge
  readonly connections: Connections
  readonly gates: Gates
  readonly memory: Memory
  readonly log: Logger
}

/** The paid search on its own port, if the operator sells searches. */
export class Sales implements AsyncDisposable {
  #paid: PaidListener | undefined

  /** How requests have ended since startup; null while no searches are sold. */
  outcomes(): PaidListener["outcomes"] | null {
    return this.#paid?.outcomes ?? null
  }

  /**
   * Opens the listener, or logs why there is none.
   * @returns one line for the first screen; null if selling isn't set up
   */
  async begin(
    settings: ProcessSettings,
    state: State,
    index: Omit<OpenIndex, "federation">,
    shared: Shared,
  ): Promise<string | null> {
    const { selling, readOnly } = settings
    const { log } = shared
    const isOpen = selling.on && readOnly === null
    const unsold = isOpen ? await unknownForSale(selling.config, state.db, state.accounts.collections) : null
    if (unsold !== null) log.error({ reason: unsold }, "no searches are sold until this is fixed")
    else if (isOpen) {
      // The payment code is loaded only if searches are sold.
      const { openPaidListener } = await loadSales()
      this.#paid = await openPaidListener(listenerParts(selling.config, settings, state, index, shared))
    } else if (!selling.on && selling.missing.length > 0) {
      log.warn({ missing: selling.missing }, "no searches are sold until these are set too")
    }
    return salesLine(selling, unsold, this.#paid?.port)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#paid?.[Symbol.asyncDispose]()
  }
}

function listenerParts(
  forSale: X402Config,
  { config, engineConfig }: ProcessSettings,
  { db, jobs, accounts, process }: State,
  { engine, images, embedder, unitReader, chatModel, reader, rereader }: Omit<OpenIndex, "federation">,
  { pages, connections, gates, memory, log }: Shared,
) {
  const { collections } = accounts
  return {
    config: forSale,
    host: config.host,
    dataDir: engineConfig.dataDir,
    search: {
      engine,
      images,
      embedder,
      unitReader: unitReader.reader,
      chatModel,
      fresh: freshParts(
        // All payers together share the turns of one key.
        reachOf(
          { id: "sales", scope: { ...UNLIMITED, ...forSale.forSale }, principals: [] },
          {
            engine,
            reader,
            rereader,
            gates,
            collections,
            readers: () => readersNow(db),
            sourceNames: () => sourceNames(db),
            sites: sourceSites(db, jobs),
          },
        ),
        pages,
      ),
    },
    collections,
    readers: () => readersNow(db),
    connections,
    memory,
    searches: gates.searches,
    limits: config,
    process: process.id,
    log,
  }
}
