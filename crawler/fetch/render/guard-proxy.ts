import { createHash, randomBytes } from "node:crypto"
import {
  Agent,
  type ClientRequestArgs,
  createServer,
  type IncomingMessage,
  request,
  type Server,
  type ServerResponse,
} from "node:http"
import type { AddressInfo, Socket } from "node:net"
import type { Duplex } from "node:stream"
import { createSecureContext, type SecureContext, TLSSocket } from "node:tls"
import type { AddressGuard } from "../guard/address-guard.ts"
import { BlockedAddressError } from "../guard/blocked-address.ts"
import { bareHost } from "../guard/allowed-networks.ts"
import { SecureConnectionError } from "../connect/certificate-error.ts"
import { makeCertificate } from "../connect/make-certificate.ts"

/** Maximum number of sockets that one page can have open at the same time. */
const MAX_SOCKETS = 64
/** Time limit for the response to a plain request to begin. */
const ANSWER_TIMEOUT_MS = 30_000
/** Time limit for the browser to complete a TLS handshake with our certificate. */
const HANDSHAKE_TIMEOUT_MS = 10_000

/** Headers that are not passed on: those in RFC 9110 §7.6.1, and those meant for a proxy. */
const HOP_BY_HOP = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
])

/** One page's right to use the proxy. Disposing of it revokes the right and closes its connections. */
export interface ProxyPass extends Disposable {
  readonly username: string
  readonly password: string
  /** Bytes received for the page so far. */
  readonly bytes: number
  /** Whether the page was cut off because it exceeded its byte limit. */
  readonly isSpent: boolean
  /** Hosts that the address guard refused, at most ten. */
  readonly refused: readonly string[]
  /** Reasons why secure connections to hosts failed, at most ten; only for connections that are made here. */
  readonly insecure: readonly string[]
}

/**
 * The browser's only way to reach the network: an HTTP proxy on loopback that connects only to addresses that a page's
 * {@link AddressGuard} has checked. Names are resolved here, once, so the browser never resolves any. Each redirect,
 * script, frame and WebSocket is a separate request or tunnel and is checked as such.
 *
 * If a source's secure connections need authorities that the browser does not know, or a client certificate, they are
 * made here. This process checks the site's certificate, and the browser speaks TLS with this process, whose key it
 * accepts for any host ({@link trustedKey}). The key is made for this proxy and kept in memory, so the browser itself
 * trusts no further authority.
 *
 * A request without a {@link ProxyPass} is refused (407, RFC 9110 §11.7), so other programs on this machine cannot use
 * the proxy.
 */
export class GuardProxy implements AsyncDisposable {
  /** `http://127.0.0.1:<port>` */
  readonly address: string
  /** SHA-256, in Base64, of the public key that the browser must accept for any host. */
  readonly trustedKey: string
  readonly #own: SecureContext
  readonly #server: Server
  /** All connections: the server itself does not keep track of connections that requested a tunnel. */
  readonly #clients = new Set<Socket>()
  readonly #passes = new Map<string, Pass>()

  static async start(): Promise<GuardProxy> {
    const server = createServer({ requestTimeout: 0, maxHeaderSize: 64 * 1024 })
    await new Promise<void>((listening, failed) => {
      server.once("error", failed)
      server.listen(0, "127.0.0.1", listening)
    })
    server.unref()
    return new GuardProxy(server)
  }

