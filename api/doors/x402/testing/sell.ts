import { NO_READERS } from "../../../testing/no-readers.ts"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { pino } from "pino"

import type { Hit, Query } from "#engine"
import { readSettings } from "#base/settings.ts"
import { HashingEmbedder } from "#engine/testing/hashing-embedder.ts"

import { apiSettings } from "../../../settings.ts"
import type { ApiConfig } from "../../../app.ts"
import { openConnections } from "../../../server/load/connections.ts"
import { openGates } from "../../../server/load/gates.ts"
import { openMemory } from "../../../server/load/memory/memory.ts"
import { hit } from "../../../testing/fake-engine.ts"
import { sellingOf, x402Settings } from "../settings.ts"
import { openPaidListener } from "../../tavily/lent/sold-search.ts"
import type { ListenerParts } from "../open-listener.ts"
import { NETWORK } from "./chain.ts"
import { payee } from "./wallets.ts"

/** An engine that finds one page, or misbehaves if told to. */
export class StagedEngine {
  readonly queries: Query[] = []
  /** Runs instead of searching. */
  instead: ((query: Query, signal?: AbortSignal) => Promise<void>) | null = null
  hits: readonly Hit[] = [hit()]

  async search(query: Query, { signal }: { signal?: AbortSignal } = {}): Promise<{ hits: readonly Hit[] }> {
    this.queries.push(query)
    await this.instead?.(query, signal)
    return { hits: this.hits }
  }
}

/** The parts of a search that uses this engine; they have no images, no reranker and no chat model. */
export const searchOver = (engine: StagedEngine): ListenerParts["search"] => ({
  engine,
  images: { facts: async () => new Map() },
  embedder: new HashingEmbedder(),
  unitReader: null,
  chatModel: null,
  fresh: {
    checked: async ({ fetchedAt }) => fetchedAt,
    reread: async () => ({ kind: "refused", because: "nothing is read in this test" }),
  },
})

/**
 * The paid search on its own port, with a staged engine and a data folder that `close` removes.
 * @param how its `parts` replace the ones that are created here
 */
export async function sellSearches(
  env: Readonly<Record<string, string>>,
  {
    dataDir: given,
    gate = {},
    parts = {},
  }: {
    readonly dataDir?: string
    readonly gate?: Partial<ApiConfig>
    readonly parts?: Partial<ListenerParts>
  } = {},
) {
  const dataDir = given ?? (await mkdtemp(join(tmpdir(), "fossick-x402-")))
  const engine = new StagedEngine()
  const logLines: string[] = []
  const settings = {
    FOSSICK_X402_PORT: "0",
    FOSSICK_X402_SOURCES: "*",
    X402_NETWORK: NETWORK,
    X402_PAY_TO: payee.address,
    X402_PUBLIC_URL: "https://search.example",
    X402_VERIFY_TIMEOUT_MS: "15000",
    X402_SETTLE_TIMEOUT_MS: "15000",
    ...env,
  }
  const selling = sellingOf(readSettings(x402Settings, settings), 8080)
  if (!selling.on) throw new Error(`nothing is sold: ${selling.missing.join()} missing`)
  const limits = readSettings(apiSettings, {})
  const connections = openConnections(limits)
  const memory = openMemory(limits, connections)
  const listener = await openPaidListener({
    config: selling.config,
    host: "127.0.0.1",
    dataDir,
    search: searchOver(engine),
    collections: { sourcesOf: async () => [] },
    readers: NO_READERS,
    connections,
    memory,
    searches: openGates({ ...limits, ...gate }).searches,
    limits,
    log: pino({ level: "debug" }, { write: (line: string) => void logLines.push(line) }),
    ...parts,
  })
  return {
    url: `http://127.0.0.1:${listener.port}`,
    dataDir,
    engine,
    connections,
    outcomes: listener.outcomes,
    logLines,
    async [Symbol.asyncDispose]() {
      await listener[Symbol.asyncDispose]()
      memory[Symbol.dispose]()
      if (given === undefined) await rm(dataDir, { recursive: true, force: true })
    },
  }
}
