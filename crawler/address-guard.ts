import { lookup as resolve, type LookupAddress, type LookupOptions } from "node:dns"
import type { LookupFunction } from "node:net"
import ipaddr from "ipaddr.js"
import { Agent, type Dispatcher } from "undici"

/** Thrown, and passed to sockets, when an address may not be reached. */
export class BlockedAddressError extends Error {
  readonly code = "BLOCKED_ADDRESS"

  constructor(message: string) {
    super(message)
    this.name = "BlockedAddressError"
  }
}

export interface AddressGuardOptions {
  /** Settings value: addresses, CIDR ranges, host names, `*.names`, each with an optional `:port`. */
  readonly allowed: readonly string[]
  /** Connections kept to one host. */
  readonly connections: number
  readonly connectTimeoutMs: number
}

interface Rule {
  readonly port: string | null
  matchesHost(host: string): boolean
  matchesAddress(address: ipaddr.IPv4 | ipaddr.IPv6): boolean
}

/**
 * Keeps requests away from addresses that only look foreign: loopback, private, link-local (cloud metadata
 * lives there), carrier-grade NAT, multicast, reserved, and every IPv6 form that carries an IPv4 address.
 *
 * A name is resolved once and the socket goes to the very address that was checked, so a name that changes
 * its answer between check and connection (DNS rebinding) gains nothing. Odd spellings of addresses
 * (`0x7f.1`, `2130706433`, `127.1.`) are made canonical by the URL parser before they are looked at.
 *
 * Each hop of a redirect must pass {@link dispatcherFor} anew.
 */
export class AddressGuard implements AsyncDisposable {
  readonly #rules: readonly Rule[]
  readonly #checked: Agent
  readonly #trusted: Agent

  /** @throws Error naming the entry of `allowed` that is no address, range or host. */
  constructor(options: AddressGuardOptions) {
    this.#rules = options.allowed.map(parseRule)
    const agent = (lookup?: LookupFunction) =>
      new Agent({
        connections: options.connections,
        pipelining: 1,
        keepAliveTimeout: 10_000,
        maxHeaderSize: 64 * 1024,
        connect: {
          timeout: options.connectTimeoutMs,
          ...(lookup === undefined ? {} : { lookup }),
        },
      })
    this.#checked = agent((hostname, lookupOptions, callback) => {
      this.#lookup(hostname, lookupOptions, callback)
    })
    this.#trusted = agent()
  }

  /**
   * The dispatcher a request to `url` must use.
   * @throws BlockedAddressError when the host is an address that may not be reached.
   */
  dispatcherFor(url: URL): Dispatcher {
    if (this.isAllowedExplicitly(url)) return this.#trusted
    const host = bareHost(url)
    if (ipaddr.isValid(host)) {
      if (!isPublic(ipaddr.process(host))) {
        throw new BlockedAddressError(
          `${host} is not a public address; FOSSICK_ALLOWED_NETWORKS can allow it`,
        )
      }
    }
    return this.#checked
  }

  /** Whether the host itself, by name or address, stands among the allowed networks. */
  isAllowedExplicitly(url: URL): boolean {
    const host = bareHost(url)
    const port = url.port === "" ? (url.protocol === "https:" ? "443" : "80") : url.port
    const address = ipaddr.isValid(host) ? ipaddr.process(host) : null
    return this.#rules.some(
      (rule) =>
        (rule.port === null || rule.port === port) &&
        (address === null ? rule.matchesHost(host) : rule.matchesAddress(address)),
    )
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.#checked.destroy(), this.#trusted.destroy()])
  }

  #lookup(hostname: string, options: LookupOptions, callback: Parameters<LookupFunction>[2]): void {
    resolve(
      hostname,
      { ...options, all: true },
      (error: NodeJS.ErrnoException | null, found: LookupAddress[]) => {
        if (error) {
          callback(error, "")
          return
        }
        const safe = found.filter(({ address }) => this.#mayReach(address))
        const [first] = safe
        if (first === undefined) {
          const addresses = found.map(({ address }) => address).join(", ")
          callback(
            new BlockedAddressError(
              `${hostname} has no public address (${addresses}); FOSSICK_ALLOWED_NETWORKS can allow it`,
            ),
            "",
          )
          return
        }
        if (options.all) callback(null, safe)
        else callback(null, first.address, first.family)
      },
    )
  }

  // Rules with a port are left to dispatcherFor(): a lookup does not know the port it is for.
  #mayReach(text: string): boolean {
    const address = ipaddr.process(text)
    return isPublic(address) || this.#rules.some((rule) => rule.port === null && rule.matchesAddress(address))
  }
}

/** IPv6 ranges that wrap an IPv4 address which the wrapper's route would reach. */
const NAT64_LOCAL = ipaddr.parseCIDR("64:ff9b:1::/48")
const IPV4_COMPATIBLE = ipaddr.parseCIDR("::/96")

// ipaddr.js names the special-purpose ranges of RFC 6890; only plain unicast is public. 6to4, Teredo and
// NAT64 (rfc6052) have ranges of their own and are refused whole, whatever they wrap.
function isPublic(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  if (address.range() !== "unicast") return false
  if (address.kind() === "ipv4") return true
  const ipv6 = address as ipaddr.IPv6
  return !ipv6.match(NAT64_LOCAL) && !ipv6.match(IPV4_COMPATIBLE)
}

function bareHost(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "")
}

function parseRule(entry: string): Rule {
  const range = entry.replace(/^\[([^\]]*)\]/, "$1")
  if (ipaddr.isValidCIDR(range)) return networkRule(ipaddr.parseCIDR(range), null)
  if (ipaddr.isValid(range)) return addressRule(range, null)
  const parts = /^(?<host>\[[^\]]+\]|[^:/\s]+)(?::(?<port>\d{1,5}))?$/.exec(entry)?.groups
  const host = parts?.["host"]?.replace(/^\[|\]$/g, "").toLowerCase()
  const port = parts?.["port"] ?? null
  if (host === undefined) {
    throw new Error(`FOSSICK_ALLOWED_NETWORKS: "${entry}" is no address, CIDR range or host name`)
  }
  if (ipaddr.isValid(host)) return addressRule(host, port)
  const suffix = host.startsWith("*.") ? host.slice(1) : null
  return {
    port,
    matchesHost: (name) => (suffix === null ? name === host : name.endsWith(suffix)),
    matchesAddress: () => false,
  }
}

function addressRule(text: string, port: string | null): Rule {
  const address = ipaddr.process(text)
  return networkRule([address, address.kind() === "ipv4" ? 32 : 128], port)
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
