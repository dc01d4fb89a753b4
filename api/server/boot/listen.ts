import { once } from "node:events"
import type { AddressInfo } from "node:net"

import type Koa from "koa"

import type { RequestState } from "../../context.ts"
import type { Connections } from "../load/connections.ts"
import { httpServer } from "../http-server.ts"
import { reachableHost } from "../reachable-host.ts"
import { closeServer } from "../shutdown.ts"

/** The addresses where the app answers. */
export interface Listening {
  readonly port: number
  /** Address on this machine. */
  readonly localUrl: string
  /** Address for users. */
  readonly url: string
}

/**
 * Opens the app's socket.
 * @param closing closes the socket and, at the same time, everything that `closeToo` closes: both may have requests to
 * finish, and the time for that is limited
 */
export async function listen(
  app: Koa<RequestState>,
  connections: Connections,
  config: {
    readonly port: number
    readonly host: string
    readonly publicUrl: string
    readonly shutdownSeconds: number
  },
  { closing, closeToo }: { readonly closing: AsyncDisposableStack; readonly closeToo: () => Promise<void> },
): Promise<Listening> {
  const server = httpServer(app, connections)
  closing.defer(async () => {
    await Promise.all([closeServer(server, config.shutdownSeconds * 1000), closeToo()])
  })
  server.listen(config.port, config.host)
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  const localUrl = `http://${reachableHost(config.host)}:${port}`
  return { port, localUrl, url: config.publicUrl || localUrl }
}
