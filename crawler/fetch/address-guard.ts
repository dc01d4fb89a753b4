import { lookup as resolve, type LookupAddress, type LookupOptions } from "node:dns"
import { lookup as resolveAll } from "node:dns/promises"
import type { LookupFunction } from "node:net"
import ipaddr from "ipaddr.js"
import { Agent, type Dispatcher } from "undici"
import { AllowedNetworks, bareHost } from "./allowed-networks.ts"

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
  /** The setting they come from, for messages. Default `FOSSICK_ALLOWED_NETWORKS`. */
  readonly allowedBy?: string
  /** Connections kept to one host. */
  readonly connections: number
  readonly connectTimeoutMs: number
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
  readonly #allowed: AllowedNetworks
  readonly #allowedBy: string
  readonly #checked: Agent
  readonly #trusted: Agent

  /** @throws Error naming the entry of `allowed` that cannot be understood. */
  constructor(options: AddressGuardOptions) {
    this.#allowed = new AllowedNetworks(options.allowed)
    this.#allowedBy = options.allowedBy ?? "FOSSICK_ALLOWED_NETWORKS"
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
    this.#checked = agent(this.#checkedLookup)
    this.#trusted = agent()
  }

  /**
   * The dispatcher a request to `url` must use.
   * @throws BlockedAddressError when the host is an address that may not be reached.
   */
  dispatcherFor(url: URL): Dispatcher {
    return this.#isTrusted(url) ? this.#trusted : this.#checked
  }

  /**
   * What a socket to the host of `url` must be opened with, for those who cannot use a dispatcher.
   * @throws BlockedAddressError when the host is an address that may not be reached.
   */
  socketOptions(url: URL): { readonly lookup?: LookupFunction } {
    return this.#isTrusted(url) ? {} : { lookup: this.#checkedLookup }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.#checked.destroy(), this.#trusted.destroy()])
  }

  readonly #checkedLookup: LookupFunction = (hostname, options, callback) => {
    this.#lookup(hostname, options, callback)
  }

  /** Whether the host was allowed by name. @throws BlockedAddressError */
  #isTrusted(url: URL): boolean {
    if (this.#allowed.name(url)) return true
    const host = bareHost(url)
    if (ipaddr.isValid(host)) {
      if (!isPublic(ipaddr.process(host))) {
        throw new BlockedAddressError(`${host} is not a public address; ${this.#allowedBy} can allow it`)
      }
    }
    return false
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
              `${hostname} has no public address (${addresses}); ${this.#allowedBy} can allow it`,
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

  #mayReach(text: string): boolean {
    const address = ipaddr.process(text)
    return isPublic(address) || this.#allowed.includeAddress(address)
  }
}

/** Whether the host is an address that is not public, or this machine's own name. */
export function isPrivateByName(url: URL): boolean {
  const host = bareHost(url)
  if (ipaddr.isValid(host)) return !isPublic(ipaddr.process(host))
  return host === "localhost" || host.endsWith(".localhost")
}

/** Whether a request to `url` would go to an address that is not public, by name or by what the name resolves to now. */
export async function leadsToPrivate(url: URL): Promise<boolean> {
  if (isPrivateByName(url)) return true
  const found = await resolveAll(bareHost(url), { all: true }).catch(() => [])
  return found.some(({ address }) => !isPublic(ipaddr.process(address)))
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
