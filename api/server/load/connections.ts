import type { IncomingMessage, Server, ServerResponse } from "node:http"
import type { Socket } from "node:net"

import type { Values } from "#base/settings.ts"

import {
  callerBehind,
  callerOf,
  type ProxyList,
  proxyTest,
  withoutMapping,
} from "../proxies/trusted-proxies.ts"
import { refuseSocket } from "./close-socket.ts"
import { RequestsAhead, type TakeTurn } from "./one-at-a-time.ts"
import type { loadSettings } from "./settings.ts"
import { connectionCap } from "./descriptors.ts"
import { Turns } from "./turns.ts"
import { memoryOfCalls, unsentLimit } from "./memory/memory-limits.ts"

export interface ConnectionLimits {
  /** Maximum number of connections in total. */
  readonly all: number
  /** Maximum number of connections from one address, except those in `proxies`. */
  readonly perAddress: number
  readonly proxies: ProxyList
  /** Milliseconds without any progress after which an answer in progress is abandoned. */
  readonly sendMs: number
  /** Maximum number of bytes of answers waiting for their readers, across all connections. */
  readonly unsentBytes: number
  /** Maximum number of requests waiting on one connection behind the one being answered. */
  readonly ahead: number
}

/** Why a connection was refused or closed. */
export const CUT_REASONS = [
  /** The connection was refused: all places are taken by requests in progress, in total or for this address. */
  "full",
  "address",
  /** The connection was idle, and was closed to make room for a new one. */
  "idle",
  /** The client read nothing of its response for too long. */
  "stalled",
  /** The connection held the most response data when all connections together held too much. */
  "unsent",
  /** The client had sent too many requests ahead. */
  "ahead",
] as const
export type CutReason = (typeof CUT_REASONS)[number]

/** The record of an open connection. */
interface Connection {
  readonly socket: Socket
  /** The client's address; null for a connection from a trusted proxy, which serves many callers. */
  readonly address: string | null
  /** Number of requests whose answers have not been sent completely. */
  running: number
  /** Number of bytes that the operating system has accepted so far, and when that number last grew or nothing was waiting. */
  passedOn: number
  movedAt: number
}

/** The connections of one address. The set of idle ones is ordered, longest idle first. */
interface Address {
  open: number
  readonly idle: Set<Connection>
}

/** Milliseconds between checks for stalled responses. */
const LOOK_MS = 1000
/** Maximum number of refused callers that get the reason at the same time: each briefly uses one of the reserved descriptors. */
const MOST_TOLD = 32
const RETRY_SECONDS = 5
const FULL = "The server has as many open connections as it can handle. Try again shortly."
const FULL_ADDRESS =
  "Your address has too many open connections to this server. Close some, or try again shortly."

/**
 * The process's single record of connections, across all listeners: how many there are, and how many bytes of answers
 * they hold.
 *
 * - A new connection is accepted as long as an idle one can be closed for it: one from the same address if that has too
 * many, otherwise the one idle longest. It is refused only when all are busy.
 * - An answer is abandoned if its reader takes no data, however often the reader sends something.
 * - Answers waiting for readers never take more than their share of memory.
 */
export class Connections {
  /** Requests that were sent ahead, on both listeners. */
  readonly ahead: RequestsAhead
  /** The queue of all requests, on both listeners. */
  readonly turns = new Turns()
  readonly #limits: ConnectionLimits
  readonly #isProxy: (address: string) => boolean
  readonly #open = new Map<Socket, Connection>()
  readonly #idle = new Set<Connection>()
  readonly #addresses = new Map<string, Address>()
  /** Each counter exists from the start, because `rate` misses the first event of a counter that appears with that event. */
  readonly #cut = new Map<CutReason, number>(CUT_REASONS.map((reason) => [reason, 0]))
  #told = 0
  #unsent = 0
  #looking: NodeJS.Timeout | undefined

