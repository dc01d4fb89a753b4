import { once } from "node:events"
import { connect, createServer } from "node:net"

/** Range of ports used, below those that systems assign automatically (Linux: from 32768; macOS, Windows: from 49152). */
const [FIRST, END] = [12_000, 32_000]
/** Number of ports that each process has to itself, before it shares ports with another process. */
const SLOT = 50

/** Vitest runs each test file in a separate process. */
const base = FIRST + ((process.pid * SLOT) % (END - FIRST))
let next = 0

/**
 * A free loopback port. It stays free until the caller listens on it: the system assigns it to no other socket, and
 * other test processes try other ports.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = base + (next++ % SLOT)
    if (await isFree(port)) return port
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer()
  try {
    server.listen(port, "127.0.0.1")
    await once(server, "listening")
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EADDRINUSE") return false
    throw error
  }
  server.close()
  await once(server, "close")
  return true
}

/** Whether anything is listening on a port now. */
export async function isListening(port: number, host = "127.0.0.1"): Promise<boolean> {
  const socket = connect(port, host)
  try {
    await once(socket, "connect")
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}
