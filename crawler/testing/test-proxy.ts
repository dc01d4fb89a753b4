import { createServer } from "node:http"
import { type AddressInfo, connect } from "node:net"

/** A real HTTP proxy on loopback that opens tunnels. */
export interface TestProxy extends AsyncDisposable {
  /** `127.0.0.1:<port>` */
  readonly authority: string
  /** The tunnels requested, as `host:port` in order, including refused ones. */
  readonly tunnels: readonly string[]
  /** Requests other than CONNECT. */
  readonly others: readonly string[]
}

/**
 * @param credentials the required `user:password`; `null` if none is required
 * @param leadsTo the port on loopback to which the tunnel to a host and port is connected, or a status with which it is
 * refused
 */
export async function startTestProxy(
  credentials: string | null,
  leadsTo: (target: string) => { readonly port: number } | { readonly status: number },
): Promise<TestProxy> {
  const tunnels: string[] = []
  const others: string[] = []
  const wanted = credentials === null ? null : `Basic ${Buffer.from(credentials).toString("base64")}`
  const server = createServer((request, response) => {
    others.push(request.url ?? "")
    response.writeHead(405).end()
  })
  server.on("connect", (request, client, head) => {
    const target = request.url ?? ""
    tunnels.push(target)
    client.on("error", () => client.destroy())
    const refuse = (status: number) => client.end(`HTTP/1.1 ${status} Refused\r\ncontent-length: 0\r\n\r\n`)
    if (wanted !== null && request.headers["proxy-authorization"] !== wanted) {
      refuse(407)
      return
    }
    const to = leadsTo(target)
    if ("status" in to) {
      refuse(to.status)
      return
    }
    const upstream = connect(to.port, "127.0.0.1", () => {
      client.write("HTTP/1.1 200 Connection established\r\n\r\n")
      upstream.write(head)
      upstream.pipe(client)
      client.pipe(upstream)
    })
    upstream.on("error", () => client.destroy())
    upstream.on("close", () => client.destroy())
    client.on("close", () => upstream.destroy())
  })
  await new Promise<void>((listening) => {
    server.listen(0, "127.0.0.1", listening)
  })
  return {
    authority: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    tunnels,
    others,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise<void>((closed) => {
        server.close(() => {
          closed()
        })
      })
    },
  }
}
