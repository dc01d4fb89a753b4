/** A call that strace saw, with the address that it connects to. */
const CALL = /\b(connect|sendto|sendmsg|sendmmsg)\((.*)/
const IPV4 = /sin_addr=inet_addr\("([^"]+)"\)/
const IPV6 = /inet_pton\(AF_INET6, "([^"]+)"/

const isLoopback = (address: string): boolean =>
  address === "::1" || address.startsWith("127.") || address.toLowerCase().startsWith("::ffff:127.")

/** The connections in strace's output: their number, and those that leave this machine. */
export function outsideIn(texts: readonly string[]): {
  readonly outside: readonly string[]
  readonly connections: number
} {
  const outside: string[] = []
  let connections = 0
  for (const line of texts.join("\n").split("\n")) {
    const [, call, rest = ""] = CALL.exec(line) ?? []
    const [, address] = IPV4.exec(rest) ?? IPV6.exec(rest) ?? []
    if (call === undefined || address === undefined) continue
    connections += 1
    if (!isLoopback(address)) outside.push(`${call} ${address}`)
  }
  return { outside, connections }
}