  private constructor(server: Server) {
    this.#server = server
    const own = makeCertificate({ subject: "Fossick" })
    this.#own = createSecureContext({ cert: own.cert, key: own.key })
    this.trustedKey = createHash("sha256").update(own.spki).digest("base64")
    this.address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    server.on("connection", (client) => {
      this.#clients.add(client)
      client.once("close", () => this.#clients.delete(client))
    })
    server.on("request", (incoming, response) => {
      this.#forward(incoming, response)
    })
    server.on("connect", (incoming: IncomingMessage, client: Duplex, head: Buffer) => {
      this.#tunnel(incoming, client, head)
    })
    server.on("clientError", (_, client) => client.destroy())
  }

  /** Lets one page use the proxy, within the limits of `guard`, until it has received `maxBytes`. */
  admit(guard: AddressGuard, maxBytes: number): ProxyPass {
    const pass: Pass = new Pass(guard, maxBytes, () => this.#passes.delete(pass.credentials))
    this.#passes.set(pass.credentials, pass)
    return pass
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const pass of this.#passes.values()) pass[Symbol.dispose]()
    await new Promise<void>((closed) => {
      this.#server.close(() => {
        closed()
      })
      // A browser that hangs doesn't close its connections.
      for (const client of this.#clients) client.destroy()
    })
  }

  #passOf(incoming: IncomingMessage): Pass | null {
    const [scheme, credentials = ""] = (incoming.headers["proxy-authorization"] ?? "").split(" ", 2)
    return scheme?.toLowerCase() === "basic" ? (this.#passes.get(credentials) ?? null) : null
  }

  #forward(incoming: IncomingMessage, response: ServerResponse): void {
    const pass = this.#passOf(incoming)
    if (!pass) {
      response.writeHead(407, { "proxy-authenticate": 'Basic realm="fossick"' }).end()
      return
    }
    const target = URL.parse(incoming.url ?? "")
    if (target?.protocol !== "http:") {
      response.writeHead(400).end()
      return
    }
    const fail = (status: number) => {
      if (response.headersSent) response.destroy()
      else response.writeHead(status).end()
    }
    const outgoing = request({
      agent: pass.agent,
      host: bareHost(target),
      port: target.port === "" ? 80 : Number(target.port),
      path: target.pathname + target.search,
      method: incoming.method ?? "GET",
      headers: { ...endToEnd(incoming.headers), host: target.host },
    })
    outgoing.setTimeout(ANSWER_TIMEOUT_MS, () => outgoing.destroy())
    outgoing.on("socket", (socket) => {
      pass.watch(socket)
    })
    outgoing.on("error", (error) => {
      fail(pass.statusOf(error, target))
    })
    outgoing.on("response", (answer) => {
      answer.on("error", () => response.destroy())
      response.writeHead(answer.statusCode ?? 502, endToEnd(answer.headers))
      answer.pipe(response)
    })
    response.on("close", () => outgoing.destroy())
    incoming.on("error", () => outgoing.destroy())
    incoming.pipe(outgoing)
  }

  #tunnel(incoming: IncomingMessage, client: Duplex, head: Buffer): void {
    client.on("error", () => client.destroy())
    const answer = (status: string, headers = "") => {
      client.end(`HTTP/1.1 ${status}\r\n${headers}content-length: 0\r\n\r\n`)
      // The end event only fires if something reads the stream.
      client.resume()
    }
    const pass = this.#passOf(incoming)
    if (!pass) {
      answer("407 Proxy Authentication Required", 'proxy-authenticate: Basic realm="fossick"\r\n')
      return
    }
    // The scheme has no default port, so that the port can always be read.
    const asked = URL.parse(`tunnel://${incoming.url ?? ""}`)
    const target = asked === null || asked.port === "" ? null : tunnelTarget(asked)
    if (!target) {
      answer("400 Bad Request")
      return
    }
    if (pass.sockets.size + pass.opening >= MAX_SOCKETS) {
      answer("503 Service Unavailable")
      return
    }
    // The port decides whether TLS is used: a tunnel to port 80 can carry anything.
    const isSecure = pass.guard.ownsTls && asked?.port !== "80"
    void this.#pass(client, head, {
      isSecure,
      open: () => this.#openTunnel(pass, target, isSecure),
      refuse: (error) => {
        answer(`${pass.statusOf(error, target)} Refused`)
      },
    })
  }

  async #pass(
    client: Duplex,
    head: Buffer,
    tunnel: {
      readonly isSecure: boolean
      readonly open: () => Promise<Socket>
      readonly refuse: (error: Error) => void
    },
  ): Promise<void> {
    let upstream
    try {
      upstream = await tunnel.open()
    } catch (error) {
      tunnel.refuse(error as Error)
      return
    }
    const far = upstream
    far.on("error", () => client.destroy())
    far.on("close", () => client.destroy())
    if (client.destroyed) {
      far.destroy()
      return
    }
    client.on("close", () => far.destroy())
    client.write("HTTP/1.1 200 Connection Established\r\n\r\n")
    if (head.length > 0) client.unshift(head)
    const near = tunnel.isSecure ? this.#secured(client) : client
    far.pipe(near)
    near.pipe(far)
  }

  async #openTunnel(pass: Pass, target: URL, isSecure: boolean): Promise<Socket> {
    pass.opening++
    let socket
    try {
      socket = await pass.guard.open(target)
    } finally {
      pass.opening--
    }
    pass.watch(socket)
    return isSecure ? await pass.guard.secure(socket, target) : socket
  }

  /** The browser's end of a tunnel, on which we take the place of the site. */
  #secured(client: Duplex): TLSSocket {
    const secure = new TLSSocket(client, {
      isServer: true,
      secureContext: this.#own,
      // The connection to the site also uses this protocol.
      ALPNProtocols: ["http/1.1"],
    })
    const late = setTimeout(() => client.destroy(), HANDSHAKE_TIMEOUT_MS)
    secure.once("secure", () => {
      clearTimeout(late)
    })
    secure.on("close", () => {
      clearTimeout(late)
    })
    secure.on("error", () => client.destroy())
    return secure
  }
}

