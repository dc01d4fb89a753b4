import { connect, isIP, type LookupFunction, type Socket } from "node:net"
import { connect as connectSecurely, type SecureContext, TLSSocket } from "node:tls"
import ipaddr from "ipaddr.js"
import { buildConnector } from "undici"
import { noteOutbound } from "#base/outbound/outbound.ts"
import type { OutboundPurpose } from "#base/outbound/purposes.ts"
import { isPublic } from "../guard/address-kind.ts"
import { bareHost, isPrivateByName, portOf } from "../guard/allowed-networks.ts"
import { explainFailure } from "./certificate-error.ts"
import type { OutgoingProxy } from "./outgoing-proxy.ts"
import type { SourceTls } from "./source-tls.ts"

/** How connections are made to hosts that the address guard has let through. */
export interface Way {
  /** The purpose of the connections. */
  readonly purpose: OutboundPurpose
  readonly timeoutMs: number
  /** `null` if every host is reached directly. */
  readonly proxy: OutgoingProxy | null
  /** `null` to make secure connections with the process's defaults. */
  readonly tls: SourceTls | null
  /** Whether the operator allowed the host of `url` by name, as part of a nearby network. */
  isNear(url: URL): boolean
}

/**
 * Makes undici's connections: to the addresses that `lookup` returns, directly or through the proxy; if a secure one
 * fails, its error tells the operator why.
 */
export function connectorFor(lookup: LookupFunction, way: Way): buildConnector.connector {
  // One connector per context, since connections of one context must not resume another's sessions.
  const connectors = new Map<SecureContext | undefined, buildConnector.connector>()
  const connectorWith = (secureContext: SecureContext | undefined) => {
    let made = connectors.get(secureContext)
    if (!made) {
      made = buildConnector({ timeout: way.timeoutMs, lookup, ...(secureContext && { secureContext }) })
      connectors.set(secureContext, made)
    }
    return made
  }
  const secured: buildConnector.connector = (options, callback) => {
    const url = urlOf(options)
    let explain = (error: Error) => error
    const connector = connectorWith(way.tls?.contextFor(url))
    // The connector returns the socket, although its type says otherwise.
    const socket = connector(options, (...[error, made]) => {
      if (error) callback(explain(error), null)
      else {
        noteOutbound(way.purpose, url.host)
        callback(null, made)
      }
    }) as unknown
    if (socket instanceof TLSSocket) explain = explainFailure(socket, bareHost(url))
  }
  if (way.proxy === null) return secured
  const tunnelled = async (...[options, callback]: Parameters<buildConnector.connector>) => {
    const url = urlOf(options)
    let tunnel
    try {
      tunnel = await tunnelFor(url, lookup, way)
    } catch (error) {
      callback(error as Error, null)
      return
    }
    if (tunnel === null) secured(options, callback)
    else if (options.protocol === "https:") secured({ ...options, httpSocket: tunnel }, callback)
    else {
      noteOutbound(way.purpose, url.host)
      callback(null, tunnel)
    }
  }
  return (...call) => void tunnelled(...call)
}

const urlOf = ({ protocol, host, hostname }: buildConnector.Options): URL =>
  new URL(`${protocol}//${host ?? hostname}`)

/** Opens a plain connection to the host of `url`. Rejects if that fails. */
export async function openSocket(url: URL, lookup: LookupFunction, way: Way): Promise<Socket> {
  const tunnel = await tunnelFor(url, lookup, way)
  if (tunnel !== null) {
    noteOutbound(way.purpose, url.host)
    return tunnel
  }
  const socket = connect({ host: bareHost(url), port: Number(portOf(url)), lookup })
  return await new Promise((resolve, reject) => {
    socket.setTimeout(way.timeoutMs, () => socket.destroy(new Error("the connection timed out")))
    socket.once("error", reject)
    socket.once("connect", () => {
      socket.setTimeout(0)
      socket.off("error", reject)
      noteOutbound(way.purpose, url.host)
      resolve(socket)
    })
  })
}

/**
 * Opens a secure connection over `socket`, which it takes over. It speaks HTTP/1.1. Rejects if the site's certificate
 * is not valid.
 */
export async function secureSocket(socket: Socket, url: URL, way: Way): Promise<TLSSocket> {
  const { secure, explain } = startSecure(socket, url, way, ["http/1.1"])
  return await new Promise((resolve, reject) => {
    const late = setTimeout(() => secure.destroy(new Error("the connection timed out")), way.timeoutMs)
    const fail = (error: Error) => {
      clearTimeout(late)
      reject(explain(error))
    }
    secure.once("error", fail)
    secure.once("secureConnect", () => {
      clearTimeout(late)
      secure.off("error", fail)
      resolve(secure)
    })
  })
}

/** A TLS handshake in progress. */
export interface StartedSecure {
  readonly secure: TLSSocket
  /** Turns the connection's error into one that tells the operator why it failed. */
  readonly explain: (error: Error) => Error
}

/** @param protocols offered with ALPN; if left out, ALPN is not used */
export function startSecure(
  socket: Socket,
  url: URL,
  { tls }: Way,
  protocols?: readonly string[],
): StartedSecure {
  const host = bareHost(url)
  const secureContext = tls?.contextFor(url)
  const secure = connectSecurely({
    socket,
    ...(secureContext && { secureContext }),
    // SNI may only carry a name (RFC 6066 §3); the certificate must match the host either way.
    ...(isIP(host) === 0 && { servername: host }),
    host,
    ...(protocols && { ALPNProtocols: [...protocols] }),
  })
  return { secure, explain: explainFailure(secure, host) }
}

/** A connection through the proxy, or `null` for a host that is reached directly, because it is nearby or an exception. */
async function tunnelFor(url: URL, lookup: LookupFunction, way: Way): Promise<Socket | null> {
  const { proxy, timeoutMs } = way
  if (proxy === null || proxy.excepts(url) || way.isNear(url) || isPrivateByName(url)) return null
  const host = bareHost(url)
  const port = Number(portOf(url))
  if (isIP(host) > 0 || proxy.lookup === "proxy") return await proxy.open(host, port, timeoutMs)
  const address = await addressOf(host, lookup)
  return isPublic(ipaddr.process(address)) ? await proxy.open(address, port, timeoutMs) : null
}

function addressOf(host: string, lookup: LookupFunction): Promise<string> {
  return new Promise((resolve, reject) => {
    lookup(host, {}, (error, address) => {
      if (error || typeof address !== "string") reject(error ?? new Error(`${host} has no address`))
      else resolve(address)
    })
  })
}
