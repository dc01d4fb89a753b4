import type { LookupAddress } from "node:dns"
import ipaddr from "ipaddr.js"
import { Serial } from "#base/flow/serial.ts"
import { networkOf, PUBLIC } from "./address-kind.ts"
import { bareHost, portOf } from "./allowed-networks.ts"
import { NetworkChangedError } from "./blocked-address.ts"
import type { PinnedNetworks } from "./pinned-networks.ts"
import type { Source, SourceAuthor } from "../../source.ts"

/** `seed`: a host named by the source; `landing`: a host to which a seed redirected. */
export type HostRole = "seed" | "landing"

export interface SourceHostsOptions {
  readonly source: Pick<Source, "name" | "seeds">
  readonly author: SourceAuthor
  /** The addresses that seeds redirected to in earlier runs. */
  readonly landings: Iterable<string>
  readonly pins: PinnedNetworks
  /**
   * How to treat a host that no run has looked up. `by-hand` and `by-schedule` are runs, which store what they find;
   * `unkept` allows it to be private and stores nothing; `public` doesn't allow it to be private and stores nothing.
   */
  readonly first: "by-hand" | "by-schedule" | "unkept" | "public"
  /** Called when a host has moved to a different network. */
  readonly onMoved?: ((error: NetworkChangedError) => void) | undefined
}

/**
 * Pins the hosts of a source to the networks they were in at its first run. On that run, the hosts that the operator
 * wrote may be private: exactly those hosts, on those ports. After that, a host is not read if it moves from the
 * internet into a private network, out of one, or from one private network to another. Otherwise a crawled site could
 * point its name at a machine in this network and have it indexed.
 */
export class SourceHosts {
  readonly #options: SourceHostsOptions
  /** The hosts of the source by `host:port`. */
  readonly #roles = new Map<string, { readonly url: URL; readonly role: HostRole }>()
  readonly #turn = new Serial()
  #moved = false

  constructor(options: SourceHostsOptions) {
    this.#options = options
    for (const landing of options.landings) this.#add(landing, "landing")
    for (const seed of options.source.seeds) this.#add(seed, "seed")
  }

  /** Whether seeds may be private at all. */
  get mayBePrivate(): boolean {
    return this.#options.author === "operator"
  }

  /** Whether a host was found in another network. */
  get hasMoved(): boolean {
    return this.#moved
  }

  all(): Iterable<{ readonly url: URL; readonly role: HostRole }> {
    return this.#roles.values()
  }

  /** The role of a host; `null` if the host is not one of the source's, or the port differs. */
  roleOf(url: URL): HostRole | null {
    return this.#roles.get(placeOf(url))?.role ?? null
  }

  /**
   * The addresses of a host that may be connected to.
   * @param isOpen whether the operator opened the network of an address
   * @throws NetworkChangedError if no address remains and there was one before
   */
  async admit(
    hostname: string,
    found: readonly LookupAddress[],
    role: HostRole,
    isOpen: (address: ipaddr.IPv4 | ipaddr.IPv6) => boolean,
  ): Promise<readonly LookupAddress[]> {
    // Answers are handled one after the other, because a second answer must agree with the networks that the first one
    // pins.
    return await this.#turn.run(() => this.#admit(hostname, found, role, isOpen))
  }

  async #admit(
    hostname: string,
    found: readonly LookupAddress[],
    role: HostRole,
    isOpen: (address: ipaddr.IPv4 | ipaddr.IPv6) => boolean,
  ): Promise<readonly LookupAddress[]> {
    const { source, author, pins, first } = this.#options
    const host = withoutDot(hostname)
    const pinned = await pins.of(source.name, author, host)
    const all = found.map((address) => {
      const parsed = ipaddr.process(address.address)
      return { address, network: networkOf(parsed), isOpen: isOpen(parsed) }
    })
    const mayBePrivate = this.mayBePrivate && role === "seed"
    const isFirst = pinned === null || (pinned.length === 0 && first !== "by-schedule")
    const isTaken = (network: string) =>
      isFirst
        ? network === PUBLIC || (mayBePrivate && first !== "public")
        : (network === PUBLIC && pinned.length === 0) ||
          (pinned.includes(network) && (network === PUBLIC || mayBePrivate))
    const taken = all.filter((one) => one.isOpen || isTaken(one.network))
    if (taken.length > 0) {
      if (pinned === null || pinned.length === 0) await this.#pin(host, taken)
      return taken.map(({ address }) => address)
    }
    // A visit started by hand must not be redirected to a network that no run could read.
    const was = pinned ?? (role === "landing" ? [PUBLIC] : null)
    if (all.length > 0 && was !== null && (mayBePrivate || was.includes(PUBLIC))) {
      const error = this.#movedError(
        host,
        was,
        all.map(({ network }) => network),
      )
      this.#moved = true
      this.#options.onMoved?.(error)
      throw error
    }
    return []
  }

  /** Stores that a host has no address: an address it gets later did not exist when the source was written. */
  async noteUnresolved(hostname: string): Promise<void> {
    const { source, author, pins } = this.#options
    const host = withoutDot(hostname)
    await this.#turn.run(async () => {
      if ((await pins.of(source.name, author, host)) === null) await this.#pin(host, [])
    })
  }

  #add(address: string, role: HostRole): void {
    const url = new URL(address)
    this.#roles.set(placeOf(url), { url, role })
  }

  async #pin(host: string, taken: readonly { readonly network: string }[]): Promise<void> {
    const { source, author, pins, first } = this.#options
    if (first !== "by-hand" && first !== "by-schedule") return
    await pins.pin(source.name, author, host, [...new Set(taken.map(({ network }) => network))])
  }

  #movedError(host: string, was: readonly string[], is: readonly string[]): NetworkChangedError {
    const { author, source } = this.#options
    // Someone with an admin key must not learn this machine's networks.
    const named = (networks: readonly string[]) => inWords(author === "api" ? hidden(networks) : networks)
    const before = was.length === 0 ? "had no address in the first run" : `resolved to ${named(was)}`
    const remedy =
      author === "operator"
        ? `if this is expected, run fossick sources accept ${source.name}`
        : "allow it with FOSSICK_ALLOWED_NETWORKS"
    return new NetworkChangedError(host, `${host} ${before} and now resolves to ${named(is)}; ${remedy}`)
  }
}

/** Networks as they may be named in a message that is visible to someone with an admin key. */
const hidden = (networks: readonly string[]) =>
  networks.map((network) => (network === PUBLIC ? network : "a private network"))

function inWords(networks: readonly string[]): string {
  const words = [...new Set(networks)].map((network) =>
    network === PUBLIC
      ? "public addresses"
      : network.includes("/")
        ? `the private network ${network}`
        : network,
  )
  return words.join(" and ")
}

const placeOf = (url: URL): string => `${bareHost(url)}:${portOf(url)}`

const withoutDot = (host: string): string => host.replace(/\.$/, "").toLowerCase()
