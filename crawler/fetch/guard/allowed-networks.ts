import ipaddr from "ipaddr.js"
import { isMetadataHost, isPublic } from "./address-kind.ts"

interface Rule {
  readonly port: string | null
  matchesHost(host: string): boolean
  matchesAddress(address: ipaddr.IPv4 | ipaddr.IPv6): boolean
}

/** The private networks that an operator allowed: addresses, CIDR ranges, host names or `*.names`, each with an optional `:port`. */
export class AllowedNetworks {
  readonly #rules: readonly Rule[]

  /** @throws Error naming the entry that cannot be understood. */
  constructor(entries: readonly string[]) {
    this.#rules = entries.map(parseRule)
  }

  /** Whether the host of `url` is listed, by name or address. */
  name(url: URL): boolean {
    const host = bareHost(url)
    const port = portOf(url)
    const address = ipaddr.isValid(host) ? ipaddr.process(host) : null
    return this.#rules.some(
      (rule) =>
        (rule.port === null || rule.port === port) &&
        (address === null ? rule.matchesHost(host) : rule.matchesAddress(address)),
    )
  }

  /** Whether a host that resolves to this address may be reached on any port. */
  includeAddress(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
    return this.#rules.some((rule) => rule.port === null && rule.matchesAddress(address))
  }
}

/** The host without the brackets of IPv6 and without a final dot. */
export function bareHost(url: URL): string {
  return url.hostname.replaceAll(/[[\]]/g, "").replace(/\.$/, "")
}

/** Whether the host is an address that is not public, or this machine's own name. */
export function isPrivateByName(url: URL): boolean {
  const host = bareHost(url)
  if (ipaddr.isValid(host)) return !isPublic(ipaddr.process(host))
  return host === "localhost" || host.endsWith(".localhost")
}

/** The port that a request to `url` goes to. */
export function portOf(url: URL): string {
  if (url.port !== "") return url.port
  return url.protocol === "https:" ? "443" : "80"
}

/** @throws Error saying what an entry must be */
export function parseRule(entry: string): Rule {
  const range = entry.replace(/^\[([^\]]*)\](?!:)/, "$1")
  if (ipaddr.isValidCIDR(range)) return networkRule(ipaddr.parseCIDR(range), null)
  if (ipaddr.isValid(range)) return addressRule(range, null)
  const parts = /^(?<host>\[[^[\]]+\]|[^:/\s[\]]+)(?::(?<port>\d{1,5}))?$/.exec(entry)?.groups
  if (parts === undefined) {
    throw new Error(`must be addresses, CIDR ranges or host names; "${entry}" isn't one`)
  }
  const host = parts["host"]!.replaceAll(/[[\]]/g, "").toLowerCase()
  const port = parts["port"] ?? null
  if (ipaddr.isValid(host)) return addressRule(host, port)
  refuseMetadata(host)
  const suffix = host.startsWith("*.") ? host.slice(1) : null
  return {
    port,
    matchesHost: (name) => (suffix === null ? name === host : name.endsWith(suffix)),
    matchesAddress: () => false,
  }
}

function addressRule(text: string, port: string | null): Rule {
  refuseMetadata(text)
  const address = ipaddr.process(text)
  return networkRule([address, address.kind() === "ipv4" ? 32 : 128], port)
}

function refuseMetadata(host: string): void {
  if (isMetadataHost(host))
    throw new Error(`must not name a cloud metadata service, which is never read; "${host}" is one`)
}

function networkRule(range: [ipaddr.IPv4 | ipaddr.IPv6, number], port: string | null): Rule {
  const [network, bits] = range
  return {
    port,
    matchesHost: () => false,
    matchesAddress: (address) =>
      address.kind() === network.kind() && address.match([network, bits] as [ipaddr.IPv4, number]),
  }
}
