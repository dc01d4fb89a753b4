import { isMissing, Server } from "./server/server.ts"
import type { Backend } from "../server/backend.ts"
import { ServerEngine, type ServerEngineOptions } from "../server/server-engine.ts"
import { countByReaders, countWaiting, readState } from "./index-state.ts"
import { meilisearchIndex } from "./meilisearch-index.ts"
import { MeilisearchPages } from "./page-store.ts"
import { namedPages, pagesWithVectors } from "./pages-after.ts"
import { applySettings, createIndexes, indexesOf, readManifest, refuseOtherFormat } from "./server/indexes.ts"
import { INDEX_FORMAT } from "./server/indexes.ts"
import type { Send } from "./server/send.ts"
import { MeilisearchWaiting } from "./waiting-store.ts"

const READER_LAG_MS = 1000
/** Number of characters of text per write: each write has a cost on the server that depends on the size of the index, not of the write. */
const CHARS_PER_CALL = 16_000_000
/** How long a write waits for an unreachable server, and how long a search does. */
const WRITER_PATIENCE_MS = 60_000
const READER_PATIENCE_MS = 2000

export interface MeilisearchOptions extends Omit<ServerEngineOptions, "backend"> {
  /** Address of the server, without a trailing slash. */
  readonly url: string
  /** The server's master key; empty if it has none. */
  readonly key: string
  /** Prefix of the index names on the server: letters, digits, `-` and `_`. */
  readonly name: string
  /** How requests are sent. Default: HTTP. */
  readonly send?: Send
}

/** Opens the index on a Meilisearch server, like {@link ServerEngine.open}. */
export function openMeilisearch({ url, key, send, ...options }: MeilisearchOptions): Promise<ServerEngine> {
  const patienceMs = options.mode === "write" ? WRITER_PATIENCE_MS : READER_PATIENCE_MS
  const server = new Server({ url, key, patienceMs, ...(send && { send }) })
  return ServerEngine.open({ ...options, backend: meilisearchBackend(server, options.name) })
}

function meilisearchBackend(server: Server, name: string): Backend {
  const indexes = indexesOf(server, name)
  return {
    supports: {
      adapter: "meilisearch",
      typoTolerance: true,
      exactPhrase: true,
      readerLagMs: READER_LAG_MS,
    },
    charsPerCall: CHARS_PER_CALL,
    title: "Meilisearch",
    explain: (error) => server.explain(error),
    checkVersion: () => server.checkVersion(),
    manifest: () => readManifest(server, name),
    refuseOtherFormat: (manifest) => refuseOtherFormat(manifest, name),
    create: ({ id, dimensions }) =>
      createIndexes(server, name, { format: INDEX_FORMAT, embedder: id, dimensions }),
    prepare: ({ dimensions }) => applySettings(server, name, dimensions),
    state: () => orNull(readState(server, indexes)),
    waitingOf: (source) => countWaiting(server, indexes, source),
    byReaders: () => countByReaders(server, indexes),
    searchIndex: (state) => meilisearchIndex({ server, indexes, state }),
    stored: (id) => orNull(indexes.texts.getDocument(id, { fields: ["title", "details", "markdown"] })),
    async coverage(id) {
      const fields = ["passage_count", "waiting"] as const
      const page = await orNull(indexes.pages.getDocument(id, { fields: [...fields] }))
      return page && { passages: page.passage_count, vectors: page.waiting ? 0 : page.passage_count }
    },
    pagesWithVectors: (asked) => pagesWithVectors(indexes, asked),
    namedPages: (writes) => namedPages(indexes, writes),
    pageStore: (dimensions) => new MeilisearchPages(server, indexes, dimensions),
    waitingStore: () => new MeilisearchWaiting(server, indexes),
    // Nothing to close: no request outlives the engine's calls.
    [Symbol.asyncDispose]: () => Promise.resolve(),
  }
}

/** `null` if the index or the document doesn't exist. */
async function orNull<T>(asked: Promise<T>): Promise<T | null> {
  try {
    return await asked
  } catch (error) {
    if (isMissing(error)) return null
    throw error
  }
}
