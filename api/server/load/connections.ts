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
  /** Connections in all. */
  readonly all: number
  /** Connections of one address, but for those of `proxies`. */
  readonly perAddress: number
  readonly proxies: ProxyList
  /** Milliseconds without any progress after which an answer under way is given up. */
  readonly sendMs: number
  /** Bytes of answers that may wait for their readers, all connections together. */
  readonly unsentBytes: number
  /** Requests that may wait on one connection behind the one that is answered. */
  readonly ahead: number
}

/** Why a connection was not kept. */
export const CUT_REASONS = [
  /** Refused: all places taken by requests under way, in all or of this address. */
  "full",
  "address",
  /** Idle, and closed for a new one. */
  "idle",
  /** Took nothing of its answer for too long. */
  "stalled",
  /** Held the most of its answers when all together held too much. */
  "unsent",
  /** Had too many requests sent ahead on it. */
  "ahead",
] as const
export type CutReason = (typeof CUT_REASONS)[number]

/** The record of an open connection. */
interface Connection {
  readonly socket: Socket
  /** Null for one of a trusted proxy, behind which many callers are. */
  readonly address: string | null
  /** Requests whose answers are not all sent. */
  running: number
  /** Bytes that the system took over so far, and when that last grew or nothing waited. */
  passedOn: number
  movedAt: number
}

/** The connections of one address. A set of those that are idle has the longest idle first. */
interface Address {
  open: number
  readonly idle: Set<Connection>
}

/** Stalled answers are looked for so often. */
const LOOK_MS = 1000
/** Refused callers that get a reason at the same time: each uses a descriptor of the reserve for a moment. */
const MOST_TOLD = 32
const RETRY_SECONDS = 5
const FULL = "The server has as many open connections as it can handle. Try again shortly."
const FULL_ADDRESS =
  "Your address has too many open connections to this server. Close some, or try again shortly."

/**
 * The one account of the connections of a process, over all listeners: how many there are, and how many bytes of
 * answers they hold.
 *
 * - A new connection is accepted as long as an idle one can be closed for it: one of the same address if that has too
 *   many, otherwise the one idle for longest. It is refused only when all are busy.
 * - An answer whose reader takes no data is given up, however often the reader sends something.
 * - Answers that wait for readers never take more than their share of memory.
 */
export class Connections {
  /** Requests that were sent ahead, of both listeners. */
  readonly ahead: RequestsAhead
  /** The turns of all requests, on both listeners. */
  readonly turns = new Turns()
  readonly #limits: ConnectionLimits
  readonly #isProxy: (address: string) => boolean
  readonly #open = new Map<Socket, Connection>()
  readonly #idle = new Set<Connection>()
  readonly #addresses = new Map<string, Address>()
  /** Each from the start on: a counter that appears with its first event hides that event from `rate`. */
  readonly #cut = new Map<CutReason, number>(CUT_REASONS.map((reason) => [reason, 0]))
  #told = 0
  #unsent = 0
  #looking: NodeJS.Timeout | undefined

  constructor(limits: ConnectionLimits) {
    this.#limits = limits
    this.#isProxy = proxyTest(limits.proxies)
    this.ahead = new RequestsAhead(limits.ahead, () => this.#count("ahead"))
  }

  /** Open ones. */
  get open(): number {
    return this.#open.size
  }

  /** Bytes of answers that wait for their readers, as of the last look at most a second ago. */
  get unsentBytes(): number {
    return this.#unsent
  }

  get unsentLimit(): number {
    return this.#limits.unsentBytes
  }

  /** Connections that may be open, in all and of one address. */
  get most(): Pick<ConnectionLimits, "all" | "perAddress"> {
    return this.#limits
  }

  /** The number of connections of the address that has the most. */
  get openOfAddress(): number {
    return Math.max(0, ...[...this.#addresses.values()].map(({ open }) => open))
  }

  /** How many were refused or closed early since the start, by reason. */
  get cut(): ReadonlyMap<CutReason, number> {
    return this.#cut
  }

  /** Has the connections of a server counted and held to the limits. Before it listens. */
  guard(server: Server): void {
    server.prependListener("connection", (socket) => this.#take(socket))
    server.prependListener("request", (request, response) => this.#work(request, response))
  }

  /** Has a request wait for its turn, in the lane of its caller. */
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
      // Not `ofAddress`: closing the last idle one may have removed it.
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
    // All of the answer is handed over to the socket: between two looks no more than allowed may come together.
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

  /** Closes the connection that was idle for longest, if there is one. */
  #makeRoom(idle: ReadonlySet<Connection>): boolean {
    const [longest] = idle
    if (longest === undefined) return false
    this.#close(longest, "idle")
    return true
  }

  #close(connection: Connection, reason: CutReason): void {
    this.#count(reason)
    // At once instead of with the event, because callers that make room rely on it.
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

  /** Gives up answers that stall, and, while all that wait are too many, those that stall for longest. */
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
 * Health and the admin API have lanes of their own, so that the operator gets answers while others flood the
 * appliance from the same address.
 */
const laneOf = (path = ""): string => (HEALTH.test(path) ? "health" : ADMIN.test(path) ? "admin" : "")

/**
 * Bytes of a socket that the system took over. Data written in one piece counts as written at once; only Node's
 * handle knows how much of it still waits, and Node's own time-out for writes uses it, too.
 */
function passedOnBy(socket: Socket): number {
  const { _handle: handle } = socket as unknown as {
    readonly _handle?: { readonly bytesWritten: number; readonly writeQueueSize: number } | null
  }
  return handle ? handle.bytesWritten - handle.writeQueueSize : 0
}

/** The account for a process with these settings. */
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
