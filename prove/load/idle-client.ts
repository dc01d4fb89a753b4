import { once } from "node:events"
import { connect, type Socket } from "node:net"

// The process of rude.ts that opens connections and does nothing with them, so that its sockets belong neither to the measuring process
// nor to the appliance. Arguments: host, port, count. On any message from its parent it reports how many it could open; it ends with its
// parent.

const [host = "", port = "", wanted = ""] = process.argv.slice(2)
const BATCH = 100
/** Several source addresses, since each may only have a limited number of connections: on Linux all of 127.0.0.0/8 is this machine. */
const ADDRESSES = ["127.0.0.2", "127.0.0.3", "127.0.0.4", "127.0.0.5"]

const HEAD = `GET /healthz HTTP/1.1\r\nHost: ${host}:${port}\r\n`

/**
 * Out of every KEPT_OF connections, each kind below gets one; the rest stay open after a response. The kinds below end
 * after half a minute at most.
 */
const KEPT_OF = 20

const keep = (socket: Socket): unknown => socket.write(`${HEAD}\r\n`)

/** Other ways to use a connection before leaving it idle. */
const KINDS: readonly ((socket: Socket) => unknown)[] = [
  // Sends nothing.
  () => {},
  // Sends half a request.
  (socket) => socket.write(HEAD),
  // Sends a request, closes its side, and leaves the other open.
  (socket) => socket.end(`${HEAD}\r\n`),
]

const open = new Set<Socket>()

async function begin(number: number): Promise<void> {
  const localAddress = ADDRESSES[number % ADDRESSES.length]!
  const socket = connect({ host, port: Number(port), localAddress, allowHalfOpen: true })
  // Closed connections are expected here.
  socket.on("error", () => socket.destroy())
  socket.once("close", () => open.delete(socket))
  await Promise.race([once(socket, "connect").catch(() => undefined), once(socket, "close")])
  if (socket.destroyed) return
  open.add(socket)
  // Incoming data is read, because not reading is the job of the slow readers. A connection that the server closes is
  // closed here, too.
  socket.resume()
  socket.once("end", () => socket.end())
  const kind = KINDS[Math.floor(number / ADDRESSES.length) % KEPT_OF] ?? keep
  kind(socket)
}

process.on("disconnect", () => process.exit())
process.on("message", () => process.send?.(open.size))

for (let at = 0; at < Number(wanted); at += BATCH) {
  const batch = Array.from({ length: Math.min(BATCH, Number(wanted) - at) }, (_, i) => begin(at + i))
  // Opens as many connections at a time as fit into the server's backlog.
  // oxlint-disable-next-line no-await-in-loop
  await Promise.all(batch)
}
process.send?.(open.size)