  constructor(limits: ConnectionLimits) {
    this.#limits = limits
    this.#isProxy = proxyTest(limits.proxies)
    this.ahead = new RequestsAhead(limits.ahead, () => this.#count("ahead"))
  }

  /** Number of open connections. */
  get open(): number {
    return this.#open.size
  }

  /** Bytes of answers waiting for their readers, as of the last check, at most a second ago. */
  get unsentBytes(): number {
    return this.#unsent
  }

  get unsentLimit(): number {
    return this.#limits.unsentBytes
  }

  /** Maximum number of open connections, in total and per address. */
  get most(): Pick<ConnectionLimits, "all" | "perAddress"> {
    return this.#limits
  }

  /** The number of connections of the address that has the most. */
  get openOfAddress(): number {
    return Math.max(0, ...[...this.#addresses.values()].map(({ open }) => open))
  }

  /** How many connections have been refused or closed early since startup, by reason. */
  get cut(): ReadonlyMap<CutReason, number> {
    return this.#cut
  }

  /** Counts a server's connections and applies the limits to them. Call it before the server listens. */
  guard(server: Server): void {
    server.prependListener("connection", (socket) => this.#take(socket))
    server.prependListener("request", (request, response) => this.#work(request, response))
  }

  /** Makes a request wait for its turn, in the lane of its caller. */
  readonly takeTurn: TakeTurn = (request, isAhead, begin) => {
    this.turns.take(`${laneOf(request.url)} ${this.callerOf(request)}`, isAhead, begin)
  }

  /**
   * The sender of a request: an address, or for IPv6 its network; behind a trusted proxy, the address that the proxy
   * names.
   */
  callerOf({ socket, headers }: Pick<IncomingMessage, "socket" | "headers">): string {
    const from = withoutMapping(socket.remoteAddress ?? "")
    return callerOf((this.#isProxy(from) && callerBehind(headers["x-forwarded-for"], this.#isProxy)) || from)
  }

  #take(socket: Socket): void {
    const from = withoutMapping(socket.remoteAddress ?? "")
    const address = this.#isProxy(from) ? null : callerOf(from)
    const ofAddress = address === null ? undefined : this.#addresses.get(address)
    if (ofAddress && ofAddress.open >= this.#limits.perAddress && !this.#makeRoom(ofAddress.idle)) {
      this.#refuse(socket, "address", FULL_ADDRESS)
      return
    }
    if (this.#open.size >= this.#limits.all && !this.#makeRoom(this.#idle)) {
      this.#refuse(socket, "full", FULL)
      return
    }
    const connection = { socket, address, running: 0, passedOn: 0, movedAt: performance.now() }
    this.#open.set(socket, connection)
    if (address !== null) {
      // Looked up again, because closing the address's last idle connection may have removed its entry.
      const entry = this.#addresses.get(address) ?? { open: 0, idle: new Set() }
      this.#addresses.set(address, entry)
      entry.open++
    }
    this.#setIdle(connection, true)
    socket.once("close", () => this.#forget(connection))
    this.#looking ??= setInterval(() => this.#look(), LOOK_MS).unref()
  }

  #work({ socket }: IncomingMessage, response: ServerResponse): void {
    const connection = this.#open.get(socket)
    if (connection === undefined) return
    connection.running++
    this.#setIdle(connection, false)
    // The whole response has been handed to the socket, so more than allowed might accumulate before the next check.
    response.once("prefinish", () => {
      this.#unsent += socket.writableLength
      if (this.#unsent > this.#limits.unsentBytes) this.#look()
    })
    response.once("close", () => {
      connection.running--
      if (connection.running === 0 && this.#open.has(socket)) this.#setIdle(connection, true)
    })
  }

  #setIdle(connection: Connection, isIdle: boolean): void {
    const sets = [
      this.#idle,
      connection.address === null ? null : this.#addresses.get(connection.address)?.idle,
    ]
    for (const idle of sets) {
      idle?.delete(connection)
      if (isIdle) idle?.add(connection)
    }
  }

  /** Closes the connection that has been idle longest, if there is one. */
  #makeRoom(idle: ReadonlySet<Connection>): boolean {
    const [longest] = idle
    if (longest === undefined) return false
    this.#close(longest, "idle")
    return true
  }

  #close(connection: Connection, reason: CutReason): void {
    this.#count(reason)
    // The connection is forgotten at once, not on its `close` event, because callers that make room rely on that.
    this.#forget(connection)
    connection.socket.destroy()
  }

  #forget(connection: Connection): void {
    if (!this.#open.delete(connection.socket)) return
    this.#setIdle(connection, false)
    if (this.#open.size === 0) {
      clearInterval(this.#looking)
      this.#looking = undefined
      this.#unsent = 0
    }
    const { address } = connection
    const entry = address === null ? undefined : this.#addresses.get(address)
    if (entry === undefined) return
    entry.open--
    if (entry.open === 0) this.#addresses.delete(address!)
  }

  #refuse(socket: Socket, reason: CutReason, message: string): void {
    this.#count(reason)
    if (this.#told >= MOST_TOLD) {
      socket.destroy()
      return
    }
    this.#told++
    socket.once("close", () => this.#told--)
    refuseSocket(socket, 503, message, RETRY_SECONDS)
  }

  #count(reason: CutReason): void {
    this.#cut.set(reason, (this.#cut.get(reason) ?? 0) + 1)
  }

  /** Abandons answers that stall and, while all waiting answers together are too large, those that have stalled longest. */
  #look(): void {
    const now = performance.now()
    const waiting: Connection[] = []
    let unsent = 0
    for (const connection of this.#open.values()) {
      const { socket } = connection
      const passedOn = passedOnBy(socket)
      if (socket.writableLength === 0 || passedOn !== connection.passedOn) {
        connection.movedAt = now
        connection.passedOn = passedOn
      }
      if (socket.writableLength === 0) continue
      if (now - connection.movedAt >= this.#limits.sendMs) {
        this.#close(connection, "stalled")
        continue
      }
      unsent += socket.writableLength
      waiting.push(connection)
    }
    if (unsent > this.#limits.unsentBytes) {
      waiting.sort((a, b) => a.movedAt - b.movedAt || b.socket.writableLength - a.socket.writableLength)
      for (const connection of waiting) {
        if (unsent <= this.#limits.unsentBytes) break
        unsent -= connection.socket.writableLength
        this.#close(connection, "unsent")
      }
    }
    this.#unsent = unsent
  }
}

const HEALTH = /^\/(?:healthz|readyz|metrics)\b/
const ADMIN = /^\/admin\//

/**
 * Health checks and the admin API have lanes of their own, so that the operator gets answers while others flood the
 * appliance from the same address.
 */
const laneOf = (path = ""): string => (HEALTH.test(path) ? "health" : ADMIN.test(path) ? "admin" : "")

/**
 * Number of bytes on a socket that the operating system has accepted. Data written in one piece counts as written
 * immediately; only Node's handle knows how much of it is still waiting, and Node's own write timeout uses it, too.
 */
function passedOnBy(socket: Socket): number {
  const { _handle: handle } = socket as unknown as {
    readonly _handle?: { readonly bytesWritten: number; readonly writeQueueSize: number } | null
  }
  return handle ? handle.bytesWritten - handle.writeQueueSize : 0
}

/** The connection record for a process with these settings. */
export function openConnections(
  config: Pick<
    Values<typeof loadSettings>,
    "connections" | "connectionsPerAddress" | "requestsAhead" | "sendSeconds" | "unsentMb" | "memoryMb"
  > & { readonly trustedProxies: ProxyList },
): Connections {
  const all = connectionCap(config.connections)
  const half = Math.ceil(all / 2)
  return new Connections({
    all,
    perAddress: Math.min(config.connectionsPerAddress || half, half),
    ahead: config.requestsAhead,
    proxies: config.trustedProxies,
    sendMs: config.sendSeconds * 1000,
    unsentBytes: unsentLimit(config.unsentMb, memoryOfCalls(config)),
  })
}
