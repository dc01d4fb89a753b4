import { AsyncLocalStorage } from "node:async_hooks"

// Between a route and what it asks of the state lie dozens of signatures that have no other use for this.
const continuing = new AsyncLocalStorage<boolean>()

/** Whether this runs for a call that continues while the server of the state is away. */
export const isContinuing = (): boolean => continuing.getStore() === true

/** Calls that only read the index. They continue; whatever is not here is refused, so that a new call is unless somebody says here that it need not be. */
const READING = new Map([
  // Whether a page may call with a public key.
  ["OPTIONS", /^\/(?:search|suggest)$/],
  [
    "GET",
    /^\/(?:suggest(?:\/opensearch)?|pages|read\/.+|sources|searxng(?:\/search|\/autocompleter|\/config)?|v1\/(?:models|vector_stores)(?:\/[^/]+)?)$/s,
  ],
  [
    "POST",
    // Calls of tools over MCP are looked at one by one.
    /^\/(?:search|mcp|searxng(?:\/search)?|openwebui\/search|v[12]\/search|v1\/embeddings|v1\/vector_stores\/[^/]+\/search)$/,
  ],
])

export const isReading = (method: string, path: string): boolean =>
  READING.get(method === "HEAD" ? "GET" : method)?.test(path) === true

/** Runs `work` as a call that continues, or as one that does not. */
export const asContinuing = <T>(isSo: boolean, work: () => T): T => continuing.run(isSo, work)
