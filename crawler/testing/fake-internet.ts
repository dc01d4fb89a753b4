import dns from "node:dns"
import { syncBuiltinESMExports } from "node:module"
import { Socket, type LookupFunction } from "node:net"
import type { Resolve } from "../fetch/guard/address-guard.ts"

/** An address that is treated as public but connects to this machine's 127.0.0.1. */
export const PUBLIC_ADDRESS = "93.184.215.14"
const STAND_IN = "127.0.0.1"

type Connect = (this: Socket, ...args: unknown[]) => Socket
/** The target of a connection, in the form that `net` uses. */
type Way = { lookup?: LookupFunction; readonly host?: string } | null

/**
 * Names that resolve as the test specifies, and public addresses that connect to this machine: requests allowed by a
 * guard reach the test's sites, and nothing leaves the machine. This process's own lookups return the same answers, so
 * code that looks up a name without the guard is misled, just as a careless program would be.
 */
export class FakeInternet implements Disposable {
  /** Answers to the next lookups; the last one repeats. */
  readonly #names = new Map<string, readonly (readonly string[])[]>()
  readonly #standIns: Readonly<Record<string, string>>
  readonly #connect = Reflect.get(Socket.prototype, "connect") as Connect
  readonly #lookup = dns.lookup
  /** Names that were looked up, in order. */
  readonly lookups: string[] = []

  /** @param standIns public addresses, each with the address on this machine that is reached instead */
  constructor(
    names: Readonly<Record<string, string | readonly string[]>>,
    standIns: Readonly<Record<string, string>> = { [PUBLIC_ADDRESS]: STAND_IN },
  ) {
    this.#standIns = standIns
    for (const [name, addresses] of Object.entries(names)) this.lead(name, addresses)
    const [connect, knows, reached] = [this.#connect, this.#knows, this.#reached]
    Socket.prototype.connect = function (this: Socket, ...args: unknown[]) {
      const [first] = args
      const way = (Array.isArray(first) ? first[0] : first) as Way
      if (typeof way === "object" && way !== null) {
        const lookup = way.lookup ?? (knows(way.host) ? dns.lookup : null)
        if (lookup) way.lookup = reached(lookup)
      }
      return connect.apply(this, args)
    }
    this.#answerLookups()
  }

  /** Sets the addresses of `name`; with an empty list, it has none. */
  lead(name: string, addresses: string | readonly string[]): void {
    this.leadInTurn(name, [[addresses].flat()])
  }

  /** Sets the answers to successive lookups of `name`; the last one repeats. */
  leadInTurn(name: string, answers: readonly (readonly string[])[]): void {
    this.#names.set(name, answers)
  }

  /** The number of answers from {@link leadInTurn} that haven't been requested yet, not counting the last one. */
  turnsLeft(name: string): number {
    return Math.max(0, (this.#names.get(name)?.length ?? 0) - 1)
  }

  readonly resolve: Resolve = (hostname, _, callback) => {
    this.lookups.push(hostname)
    const [found = [], ...later] = this.#names.get(hostname) ?? []
    if (later.length > 0) this.#names.set(hostname, later)
    const unknown = Object.assign(new Error(`getaddrinfo ENOTFOUND ${hostname}`), { code: "ENOTFOUND" })
    setImmediate(() => {
      callback(
        found.length === 0 ? unknown : null,
        found.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })),
      )
    })
  };

  [Symbol.dispose](): void {
    Socket.prototype.connect = this.#connect
    dns.lookup = this.#lookup
    syncBuiltinESMExports()
  }

  readonly #knows = (name: string | undefined): boolean => name !== undefined && this.#names.has(name)

  /** Replaces the system's lookup for names in this fake internet. */
  #answerLookups(): void {
    const system = this.#lookup as unknown as (...args: readonly unknown[]) => void
    const answering = (hostname: string, ...rest: readonly unknown[]): void => {
      if (!this.#knows(hostname)) {
        system(hostname, ...rest)
        return
      }
      const callback = rest.at(-1) as Parameters<LookupFunction>[2]
      const options = rest.length > 1 && typeof rest[0] === "object" ? (rest[0] as dns.LookupOptions) : {}
      this.resolve(hostname, { all: true }, (error, found) => {
        const [first = { address: "", family: 0 }] = found
        if (options.all === true) callback(error, found)
        else callback(error, first.address, first.family)
      })
    }
    dns.lookup = Object.assign(answering, this.#lookup) as typeof dns.lookup
    syncBuiltinESMExports()
  }

  readonly #reached =
    (lookup: LookupFunction): LookupFunction =>
    (hostname, options, callback) => {
      lookup(hostname, options, (error, found, family) => {
        const reached = (address: string) => this.#standIns[address] ?? address
        if (typeof found === "string") callback(error, reached(found), family)
        // A failed lookup returns no list.
        else if (Array.isArray(found))
          callback(
            error,
            found.map((one) => ({ ...one, address: reached(one.address) })),
          )
        else callback(error, found)
      })
    }
}
