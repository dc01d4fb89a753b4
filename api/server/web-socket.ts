import { createHash } from "node:crypto"
import { once } from "node:events"
import type { IncomingHttpHeaders } from "node:http"
import type { Socket } from "node:net"

import type { Context } from "../context.ts"
import { ApiError, badRequest } from "../errors.ts"

// WebSockets (RFC 6455) for a server that only sends: whole text messages go out, and only close and ping frames are
// read.

/** RFC 6455, section 1.3. */
const GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
const VERSION = "13"
const TEXT = 0x1
const CLOSE = 0x8
const PING = 0x9
const PONG = 0xa
const FINAL = 0x80
const MASKED = 0x80
const MASK_BYTES = 4
/** Section 5.5. */
const MOST_CONTROL_BYTES = 125
/** Milliseconds for the other side to answer a close frame. */
const CLOSE_MS = 2000
/** Close code (section 7.4.1) sent to a client that sends messages, which this server does not accept. */
const POLICY_VIOLATION = 1008

/** Whether a request asks for a WebSocket. */
export const wantsSocket = ({ upgrade = "" }: IncomingHttpHeaders): boolean =>
  upgrade.toLowerCase() === "websocket"

/** An open WebSocket for sending. */
export class OutgoingSocket {
  readonly #socket: Socket
  readonly #closed = new AbortController()
  #unread: Buffer = Buffer.alloc(0)

  constructor(socket: Socket) {
    this.#socket = socket
    socket.on("data", (chunk: Buffer) => this.#take(chunk))
    socket.once("end", () => socket.end())
    socket.once("close", () => this.#closed.abort())
    socket.resume()
  }

  /** Aborts when nothing more can be sent. */
  get closed(): AbortSignal {
    return this.#closed.signal
  }

  /** Resolves when there is room for more. Messages sent after the end are ignored. */
  async send(text: string): Promise<void> {
    if (this.closed.aborted) return
    if (this.#write(TEXT, Buffer.from(text))) return
    await once(this.#socket, "drain", { signal: this.closed }).catch(() => undefined)
  }

  /** Closes the connection. @param code section 7.4.1 */
  close(code = 1000): void {
    if (this.closed.aborted) return
    const payload = Buffer.alloc(2)
    payload.writeUInt16BE(code)
    this.#write(CLOSE, payload)
    this.#closed.abort()
    this.#socket.end()
    this.#socket.setTimeout(CLOSE_MS, () => this.#socket.destroy())
  }

  #write(opcode: number, payload: Buffer): boolean {
    const { length } = payload
    let head: Buffer
    if (length <= MOST_CONTROL_BYTES) head = Buffer.from([FINAL | opcode, length])
    else if (length < 0x1_00_00) {
      head = Buffer.from([FINAL | opcode, 126, 0, 0])
      head.writeUInt16BE(length, 2)
    } else {
      head = Buffer.from([FINAL | opcode, 127, 0, 0, 0, 0, 0, 0, 0, 0])
      head.writeBigUInt64BE(BigInt(length), 2)
    }
    this.#socket.write(head)
    return this.#socket.write(payload)
  }

  #take(chunk: Buffer): void {
    if (this.closed.aborted) return
    this.#unread = Buffer.concat([this.#unread, chunk])
    while (this.#unread.length >= 2) {
      const [opcode, length] = [this.#unread[0]! & 0xf, this.#unread[1]! & 0x7f]
      const isControl = opcode >= CLOSE && length <= MOST_CONTROL_BYTES
      if (!isControl || (this.#unread[1]! & MASKED) === 0) {
        this.close(POLICY_VIOLATION)
        return
      }
      const end = 2 + MASK_BYTES + length
      if (this.#unread.length < end) return
      const mask = this.#unread.subarray(2, 2 + MASK_BYTES)
      const payload = this.#unread.subarray(2 + MASK_BYTES, end).map((byte, at) => byte ^ mask[at % 4]!)
      this.#unread = this.#unread.subarray(end)
      if (opcode === PING) this.#write(PONG, Buffer.from(payload))
      if (opcode === CLOSE) {
        this.close()
        return
      }
    }
  }
}

/**
 * Answers a request with a WebSocket, using the first of the protocols that the client names.
 * @throws ApiError 400, 426 for an invalid handshake
 */
export function openSocket(ctx: Context): OutgoingSocket {
  const key = ctx.get("Sec-WebSocket-Key")
  if (ctx.get("Sec-WebSocket-Version") !== VERSION)
    throw new ApiError(426, "Upgrade required.", {}, { "Sec-WebSocket-Version": VERSION })
  if (!/^[a-z\d+/]{22}==$/i.test(key)) throw badRequest("Invalid Sec-WebSocket-Key.")
  const { req, res } = ctx
  const protocol = protocolOf(ctx)
  ctx.respond = false
  ctx.status = 101
  res.writeHead(101, {
    Upgrade: "websocket",
    Connection: "Upgrade",
    "Sec-WebSocket-Accept": createHash("sha1")
      .update(key + GUID)
      .digest("base64"),
    ...(protocol !== "" && { "Sec-WebSocket-Protocol": protocol }),
  })
  res.end()
  return new OutgoingSocket(req.socket)
}

/** The first protocol that a client names. */
export const protocolOf = (ctx: Context): string => ctx.get("Sec-WebSocket-Protocol").split(",")[0]!.trim()
