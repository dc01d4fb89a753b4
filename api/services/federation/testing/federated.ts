import { mkdtemp, rm } from "node:fs/promises"
import { createServer, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { pino } from "pino"

import { readSettings } from "#base/settings.ts"
import { crawlerSettings } from "#crawler"
import type { Page } from "#engine"
import { EmbeddedEngine } from "#engine/adapters/embedded/embedded-engine.ts"
import { HashingEmbedder } from "#engine/testing/hashing-embedder.ts"

import { openAccounts } from "../../../identity/accounts/accounts.ts"
import { type ApiKey, apiKey } from "../../../identity/accounts/keys/keys.ts"
import { apiSettings } from "../../../settings.ts"
import { memoryState, serveApp, type ServedApp, withTestKeys } from "../../../testing/serve-app.ts"
import { Federation } from "../federation.ts"
import type { PeerSpec } from "../peers-file.ts"

/** An appliance for a test, with its own index, that listens on a socket. */
export interface Appliance extends ServedApp {
  readonly federation: Federation
  /** Its log lines about peers. */
  readonly peerLog: readonly string[]
}

export interface ApplianceOptions {
  readonly pages: readonly Page[]
  readonly peers?: readonly PeerSpec[]
  readonly mostHops?: number
  /** Additional keys, by their text. */
  readonly keys?: Readonly<Record<string, Partial<ApiKey>>>
  readonly sourceNames?: readonly string[]
  readonly port?: number
  readonly reader?: NonNullable<Parameters<typeof serveApp>[0]>["reader"]
}

/** A peer as an operator would declare it for a loopback address. */
export const peerSpec = (name: string, url: string, key: string, more: Partial<PeerSpec> = {}): PeerSpec => ({
  name,
  url,
  key,
  timeoutMs: 20_000,
  sources: null,
  networks: ["127.0.0.1"],
  caFile: null,
  readers: null,
  ...more,
})

export async function startAppliance(options: ApplianceOptions): Promise<Appliance> {
  const { pages, peers = [], mostHops = 1, keys = {}, sourceNames = [], port, reader } = options
  await using opened = new AsyncDisposableStack()
  const dir = await mkdtemp(join(tmpdir(), "fossick-federation-"))
  opened.defer(() => rm(dir, { recursive: true, force: true }))
  const engine = opened.use(
    await EmbeddedEngine.open({ dir, embedder: new HashingEmbedder(), mode: "write" }),
  )
  await engine.index(pages)
  await engine.settled()
  const peerLog: string[] = []
  const federation = opened.use(
    new Federation(peers, {
      mostHops,
      rules: async () => [],
      proxy: readSettings(crawlerSettings, {}),
      userAgent: "Fossick test",
      env: {},
      log: pino({ level: "debug" }, { write: (line: string) => void peerLog.push(line) }),
    }),
  )
  const db = memoryState()
  opened.defer(() => db.close())
  const own = opened.use(await openAccounts(db, readSettings(apiSettings, {}), () => {}))
  const further = withTestKeys(own.keys)
  const known = Object.fromEntries(
    Object.entries(keys).map(([text, about], i) => [
      text,
      apiKey({ id: `key-${i}`, role: "search", ...about }),
    ]),
  )
  const accounts = {
    ...own,
    keys: {
      ...further,
      verify: async (presented: string) => known[presented] ?? (await further.verify(presented)),
      byId: async (id: string) =>
        Object.values(known).find((key) => key.id === id) ?? (await further.byId(id)),
    },
  }
  const app = opened.use(
    await serveApp({
      engine,
      federation,
      accounts,
      sourceNames: async () => sourceNames,
      ...(port !== undefined && { port }),
      ...(reader && { reader }),
    }),
  )
  const all = opened.move()
  return {
    ...app,
    federation,
    peerLog,
    logLines: app.logLines,
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  }
}

export interface Impostor extends AsyncDisposable {
  readonly url: string
}

/** A server that is not an appliance, on a socket. */
export async function startImpostor(listener: RequestListener): Promise<Impostor> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
