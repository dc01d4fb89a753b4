import { createServer, type Server, STATUS_CODES } from "node:http"
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

/** An HTTP server for the app, not yet listening. What is no HTTP at all gets the contract's envelope too. */
export function httpServer(app: Koa<RequestState>): Server {
  const handle = app.callback()
  const timeouts = {
    requestTimeout: REQUEST_MS,
    headersTimeout: REQUEST_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
  }
  const server = createServer(timeouts, (request, response) => {
    void handle(request, response)
  })
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    if (error.code === "ECONNRESET" || !socket.writable) socket.destroy()
    else refuse(socket, statusOf(error.code))
  })
  return server
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
