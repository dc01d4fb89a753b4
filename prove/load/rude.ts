import { fork } from "node:child_process"
import { once } from "node:events"
import { connect, type Socket } from "node:net"

import { pause } from "#base/flow/pause.ts"

import type { LiveAppliance } from "../running/live-appliance.ts"

const BATCH = 200

/** Connections that send nothing, hold back half a request, or stay open after an answer, held by a separate process until disposed of. */
export interface IdleConnections extends AsyncDisposable {
  /** Number of open connections, as seen from this side. */
  count(): Promise<number>
}

/** Opens this many idle connections, from several addresses of this machine. */
export async function idle({ url }: LiveAppliance, count: number): Promise<IdleConnections> {
  const { hostname, port } = new URL(url)
  const client = fork(new URL("./idle-client.ts", import.meta.url), [hostname, port, String(count)], {
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  })
  const said = async () => ((await once(client, "message")) as [number])[0]
  await said()
  return {
    async count() {
      const answer = said()
      client.send("how many")
      return await answer
    },
    async [Symbol.asyncDispose]() {
      const exited = once(client, "exit")
      client.disconnect()
      await exited
    },
  }
}

/** Requests a large response, and reads one byte of it per second, for this long. */
export async function readSlowly(
  appliance: LiveAppliance,
  { count, ms, query }: { count: number; ms: number; query: string },
): Promise<number> {
  const body = JSON.stringify({ query, include_raw_content: true, max_results: 20 })
  const end = AbortSignal.timeout(ms)
  const one = async () => {
    const socket = await open(appliance)
    if (socket === null) return 0
    socket.pause()
    socket.write(requestFor(appliance, body))
    let taken = 0
    while (!end.aborted && !socket.destroyed) {
      await pause(1000, end)
      taken += (socket.read(1) as Buffer | null)?.length ?? 0
    }
    socket.destroy()
    return taken
  }
  return (await Promise.all(Array.from({ length: count }, one))).reduce((sum, taken) => sum + taken, 0)
}

/** Makes requests, and leaves before the answer: some immediately, some a moment later, some in the middle of the answer. */
export async function leave(appliance: LiveAppliance, count: number, query: string): Promise<void> {
  const body = JSON.stringify({ query, search_depth: "advanced", include_raw_content: true, max_results: 20 })
  for (let at = 0; at < count; at += BATCH) {
    const batch = Array.from({ length: Math.min(BATCH, count - at) }, async (_, number) => {
      const socket = await open(appliance)
      if (socket === null) return
      socket.write(requestFor(appliance, body))
      if (number % 3 === 1) await pause(number)
      if (number % 3 === 2) await Promise.race([once(socket, "data").catch(() => undefined), pause(2000)])
      socket.destroy()
    })
    await Promise.all(batch)
  }
}

/** An open connection; null if it was refused. */
async function open({ url }: LiveAppliance): Promise<Socket | null> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  // Closed connections are expected here.
  socket.on("error", () => socket.destroy())
  await Promise.race([once(socket, "connect").catch(() => undefined), once(socket, "close")])
  return socket.destroyed ? null : socket
}

const requestFor = ({ url, key }: LiveAppliance, body: string): string =>
  `POST /search HTTP/1.1\r\nHost: ${new URL(url).host}\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
