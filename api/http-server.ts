import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from "node:http"
import type { Duplex } from "node:stream"

import type Koa from "koa"

import type { RequestState } from "./context.ts"
import { envelope } from "./middleware/error-envelope.ts"

/** Milliseconds in which a caller must have sent its whole request; protects the sockets from slow senders. */
const REQUEST_MS = 30_000

/**
 * Milliseconds an idle connection is kept. Longer than clients and proxies keep theirs (a minute is usual), so that
 * none sends its next request into a connection that is being closed here.
 */
const KEEP_ALIVE_MS = 75_000

const running = new WeakMap<Server, Set<ServerResponse>>()

/** Answers that a server is working on. */
export const responsesOf = (server: Server): ReadonlySet<ServerResponse> => running.get(server) ?? new Set()

/** An HTTP server for the app, not yet listening. What is no HTTP at all gets the contract's envelope too. */
export function httpServer(app: Koa<RequestState>): Server {
  const handle = app.callback()
  const timeouts = {
    requestTimeout: REQUEST_MS,
    headersTimeout: REQUEST_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
  }
  // What Node would refuse by itself, with an empty body, is refused here.
  const server = createServer({ ...timeouts, requireHostHeader: false }, (request, response) => {
    if (isProper(request)) void handle(request, response)
    else answer(response, 400)
  })
  const responses = new Set<ServerResponse>()
  running.set(server, responses)
  server.prependListener("request", (_, response) => {
    responses.add(response)
    response.once("close", () => responses.delete(response))
  })
  server.on("checkExpectation", (_, response) => answer(response, 417))
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    if (error.code === "ECONNRESET" || !socket.writable) socket.destroy()
    else refuse(socket, statusOf(error.code))
  })
  return server
}

/** Whether the request has the host it must have (RFC 9112 section 3.2), and a target that can be taken apart. */
function isProper({ httpVersion, headers, url = "" }: IncomingMessage): boolean {
  if (httpVersion === "1.1" && headers.host === undefined) return false
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

function refuse(socket: Duplex, status: number): void {
  const reason = STATUS_CODES[status]!
  const body = JSON.stringify(envelope(reason))
  socket.end(
    `HTTP/1.1 ${status} ${reason}\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  )
}
