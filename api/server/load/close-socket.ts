import { STATUS_CODES } from "node:http"
import type { Duplex } from "node:stream"

import { envelope } from "../../errors.ts"

/** How long a caller has to read why it is refused and to close its side of the connection (RFC 9112 section 9.6: close in stages). */
export const LINGER_MS = 1000

/**
 * Sends a response on a socket outside a request, and closes it: first this side, and shortly afterwards the whole
 * socket, whatever the other side does, so that a caller who never closes doesn't hold a descriptor.
 */
export function refuseSocket(socket: Duplex, status: number, message: string, retryAfter?: number): void {
  const body = JSON.stringify(envelope(message))
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]!}\r\nContent-Type: application/json; charset=utf-8\r\n` +
      (retryAfter === undefined ? "" : `Retry-After: ${retryAfter}\r\n`) +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  )
  const cut = setTimeout(() => socket.destroy(), LINGER_MS)
  cut.unref()
  socket.once("close", () => clearTimeout(cut))
}