/** Opens the connections of plain requests through the guard. */
class GuardedAgent extends Agent {
  readonly #guard: AddressGuard

  constructor(guard: AddressGuard) {
    super({ keepAlive: true, maxSockets: 6, maxTotalSockets: MAX_SOCKETS })
    this.#guard = guard
  }

  override createConnection(
    options: ClientRequestArgs,
    done?: (error: Error | null, stream: Duplex) => void,
  ): undefined {
    void this.#open(options, done)
  }

  async #open(
    { host, port }: ClientRequestArgs,
    done?: (error: Error | null, stream: Duplex) => void,
  ): Promise<void> {
    const name = host?.includes(":") === true ? `[${host}]` : host
    let socket
    try {
      socket = await this.#guard.open(new URL(`http://${name}:${port ?? 80}/`))
    } catch (error) {
      // If there is an error, there is no socket, although the type says otherwise.
      ;(done as ((error: unknown) => void) | undefined)?.(error)
      return
    }
    done?.(null, socket)
  }
}

class Pass implements ProxyPass {
  readonly username = "page"
  readonly password = randomBytes(24).toString("base64url")
  /** User name and password in the form used in the Proxy-Authorization header. */
  readonly credentials = Buffer.from(`${this.username}:${this.password}`).toString("base64")
  readonly guard: AddressGuard
  readonly agent: Agent
  readonly sockets = new Set<Socket>()
  readonly refused: string[] = []
  readonly insecure: string[] = []
  /** Number of connections that are being opened. */
  opening = 0
  bytes = 0
  isSpent = false
  readonly #maxBytes: number
  readonly #onEnd: () => void
  #hasEnded = false

  constructor(guard: AddressGuard, maxBytes: number, onEnd: () => void) {
    this.guard = guard
    this.agent = new GuardedAgent(guard)
    this.#maxBytes = maxBytes
    this.#onEnd = onEnd
  }

  /** Counts the bytes that arrive on the socket, and closes the socket when the pass ends. */
  watch(socket: Socket): void {
    if (this.sockets.has(socket)) return
    if (this.#hasEnded) {
      socket.destroy()
      return
    }
    this.sockets.add(socket)
    let counted = 0
    const count = () => {
      this.bytes += socket.bytesRead - counted
      counted = socket.bytesRead
      if (this.bytes <= this.#maxBytes || this.isSpent) return
      this.isSpent = true
      this[Symbol.dispose]()
    }
    socket.on("data", count)
    socket.once("close", () => this.sockets.delete(socket))
  }

  /** The status that reports a failure to the browser. It is the same for all failures, because a page must not learn the reason. */
  statusOf(error: Error, target: URL): number {
    const isBlocked = [error, error.cause].some((one) => one instanceof BlockedAddressError)
    if (isBlocked && this.refused.length < 10 && !this.refused.includes(target.host))
      this.refused.push(target.host)
    if (error instanceof SecureConnectionError && this.insecure.length < 10)
      this.insecure.push(`${target.host}: ${error.message}`)
    return 502
  }

  [Symbol.dispose](): void {
    this.#hasEnded = true
    this.#onEnd()
    this.agent.destroy()
    for (const socket of this.sockets) socket.destroy()
  }
}

/** The target of a tunnel as an address for the guard, which decides by host and port; the scheme only determines the default port. */
function tunnelTarget(asked: URL): URL | null {
  return URL.parse(`${asked.port === "80" ? "http" : "https"}://${asked.host}/`)
}

function endToEnd(headers: IncomingMessage["headers"]): IncomingMessage["headers"] {
  const named = (headers.connection ?? "").split(",").map((name) => name.trim().toLowerCase())
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => !HOP_BY_HOP.has(name) && !named.includes(name)),
  )
}
