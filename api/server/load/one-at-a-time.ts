import type { IncomingMessage, ServerResponse } from "node:http"
import type { Socket } from "node:net"

type Handle = (request: IncomingMessage, response: ServerResponse) => void

/** Requests waiting for the response to the previous one, by connection. */
export class RequestsAhead {
  /** Maximum number of waiting requests on one connection. */
  readonly most: number
  readonly lines = new Map<Socket, (() => void)[]>()
  readonly onTooMany: () => void

  /**
   * @param most maximum number of requests waiting behind the current one
   * @param onTooMany called for each connection that is closed because it has more
   */
  constructor(most: number, onTooMany: () => void) {
    this.most = most
    this.onTooMany = onTooMany
  }

  /** The number of waiting requests on the connection that has the most. */
  get longest(): number {
    let longest = 0
    for (const { length } of this.lines.values()) longest = Math.max(longest, length)
    return longest
  }
}

/** Starts a request when its turn has come. */
export type TakeTurn = (request: IncomingMessage, isAhead: boolean, begin: () => void) => void

/**
 * Processes one request of a connection at a time: the next waits for the previous response, and then for its turn. So
 * a connection holds one response, however many requests were sent ahead on it (pipelining, RFC 9112 section 9.3.2). A
 * connection with too many waiting requests is closed, which clients that send ahead must expect. The remaining
 * requests of a closed connection are dropped.
 */
export function oneAtATime(handle: Handle, ahead: RequestsAhead, takeTurn: TakeTurn): Handle {
  const { lines } = ahead
  const begin = (request: IncomingMessage, response: ServerResponse, isAhead: boolean) => {
    const { socket } = request
    response.once("close", () => {
      const next = isGone(socket) ? undefined : lines.get(socket)?.shift()
      if (next) next()
      else lines.delete(socket)
    })
    takeTurn(request, isAhead, () => {
      if (!isGone(socket)) handle(request, response)
    })
  }
  return (request, response) => {
    const line = lines.get(request.socket)
    if (line === undefined) {
      lines.set(request.socket, [])
      begin(request, response, false)
    } else if (line.length < ahead.most) line.push(() => begin(request, response, true))
    else if (!request.socket.destroyed) {
      ahead.onTooMany()
      request.socket.destroy()
    }
  }
}

/** Whether no response can be sent on the connection any more. */
const isGone = (socket: Socket): boolean => socket.destroyed || socket.writableEnded
