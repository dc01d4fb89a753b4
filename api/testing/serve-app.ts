import type { AddressInfo } from "node:net"
import { join } from "node:path"

import { pino } from "pino"

import { emptyState } from "#base/store/testing/empty-state.ts"
import { readSettings } from "#base/settings.ts"
import { HashingEmbedder } from "#engine/testing/hashing-embedder.ts"

import { openAccounts } from "../identity/accounts/accounts.ts"
import { type ApiKey, apiKey, type KeyStore } from "../identity/accounts/keys/keys.ts"
import { type ApiConfig, type AppParts, appOf, type Desk } from "../app.ts"
import type { Feature } from "../feature.ts"
import { features, settingsOf } from "../features.ts"
import { apiSettings } from "../settings.ts"
import { httpServer } from "../server/http-server.ts"
import { openConnections } from "../server/load/connections.ts"
import { openGates } from "../server/load/gates.ts"
import { openMemory } from "../server/load/memory/memory.ts"
import { undocumented } from "../server/openapi/testing/documented.ts"
import { openResearch } from "../services/research/open-research.ts"
import { openSessions } from "../identity/sessions/sessions.ts"
import { FakeEngine } from "./fake-engine.ts"

/** A key with the role admin. */
export const TEST_KEY = "test-key-of-the-admin"
/** A key with the role search. */
export const SEARCH_KEY = "search-key-of-a-reader"

const KEYS: Readonly<Record<string, ApiKey>> = {
  [TEST_KEY]: apiKey({ id: "tester", role: "admin" }),
  [SEARCH_KEY]: apiKey({ id: "searcher", role: "search" }),
}

export interface ServedApp extends AsyncDisposable {
  readonly url: string
  /** Every log line so far, as written. */
  readonly logLines: readonly string[]
  /** Number of requests so far. */
  requests(): number
  /** Sends a POST request with a JSON body and the key; `init` overrides the request's options. */
  post(path: string, body: unknown, init?: RequestInit): Promise<Answer>
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  // oxlint-disable-next-line typescript/no-explicit-any -- a test looks into whatever came back
  readonly body: any
}

/** The pages of an index that no crawl has filled. */
export const NO_PAGES: AppParts["pages"] = {
  standingFor: async () => [],
  spellingsOf: async () => [],
  visits: async () => ({ checkedAt: null, changedAt: null }),
  sources: async () => [],
  content: async () => null,
}

/**
 * Serves the app on a real socket, with a fake engine unless one is given.
 * @typeParam Own the values of additional settings in `more`
 */
export async function serveApp<Own extends object = object>(
  given: Partial<Omit<AppParts, "config">> & {
    readonly config?: Partial<ApiConfig> & NoInfer<Partial<Own>>
    /** Features in addition to those of the appliance. */
    readonly more?: readonly Feature<Desk & { readonly config: Own }>[]
    readonly port?: number
  } = {},
): Promise<ServedApp> {
  const logLines: string[] = []
  const { config: settings, more = [], port = 0, ...parts } = given
  const config = { ...readSettings({ ...apiSettings, ...settingsOf(more) }, {}), ...settings } as ApiConfig &
    Own
  const db = parts.accounts ? null : memoryState()
  const own = db && (await openAccounts(db, config, () => {}))
  const accounts = parts.accounts ?? { ...own!, keys: withTestKeys(own!.keys) }
  const log = pino({ level: "debug" }, { write: (line: string) => void logLines.push(line) })
  const { embedder = new HashingEmbedder(), unitReader = null, chatModel = null } = parts
  const connections = openConnections(config)
  const memory = openMemory(config, connections)
  const research =
    db && openResearch(db, config, { accounts, embedder, unitReader, chatModel, pages: memory.research, log })
  const app = await appOf<{ readonly config: Own }>([...features, ...more], {
    engine: new FakeEngine(),
    images: { facts: async () => new Map() },
    thumbnails: { facts: async () => new Map(), thumbnail: () => Promise.resolve(null) },
    forms: { of: async () => [] },
    pages: NO_PAGES,
    sites: async () => () => false,
    sourceNames: async () => [],
    log,
    ...(research && { research }),
    ...(db && { sessions: openSessions(db, accounts, config) }),
    checks: {},
    jobs: { count: async () => 0, hasCrawler: async () => true },
    backups: { plan: async () => null, last: async () => null },
    sourceResults: async () => [],
    connections,
    gates: openGates(config),
    memory,
    docsDir: join(import.meta.dirname, "../../docs"),
    facesDir: join(import.meta.dirname, "../../faces"),
    reader: {
      read: async () => ({ kind: "failed", because: "dns", detail: "no reader in this test" }),
      sitemap: async () => [],
      [Symbol.asyncDispose]: async () => {},
    },
    embedder,
    unitReader,
    chatModel,
    ...parts,
    accounts,
    config,
  })
  const server = httpServer(app, connections)
  let requests = 0
  server.on("request", () => requests++)
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    logLines,
    requests: () => requests,
    async post(path, body, init = {}) {
      const answer = await answerOf(
        await fetch(url + path, {
          method: "POST",
          headers: { "Content-Type": "application/json", Authorization: `Bearer ${TEST_KEY}` },
          body: JSON.stringify(body),
          ...init,
        }),
      )
      expectDocumented("POST", path, answer)
      return answer
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await research?.researchers[Symbol.asyncDispose]()
      await own?.[Symbol.asyncDispose]()
      memory[Symbol.dispose]()
      db?.close()
    },
  }
}

/** Fails if /openapi.json does not document an answer like this for the call. */
export function expectDocumented(method: string, path: string, answer: Answer): void {
  const complaints = undocumented(method, path, answer)
  if (complaints.length > 0) throw new Error(`Not as documented: ${complaints.join("; ")}`)
}

/** An empty, private state. */
export const memoryState = emptyState

/** A key store that also accepts the keys above. */
export const withTestKeys = (keys: KeyStore): KeyStore => ({
  ...keys,
  verify: async (presented) => KEYS[presented] ?? (await keys.verify(presented)),
  verifyWriter: async (presented) => {
    const key = KEYS[presented]
    return key?.role === "admin" ? key : await keys.verifyWriter(presented)
  },
  byId: async (id) => Object.values(KEYS).find((key) => key.id === id) ?? (await keys.byId(id)),
})

/** Reads an answer as JSON; fails if it is anything else. */
export async function answerOf(response: Response): Promise<Answer> {
  return { status: response.status, headers: response.headers, body: await response.json() }
}
