import { once } from "node:events"
import type { Server, ServerResponse } from "node:http"

import { responsesOf, silentSocketsOf, socketsOf } from "./http-server.ts"

const IDLE_CHECK_MS = 50

/** Emitted on responses that are still being written when the server stops; endless responses then end. */
export const STOPPING = "stopping"

/** Aborts when this process is asked to end: by a signal, or by the loss of the supervisor that started it. */
export function stopSignal(): AbortSignal {
  const controller = new AbortController()
  const stop = () => controller.abort()
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, stop)
  if (process.send !== undefined) process.on("disconnect", stop)
  return controller.signal
}

/**
 * Accepts no more connections, lets running requests finish for `graceMs` (`FOSSICK_SHUTDOWN_SECONDS`), then cuts off
 * the rest. Responses during that time ask the caller to close the connection.
 */
export async function closeServer(server: Server, graceMs: number): Promise<void> {
  const closed = once(server, "close")
  server.close()
  for (const response of responsesOf(server)) {
    closeAfter(response)
    response.emit(STOPPING)
  }
  server.prependListener("request", (_, response) => closeAfter(response))
  // Done repeatedly, because a connection becomes idle once its response is written, and would be kept for the next
  // request.
  const idle = setInterval(() => {
    server.closeIdleConnections()
    for (const socket of silentSocketsOf(server)) socket.destroy()
  }, IDLE_CHECK_MS)
  const force = setTimeout(() => {
    server.closeAllConnections()
    for (const socket of socketsOf(server)) socket.destroy()
  }, graceMs)
  // Ends event streams, since clients can ask for the rest of their events later.
  for (const socket of socketsOf(server)) socket.end()
  server.closeIdleConnections()
  await closed
  clearInterval(idle)
  clearTimeout(force)
}

function closeAfter(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader("Connection", "close")
}
