import { isIP } from "node:net"

import { ByteLru, CacheMemory } from "#base/flow/memory/cache-memory.ts"
import { readForeign } from "#base/text/json/foreign-json.ts"
import type { ProxySettings } from "#crawler/fetch/connect/outgoing-proxy.ts"
import type { AddressGuard, AddressGuardOptions } from "#crawler/fetch/guard/address-guard.ts"

import { isFields } from "../../server/wire/fields.ts"

/** A program's own description, read from its address. */
export interface ClientDocument {
  readonly name: string
  readonly redirectUris: readonly string[]
}

export interface ClientDocumentsOptions {
  readonly proxy: ProxySettings
  readonly userAgent: string
  /** For tests: overrides of the guard's options. */
  readonly guard?: Partial<AddressGuardOptions>
}

/** Maximum size of a document: a larger one isn't plausible, because the draft recommends 5 KB. */
const MOST_BYTES = 10_240
const MOST_URL_CHARS = 2000
const TIMEOUT_MS = 5000
const CONNECT_TIMEOUT_MS = 3000
/** Memory for cached documents, limited to 4 MB; the least recently used document is dropped. */
const MEMORY = new CacheMemory("oauth-clients", 4_000_000)
/** How long until a document is reread. */
const FRESH_MS = 3_600_000
/** How long a document that cannot be reread stays valid, so that no program is shut out because its site is down. */
const STALE_MS = 86_400_000
/** How long until a document that could not be read is requested again. */
const FAILED_MS = 60_000

interface Kept {
  readonly document: ClientDocument | null
  readonly at: number
}

/**
 * Programs known by the address of a document about them instead of a registration (OAuth Client ID Metadata Document,
 * draft-ietf-oauth-client-id-metadata-document, as MCP's authorization specification requires). Anyone can make the
 * appliance fetch one, so it is fetched through the address guard, only from public addresses, with limits and without
 * redirects.
 */
export class ClientDocuments implements AsyncDisposable {
  readonly #options: ClientDocumentsOptions
  readonly #kept = new ByteLru<string, Kept>(MEMORY)
  readonly #reading = new Map<string, Promise<ClientDocument | null>>()
  #guard: Promise<AddressGuard> | undefined

  constructor(options: ClientDocumentsOptions) {
    this.#options = options
  }

  /** The program's document; null if there is no valid one. */
  async client(id: string): Promise<ClientDocument | null> {
    if (!isDocumentAddress(id)) return null
    const kept = this.#kept.get(id)
    const age = kept === undefined ? Infinity : Date.now() - kept.at
    if (kept !== undefined && Math.abs(age) < (kept.document === null ? FAILED_MS : FRESH_MS))
      return kept.document
    const read = await this.#once(id)
    if (read === null && kept?.document && Math.abs(age) < STALE_MS) return kept.document
    const bytes = 2 * (id.length + JSON.stringify(read).length)
    this.#kept.set(id, { document: read, at: Date.now() }, bytes)
    return read
  }

  /** Concurrent requests for the same document share one response. */
  async #once(id: string): Promise<ClientDocument | null> {
    const under = this.#reading.get(id)
    if (under !== undefined) return await under
    const reading = this.#read(id)
      .catch(() => null)
      .finally(() => this.#reading.delete(id))
    this.#reading.set(id, reading)
    return await reading
  }

  async #read(id: string): Promise<ClientDocument | null> {
    const [{ request }, guard] = await Promise.all([import("undici"), (this.#guard ??= this.#open())])
    const url = new URL(id)
    const { statusCode, body } = await request(url, {
      dispatcher: guard.dispatcherFor(url),
      headers: { accept: "application/json", "user-agent": this.#options.userAgent },
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    // A cancelled request also emits an error.
    body.on("error", () => undefined)
    if (statusCode !== 200) {
      body.destroy()
      return null
    }
    return documentOf(id, await readForeign(body as AsyncIterable<Buffer>, MOST_BYTES))
  }

  async #open(): Promise<AddressGuard> {
    const [{ AddressGuard: Guard }, { OutgoingProxy }] = await Promise.all([
      import("#crawler/fetch/guard/address-guard.ts"),
      import("#crawler/fetch/connect/outgoing-proxy.ts"),
    ])
    return new Guard({
      allowed: [],
      purpose: "oauth-client",
      proxy: OutgoingProxy.of(this.#options.proxy),
      connections: 1,
      connectTimeoutMs: CONNECT_TIMEOUT_MS,
      ...this.#options.guard,
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await (await this.#guard)?.[Symbol.asyncDispose]()
  }
}

/** Section 3 of the draft: https, with a path, without a fragment, user info or dot segments; and with a host name, because an IP address can change. */
export function isDocumentAddress(id: string): boolean {
  const url = id.length > MOST_URL_CHARS ? null : URL.parse(id)
  return (
    url !== null &&
    url.protocol === "https:" &&
    url.pathname !== "/" &&
    url.hash === "" &&
    url.username === "" &&
    url.password === "" &&
    isIP(url.hostname.replaceAll(/[[\]]/g, "")) === 0 &&
    // The address must be in exactly this form, because the document repeats it.
    url.href === id
  )
}

/** Section 4.1: the document must name its own address, and must not contain a secret shared with us. */
function documentOf(id: string, given: unknown): ClientDocument | null {
  if (!isFields(given) || given["client_id"] !== id || "client_secret" in given) return null
  const { client_name: name, redirect_uris: uris, token_endpoint_auth_method: method = "none" } = given
  const isText = (one: unknown): one is string => typeof one === "string"
  if (!Array.isArray(uris) || !uris.every(isText) || method !== "none") return null
  return { name: typeof name === "string" ? name : "a program", redirectUris: uris }
}
