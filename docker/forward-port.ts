import { connect, createServer, type Server, type Socket } from "node:net"

/** Hands each connection that comes in on to one address, and makes none by itself. It keeps no process alive. */
export function forwardPort(
  listen: { host: string; port: number },
  target: { host: string; port: number },
): Server {
  const server = createServer({ allowHalfOpen: true }, (from) => {
    const to = connect({ ...target, allowHalfOpen: true })
    from.pipe(to).pipe(from)
    join(from, to)
    join(to, from)
  })
  return server.listen(listen).unref()
}

/** What ends badly on one side ends on the other. */
function join(one: Socket, other: Socket): void {
  one.unref()
  one.on("error", () => other.destroy())
  one.on("close", () => other.destroy())
}
