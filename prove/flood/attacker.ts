import { connect, type Socket } from "node:net"
import { setPriority } from "node:os"

// The process that floods, so that its sockets and its work don't belong to the process that measures. Arguments: host,
// port, kind of flood, number of connections, and optionally a key. It ends with its parent.

const [host = "", port = "", kind = "", wanted = "", key = ""] = process.argv.slice(2)
/** Addresses other than that of the caller who is measured: on Linux, all of 127.0.0.0/8 is this machine. */
const ADDRESSES = ["127.0.0.2", "127.0.0.3", "127.0.0.4", "127.0.0.5"]
/** Number of requests that one connection pipelines. */
const AHEAD = 40
const DRIP_MS = 100
/** A closed connection is opened again after this time, since an attacker comes back. */
const AGAIN_MS = 100

const HEAD = `Host: ${host}:${port}\r\n${key === "" ? "" : `Authorization: Bearer ${key}\r\n`}`
const get = (path: string, more = "") => `GET ${path} HTTP/1.1\r\n${HEAD}${more}\r\n`
const post = (path: string, body: string, more = "", length = body.length) =>
  `POST ${path} HTTP/1.1\r\n${HEAD}Content-Type: application/json\r\nContent-Length: ${length}\r\n${more}\r\n${body}`
const QUESTION = JSON.stringify({ query: "how long does it take" })

/** What each connection does once it is open. */
const KINDS: Readonly<Record<string, (socket: Socket) => void>> = {
  idle: (socket) => {
    if (Math.random() < 0.5) socket.write(`GET /healthz HTTP/1.1\r\n${HEAD}`)
    socket.resume()
  },
  pipelining: (socket) => {
    const paths = ["/openapi.json", "/healthz", "/docs/", key === "" ? "/session" : "/usage"]
    socket.write(Array.from({ length: AHEAD }, (_, n) => get(paths[n % paths.length]!)).join(""))
    socket.resume()
  },
  "slow bodies": (socket) => {
    socket.write(post("/search", '{"query":"', "", 200_000))
    const drip = setInterval(() => socket.write("x".repeat(100)), DRIP_MS)
    socket.once("close", () => clearInterval(drip))
    socket.resume()
  },
  // Never reads the responses.
  "slow readers": (socket) => {
    socket.write(get("/openapi.json").repeat(AHEAD))
    socket.pause()
  },
  WebSockets: (socket) => {
    const upgrade =
      "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
    socket.write(get("/v2/crawl/0190c2a7-2f0e-7000-8000-000000000000", upgrade))
    socket.resume()
  },
  "event streams": (socket) => {
    const accept = "Accept: text/event-stream\r\n"
    socket.write(get("/admin/events", accept) + post("/search", QUESTION, accept).repeat(AHEAD / 2))
    socket.resume()
  },
}

function open(number: number): void {
  const localAddress = ADDRESSES[number % ADDRESSES.length]!
  const socket = connect({ host, port: Number(port), localAddress })
  // Closed connections are expected here.
  socket.on("error", () => socket.destroy())
  socket.once("connect", () => KINDS[kind]!(socket))
  socket.once("close", () => setTimeout(open, AGAIN_MS, number))
}

// Low priority: this measures how the appliance shares its resources, not how the machine does.
setPriority(19)
process.on("disconnect", () => process.exit())
for (let number = 0; number < Number(wanted); number++) open(number)
process.send?.("begun")
