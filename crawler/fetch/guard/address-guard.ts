import { lookup as systemLookup, type LookupAddress, type LookupOptions } from "node:dns"
import type { LookupFunction, Socket } from "node:net"
import type { TLSSocket } from "node:tls"
import ipaddr from "ipaddr.js"
import { Agent, type Dispatcher } from "undici"
import type { OutboundPurpose } from "#base/outbound/purposes.ts"
import { isMetadata, isMetadataHost, isPublic } from "./address-kind.ts"
import { AllowedNetworks, bareHost, portOf } from "./allowed-networks.ts"
import { BlockedAddressError } from "./blocked-address.ts"
import { type OpenedNetwork, OpenPorts } from "./opened-networks.ts"
import {
  connectorFor,
  openSocket,
  secureSocket,
  type StartedSecure,
  startSecure,
  type Way,
} from "../connect/connector.ts"
import type { OutgoingProxy } from "../connect/outgoing-proxy.ts"
import type { SourceTls } from "../connect/source-tls.ts"
import type { HostRole, SourceHosts } from "./source-hosts.ts"

/** Resolves a name to all its addresses, as `dns.lookup` does with `all`. */
export type Resolve = (
  hostname: string,
  options: LookupOptions & { readonly all: true },
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void

export interface AddressGuardOptions {
  /** The value of the setting: addresses, CIDR ranges, host names or `*.names`, each with an optional `:port`. */
  readonly allowed: readonly string[]
  /** The setting that contains `allowed`, for messages. Default: `FOSSICK_ALLOWED_NETWORKS`. */
  readonly allowedBy?: string
  /** Networks that admins opened, each on one port. */
  readonly opened?: readonly Pick<OpenedNetwork, "network" | "port">[]
  /** The purpose of the connections, for the ledger of contacted hosts. Default: `crawl`. */
  readonly purpose?: OutboundPurpose | undefined
  /** The hosts of a source, which must stay in the networks in which they were first found. */
  readonly hosts?: SourceHosts | undefined
  /** Number of connections kept open to one host. */
  readonly connections: number
  readonly connectTimeoutMs: number
  /** The proxy through which the internet is reached; `null` if it is reached directly. */
  readonly proxy?: OutgoingProxy | null
  /** TLS settings for secure connections; `null` for the process's defaults. */
  readonly tls?: SourceTls | null
  /** Whether {@link AddressGuard.ownsTls} is true although `tls` is null, because this process trusts more authorities than a browser does. */
  readonly hasOwnAuthorities?: boolean
  /** How names are resolved. Default: the system's resolver. */
  readonly resolve?: Resolve | undefined
}

/** How a host's addresses are chosen. `named`: all addresses of a name that the operator allowed. */
type LookupKind = "checked" | "named" | HostRole

type Addresses = readonly LookupAddress[]

/** Chooses the addresses of a name that may be connected to. @throws BlockedAddressError if it can give a better reason than that there are no such addresses */
type Admit = (hostname: string, found: Addresses) => Addresses | Promise<Addresses>

/**
 * Keeps requests away from addresses that are not on the public internet: loopback, private, link-local, carrier-grade
 * NAT, multicast, reserved, and every IPv6 form that contains an IPv4 address. A cloud's metadata service is refused
 * whatever is allowed.
 *
 * A name is resolved once and the socket connects to exactly the address that was checked, so a name whose address
 * changes between check and connection (DNS rebinding) does not get around the check. The URL parser makes odd
 * spellings of addresses (`0x7f.1`, `2130706433`, `127.1.`) canonical before they are checked.
 *
 * Each hop of a redirect must pass {@link dispatcherFor} again.
 */
export class AddressGuard implements AsyncDisposable {
  /**
   * Whether secure connections differ from a browser's, because we trust additional authorities or send a client
   * certificate.
   */
  readonly ownsTls: boolean
  readonly #allowed: AllowedNetworks
  readonly #allowedBy: string
  readonly #openPorts: OpenPorts
  readonly #hosts: SourceHosts | null
  readonly #resolve: Resolve
  readonly #connections: number
  readonly #way: Way
  /** One agent for each way to choose addresses, so that requests that are checked differently never share a connection. */
  readonly #agents = new Map<LookupFunction, Agent>()
  readonly #lookups: Readonly<Record<LookupKind, LookupFunction>>
  /** The lookups for ports on which a network is opened, by kind and port. */
  readonly #portLookups = new Map<string, LookupFunction>()

  /** @throws Error naming the entry of `allowed` that cannot be understood. */
  constructor(options: AddressGuardOptions) {
    this.#allowed = new AllowedNetworks(options.allowed)
    this.#allowedBy = options.allowedBy ?? "FOSSICK_ALLOWED_NETWORKS"
    this.#openPorts = new OpenPorts(options.opened ?? [])
    this.#hosts = options.hosts ?? null
    this.#resolve = options.resolve ?? systemLookup
    this.#connections = options.connections
    this.#way = {
      purpose: options.purpose ?? "crawl",
      timeoutMs: options.connectTimeoutMs,
      proxy: options.proxy ?? null,
      tls: options.tls ?? null,
      isNear: (url) => this.#allowed.name(url),
    }
    this.ownsTls = options.hasOwnAuthorities === true || this.#way.tls !== null
    this.#lookups = {
      checked: this.#lookupOf("checked", null),
      named: this.#lookupOf("named", null),
      seed: this.#lookupOf("seed", null),
      landing: this.#lookupOf("landing", null),
    }
  }

  /**
   * The dispatcher a request to `url` must use.
   * @throws BlockedAddressError when the host is an address that may not be reached.
   */
  dispatcherFor(url: URL): Dispatcher {
    const lookup = this.#lookupFor(url)
    let agent = this.#agents.get(lookup)
    if (!agent) {
      agent = new Agent({
        connections: this.#connections,
        pipelining: 1,
        keepAliveTimeout: 10_000,
        maxHeaderSize: 64 * 1024,
        connect: connectorFor(lookup, this.#way),
      })
      this.#agents.set(lookup, agent)
    }
    return agent
  }

  /**
   * Opens a connection to the host of `url`, for callers that cannot use a dispatcher. Rejects if that fails.
   * @throws BlockedAddressError if the host is an address that may not be reached.
   */
  async open(url: URL): Promise<Socket> {
    return await openSocket(url, this.#lookupFor(url), this.#way)
  }

  /** Makes a connection from {@link open} to the host of `url` secure. Rejects if the host's certificate is not valid. */
  async secure(socket: Socket, url: URL): Promise<TLSSocket> {
    return await secureSocket(socket, url, this.#way)
  }

  /** Like {@link secure}, for a protocol other than HTTP: the caller waits for the handshake. */
  startSecure(socket: Socket, url: URL): StartedSecure {
    return startSecure(socket, url, this.#way)
  }

  /**
   * Checks now whether the hosts of the source are still in the same networks. A host that cannot be resolved is
   * checked when it is visited.
   * @throws NetworkChangedError
   */
  async checkHosts(): Promise<void> {
    const hosts = this.#hosts
    if (hosts === null) return
    for (const { url, role } of hosts.all()) {
      const host = bareHost(url)
      if (ipaddr.isValid(host) || this.#allowed.name(url)) continue
      // A name that only the proxy can resolve can only be on the internet.
      if (this.#way.proxy?.lookup === "proxy" && !this.#way.proxy.excepts(url)) continue
      const error = await new Promise<Error | null>((done) => {
        this.#lookup(role, portOf(url))(host, {}, done)
      })
      if (error === null) continue
      if (hosts.hasMoved) throw error
      if (!(error instanceof BlockedAddressError)) await hosts.noteUnresolved(host)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#agents.values()].map((agent) => agent.destroy()))
  }

  /** @throws BlockedAddressError */
  #lookupFor(url: URL): LookupFunction {
    const host = bareHost(url)
    if (isMetadataHost(host)) throw metadataError(host)
    if (this.#allowed.name(url)) return this.#lookups.named
    const role = this.#hosts?.roleOf(url) ?? null
    const port = portOf(url)
    if (ipaddr.isValid(host)) {
      const isNamed = role === "seed" && this.#hosts?.mayBePrivate === true
      const address = ipaddr.process(host)
      if (!isNamed && !isPublic(address) && !this.#openPorts.includes(address, port)) {
        throw new BlockedAddressError(`${host} isn't a public address; allow it with ${this.#allowedBy}`)
      }
    }
    return this.#lookup(role ?? "checked", port)
  }

  #lookup(kind: LookupKind, port: string): LookupFunction {
    if (!this.#openPorts.has(port)) return this.#lookups[kind]
    const key = `${kind} ${port}`
    let lookup = this.#portLookups.get(key)
    if (lookup === undefined) this.#portLookups.set(key, (lookup = this.#lookupOf(kind, port)))
    return lookup
  }

  /** @param port a port on which a network is opened; `null` for any other port */
  #lookupOf(kind: LookupKind, port: string | null): LookupFunction {
    if (kind === "named") return this.#lookupBy((_, found) => found)
    const isOpen = (address: ipaddr.IPv4 | ipaddr.IPv6) =>
      this.#allowed.includeAddress(address) || (port !== null && this.#openPorts.includes(address, port))
    if (kind !== "checked") {
      // Roles exist only if the caller has set `hosts`.
      return this.#lookupBy((hostname, found) => this.#hosts!.admit(hostname, found, kind, isOpen))
    }
    return this.#lookupBy((_, found) =>
      found.filter(({ address: text }) => {
        const address = ipaddr.process(text)
        return isPublic(address) || isOpen(address)
      }),
    )
  }

  #lookupBy(admit: Admit): LookupFunction {
    return (hostname, options, callback) => {
      const answer = (safe: Addresses, found: Addresses) => {
        const [first] = safe
        if (first === undefined) {
          const addresses = found.map(({ address }) => address).join(", ")
          const message = `${hostname} has no public address (${addresses}); allow it with ${this.#allowedBy}`
          callback(new BlockedAddressError(message), "")
        } else if (options.all) callback(null, [...safe])
        else callback(null, first.address, first.family)
      }
      const admitted = async (harmless: Addresses, found: Addresses) => {
        let safe
        try {
          safe = await admit(hostname, harmless)
        } catch (refused) {
          callback(refused as Error, "")
          return
        }
        answer(safe, found)
      }
      this.#resolve(hostname, { ...options, all: true }, (error, found) => {
        if (error) {
          callback(error, "")
          return
        }
        const harmless = found.filter(({ address }) => !isMetadata(ipaddr.process(address)))
        if (harmless.length === 0 && found.length > 0) callback(metadataError(hostname), "")
        else void admitted(harmless, found)
      })
    }
  }
}

const metadataError = (host: string) =>
  new BlockedAddressError(`${host} is a cloud metadata service, which is never read`)
