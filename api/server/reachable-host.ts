import { isIPv6 } from "node:net"

/** Hosts to listen on that are reachable as `localhost`. */
const LOCAL = new Set(["", "0.0.0.0", "::", "127.0.0.1", "::1", "localhost"])

/** The host, as written in an address, at which this machine reaches a server that listens on `host`. */
export function reachableHost(host: string): string {
  if (LOCAL.has(host)) return "localhost"
  return isIPv6(host) ? `[${host}]` : host
}
