import type { IncomingHttpHeaders } from "node:http"

import { request } from "undici"

import { OutgoingProxy } from "#crawler/fetch/connect/outgoing-proxy.ts"
import { tlsOf } from "#crawler/fetch/connect/source-tls.ts"
import { AddressGuard } from "#crawler/fetch/guard/address-guard.ts"

import { ProviderAwayError, type ProviderParts } from "./provider.ts"
import type { Reach } from "./reach-fields.ts"

/** Maximum size of a response with metadata, keys or claims about a person; Keycloak's are about 20 KB. */
const MOST_BYTES = 1024 * 1024
const CONNECT_TIMEOUT_MS = 3000
const TIMEOUT_MS = 5000
const CONNECTIONS = 8

/** Requests to one provider, in the form of the Fetch standard. */
export interface GuardedFetch extends AsyncDisposable {
  /** Sends a request without following redirects, limited in time and size. @throws ProviderAwayError if there is no complete response, or one from a server that failed */
  readonly fetch: (url: string, options: GuardedRequest) => Promise<Response>
}

interface GuardedRequest {
  readonly method: string
  readonly headers: Record<string, string>
  readonly body?: unknown
}

/** Opens requests to a provider. @throws KnownError when a certificate authority cannot be read */
export function guardedFetch(name: string, { networks, caFile }: Reach, parts: ProviderParts): GuardedFetch {
  const tls = tlsOf({ seeds: [], caFile, clientCert: null, login: null }, parts.env)
  const guard = new AddressGuard({
    allowed: networks,
    allowedBy: `networks of the provider ${name}`,
    purpose: "sign-on",
    proxy: OutgoingProxy.of(parts.proxy),
    tls,
    connections: CONNECTIONS,
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
    ...parts.guard,
  })
  const send = async (url: URL, { method, headers, body }: GuardedRequest): Promise<Response> => {
    const answer = await request(url, {
      dispatcher: guard.dispatcherFor(url),
      method,
      headers: { ...headers, "accept-encoding": "identity", "user-agent": parts.userAgent },
      body: body instanceof URLSearchParams ? body.toString() : ((body as string | undefined) ?? null),
      // The signal is the only timeout; it covers the whole request.
      headersTimeout: 0,
      bodyTimeout: 0,
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    // A cancelled request also emits an error.
    answer.body.on("error", () => undefined)
    const bytes = await bounded(answer.body as AsyncIterable<Buffer>)
    if (answer.statusCode >= 500) throw new Error(`it answered ${answer.statusCode}`)
    const isEmpty = [204, 205, 304].includes(answer.statusCode)
    return new Response(isEmpty ? null : bytes, {
      status: answer.statusCode,
      headers: headersOf(answer.headers),
    })
  }
  return {
    async fetch(url, options) {
      try {
        return await send(new URL(url), options)
      } catch (error) {
        const { host, pathname } = new URL(url)
        throw new ProviderAwayError(`${host}${pathname}: ${(error as Error).message}`)
      }
    },
    [Symbol.asyncDispose]: () => guard[Symbol.asyncDispose](),
  }
}

async function bounded(body: AsyncIterable<Buffer>): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.byteLength
    if (bytes > MOST_BYTES) throw new Error(`it sent more than ${MOST_BYTES} bytes`)
    chunks.push(chunk)
  }
  return new Uint8Array(Buffer.concat(chunks))
}

function headersOf(given: IncomingHttpHeaders): Headers {
  const headers = new Headers()
  for (const [name, value] of Object.entries(given))
    for (const one of [value ?? []].flat()) headers.append(name, one)
  return headers
}
