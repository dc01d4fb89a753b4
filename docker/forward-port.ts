import { connect, createServer, type Server, type Socket } from "node:net"

/** Forwards each incoming connection to one fixed address, and makes no other connections. Doesn't keep a process alive. */
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

/** An error on one side closes the other. */
function join(one: Socket, other: Socket): void {
  one.unref()
  one.on("error", () => other.destroy())
  one.on("close", () => other.destroy())
}
