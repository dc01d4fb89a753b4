import { createSocket } from "node:dgram"
import { createServer } from "node:http"
import type { AddressInfo, Socket } from "node:net"

/** A service in the private network that must not be reached. */
export interface PrivateService extends AsyncDisposable {
  readonly port: number
  /** `127.0.0.1:<port>`; it listens on the same port over UDP and over IPv6 (`[::1]`). */
  readonly authority: string
  /** `http://127.0.0.1:<port>` */
  readonly origin: string
  /** Everything that arrived, in order: each connection and each datagram, whatever its content, and each request by its path. */
  readonly reached: string[]
  url(path: string): string
}

/** The private service's answer to every request. */
export const INNER_WORDS = "words of the private service"

const LOOPBACKS = [
  { host: "127.0.0.1", datagrams: "udp4" },
  { host: "::1", datagrams: "udp6" },
] as const

/** Starts the service on a port that is free for all protocols. */
export async function startPrivateService(): Promise<PrivateService> {
  for (;;) {
    const service = await tryToStart()
    if (service !== null) return service
  }
}

/** Null if another process uses the port with another protocol. */
async function tryToStart(): Promise<PrivateService | null> {
  await using opened = new AsyncDisposableStack()
  const reached: string[] = []
  let port = 0
  for (const { host, datagrams } of LOOPBACKS) {
    try {
      port = await listen(opened, reached, host, port)
      await bind(opened, reached, datagrams, host, port)
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code === "EADDRINUSE") return null
      // A machine without IPv6 has nothing to protect there.
      if (host !== "::1") throw error
    }
  }
  const kept = opened.move()
  const authority = `127.0.0.1:${port}`
  return {
    port,
    authority,
    origin: `http://${authority}`,
    reached,
    url: (path) => `http://${authority}${path}`,
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

async function listen(
  opened: AsyncDisposableStack,
  reached: string[],
  host: string,
  port: number,
): Promise<number> {
  const sockets = new Set<Socket>()
  const server = createServer((request, response) => {
    reached.push(`${request.method} ${request.url}`)
    // Pages from any origin may read the response.
    const headers = { "content-type": "text/html", "access-control-allow-origin": "*" }
    response.writeHead(200, headers).end(`<p>${INNER_WORDS}</p>`)
  })
  server.on("connection", (socket) => {
    reached.push("a TCP connection")
    sockets.add(socket)
    socket.once("close", () => sockets.delete(socket))
  })
  server.on("clientError", (_, socket) => socket.destroy())
  opened.defer(
    () =>
      new Promise<void>((closed) => {
        server.close(() => {
          closed()
        })
        for (const socket of sockets) socket.destroy()
      }),
  )
  await new Promise<void>((done, failed) => {
    server.once("error", failed)
    server.listen(port, host, done)
  })
  return (server.address() as AddressInfo).port
}

async function bind(
  opened: AsyncDisposableStack,
  reached: string[],
  type: "udp4" | "udp6",
  address: string,
  port: number,
): Promise<void> {
  const socket = createSocket({ type, ipv6Only: type === "udp6" }, () => {
    reached.push("a UDP datagram")
  })
  opened.defer(() => void socket.close())
  await new Promise<void>((done, failed) => {
    socket.once("error", failed)
    socket.bind({ address, port }, done)
  })
}
