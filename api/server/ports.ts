import { createServer } from "node:net"
import { once } from "node:events"

import { KnownError } from "#base/errors.ts"

/** Where a part of the appliance listens, and the prefix of its settings: `FOSSICK` or `FOSSICK_X402`. */
export interface Listening {
  readonly host: string
  readonly port: number
  readonly prefix: string
}

/** The appliance cannot listen on the configured address. */
export class ListenError extends KnownError {}

/** @param paid where paying callers are served; null if nothing is sold */
export function listenersOf(
  { host, port }: Pick<Listening, "host" | "port">,
  paid: Pick<Listening, "host" | "port"> | null,
): Listening[] {
  const open = { host, port, prefix: "FOSSICK" }
  return paid === null ? [open] : [open, { host: paid.host || host, port: paid.port, prefix: "FOSSICK_X402" }]
}

/**
 * Briefly tries every address, so that a port in use is found before anything else is started.
 * @throws ListenError that names the setting
 */
export async function requireFreePorts(all: readonly Listening[]): Promise<void> {
  for (const { host, port, prefix } of all) {
    const server = createServer()
    server.listen(port, host)
    try {
      await once(server, "listening")
    } catch (error) {
      const problem = listenProblem(Object.assign(error as Error, { prefix }))
      if (problem === null) throw error
      throw new ListenError(problem)
    }
    server.close()
    await once(server, "close")
  }
}

/** Advice for the operator about a listener's error; `null` for any other error. */
export function listenProblem(error: unknown): string | null {
  const { code, syscall, port, prefix = "FOSSICK" } = error as NodeJS.ErrnoException & Partial<Listening>
  if (syscall !== "listen" && syscall !== "getaddrinfo") return null
  if (code === "EADDRINUSE")
    return `Port ${port} is in use. Set ${prefix}_PORT to another port, or stop the program that listens on it.`
  if (code === "EACCES") return `Port ${port} needs more privileges. Set ${prefix}_PORT to a port above 1023.`
  return `${prefix}_HOST: cannot listen there (${code}).`
}
