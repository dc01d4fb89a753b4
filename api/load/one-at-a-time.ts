import type { IncomingMessage, ServerResponse } from "node:http"
import type { Socket } from "node:net"

type Handle = (request: IncomingMessage, response: ServerResponse) => void

/** Requests that may wait on a connection behind the one that is answered; clients that send ahead send ten or so. */
const MOST_WAITING = 100

/**
 * Works on one request of a connection at a time: the next begins when the answer before it is with the system. So a
 * connection holds one answer, however many requests were sent ahead on it (pipelining, RFC 9112 section 9.3.2); one
 * with too many of them is closed, which clients that send ahead must reckon with.
 */
export function oneAtATime(handle: Handle): Handle {
  const waiting = new WeakMap<Socket, (() => void)[]>()
  const begin = (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request
    response.once("close", () => {
      const next = socket.destroyed ? undefined : waiting.get(socket)?.shift()
      if (next) next()
      else waiting.delete(socket)
    })
    handle(request, response)
  }
  return (request, response) => {
    const line = waiting.get(request.socket)
    if (line === undefined) {
      waiting.set(request.socket, [])
      begin(request, response)
    } else if (line.length < MOST_WAITING) line.push(() => begin(request, response))
    else request.socket.destroy()
  }
}
