import { createServer, type IncomingMessage, type Server, ServerResponse, STATUS_CODES } from "node:http"
import type { Socket } from "node:net"

import type Koa from "koa"

import type { RequestState } from "../context.ts"
import { refuseSocket } from "./load/close-socket.ts"
import type { Connections } from "./load/connections.ts"
import { oneAtATime, RequestsAhead } from "./load/one-at-a-time.ts"
import { envelope } from "../errors.ts"
import { wantsSocket } from "./web-socket.ts"

/** Milliseconds within which a caller must send its whole request; protects the sockets from slow senders. */
const REQUEST_MS = 30_000

/** Milliseconds between checks for late senders. */
const CHECK_MS = 5000

/** Milliseconds after which the system asks a silent peer whether it is still there, so that dead connections are closed. */
const PROBE_MS = 60_000

/**
 * Milliseconds for which an idle connection is kept open: longer than clients and proxies keep theirs (usually a
 * minute), so that none of them sends its next request over a connection that is being closed here.
 */
const KEEP_ALIVE_MS = 75_000

const MOST_LISTENERS = 20

const running = new WeakMap<Server, Set<ServerResponse>>()
const upgraded = new WeakMap<Server, Set<Socket>>()
const connected = new WeakMap<Server, Set<Socket>>()

/** Open WebSockets, which a closing server leaves alone. */
export const socketsOf = (server: Server): ReadonlySet<Socket> => upgraded.get(server) ?? new Set()

/** Connections that have not received anything yet: browsers and connection pools open some in advance. Node does not consider them idle. */
export const silentSocketsOf = (server: Server): readonly Socket[] =>
  [...(connected.get(server) ?? [])].filter(({ bytesRead }) => bytesRead === 0)

/** Answers that a server is working on. */
export const responsesOf = (server: Server): ReadonlySet<ServerResponse> => running.get(server) ?? new Set()

/**
 * An HTTP server for the app, not yet listening. Invalid HTTP gets the contract's error envelope too.
 *
 * @param connections applies the limits of the process to its connections; left out for a server that never listens
 */
export function httpServer(app: Koa<RequestState>, connections?: Connections): Server {
  const handle = app.callback()
  const options = {
    requestTimeout: REQUEST_MS,
    headersTimeout: REQUEST_MS,
    connectionsCheckingInterval: CHECK_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAlive: true,
    keepAliveInitialDelay: PROBE_MS,
    // A request without `Host` is refused in this file, because Node would refuse it with an empty response.
    requireHostHeader: false,
    // Other protocols are not supported: a request that offers to upgrade to one is answered as if it hadn't.
    shouldUpgradeCallback: ({ headers }: IncomingMessage) => wantsSocket(headers),
  }
  const serve = oneAtATime(
    (request, response) => {
      if (isProper(request)) void handle(request, response)
      else answer(response, 400)
    },
    connections?.ahead ?? new RequestsAhead(Infinity, () => {}),
    connections?.takeTurn ?? ((_request, _isAhead, begin) => begin()),
  )
  const server = createServer(options, (request, response) => {
    // A refused connection can still send its request.
    if (!request.socket.writableEnded) serve(request, response)
  })
  connections?.guard(server)
  const open = new Set<Socket>()
  connected.set(server, open)
  server.on("connection", (socket: Socket) => {
    open.add(socket)
    socket.once("close", () => open.delete(socket))
  })
  const responses = new Set<ServerResponse>()
  running.set(server, responses)
  server.prependListener("request", (_, response) => {
    // Every layer that a response passes through listens for its end, which makes more listeners than Node considers
    // normal.
    response.setMaxListeners(MOST_LISTENERS)
    responses.add(response)
    response.once("close", () => responses.delete(response))
  })
  const sockets = new Set<Socket>()
  upgraded.set(server, sockets)
  server.on("upgrade", (request, socket, head) =>
    answerUpgrade(server, sockets, request, socket as Socket, head),
  )
  server.on("checkExpectation", (_, response) => answer(response, 417))
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    if (error.code === "ECONNRESET" || !socket.writable) socket.destroy()
    else {
      const status = statusOf(error.code)
      refuseSocket(socket, status, STATUS_CODES[status]!)
    }
  })
  return server
}

/** Routes a WebSocket request like any other: if no WebSocket is opened, the request is answered normally, and the connection ends. */
function answerUpgrade(
  server: Server,
  sockets: Set<Socket>,
  request: IncomingMessage,
  socket: Socket,
  head: Buffer,
): void {
  const response = new ServerResponse(request)
  response.assignSocket(socket)
  sockets.add(socket)
  socket.once("close", () => sockets.delete(socket))
  socket.on("error", () => socket.destroy())
  response.once("finish", () => {
    response.detachSocket(socket)
    response.emit("close")
    if (response.statusCode !== 101) socket.end()
  })
  if (head.length > 0) socket.unshift(head)
  server.emit("request", request, response)
}

/** Whether the request has exactly one host, as required (RFC 9112 section 3.2), and a target that can be parsed. */
function isProper({ httpVersion, headersDistinct, url = "" }: IncomingMessage): boolean {
  // With two hosts, a proxy and this server could each use a different one.
  const hosts = headersDistinct["host"]?.length ?? 0
  if (hosts > 1 || (httpVersion === "1.1" && hosts === 0)) return false
  return url === "*" || URL.canParse(url, "http://host")
}

function answer(response: ServerResponse, status: number): void {
  response.writeHead(status, {
    "Content-Type": "application/json; charset=utf-8",
    "X-Content-Type-Options": "nosniff",
  })
  response.end(JSON.stringify(envelope(STATUS_CODES[status]!)))
}

function statusOf(code: string | undefined): number {
  if (code === "HPE_HEADER_OVERFLOW") return 431
  return code === "ERR_HTTP_REQUEST_TIMEOUT" ? 408 : 400
}
