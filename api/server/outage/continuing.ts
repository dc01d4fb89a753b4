import { AsyncLocalStorage } from "node:async_hooks"

// Kept in async context: a parameter for this would pass through dozens of functions that have no other use for it.
const continuing = new AsyncLocalStorage<boolean>()

/** Whether this code runs for a call that continues while the PostgreSQL server is away. */
export const isContinuing = (): boolean => continuing.getStore() === true

/** Calls that only read the index and continue during an outage. All others are refused, so a new call is refused until it is added here. */
const READING = new Map([
  // Browsers make this call to ask whether a page may make calls with a public key.
  ["OPTIONS", /^\/(?:search|suggest)$/],
  [
    "GET",
    /^\/(?:suggest(?:\/opensearch)?|pages|read\/.+|sources|searxng(?:\/search|\/autocompleter|\/config)?|v1\/(?:models|vector_stores)(?:\/[^/]+)?)$/s,
  ],
  [
    "POST",
    // Each call that a tool makes over MCP is checked separately.
    /^\/(?:search|mcp|searxng(?:\/search)?|openwebui\/search|v[12]\/search|v1\/embeddings|v1\/vector_stores\/[^/]+\/search)$/,
  ],
])

export const isReading = (method: string, path: string): boolean =>
  READING.get(method === "HEAD" ? "GET" : method)?.test(path) === true

/** Runs `work` for a call that continues, or for a call that does not. */
export const asContinuing = <T>(isSo: boolean, work: () => T): T => continuing.run(isSo, work)
