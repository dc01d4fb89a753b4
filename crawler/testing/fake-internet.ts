import { Socket, type LookupFunction } from "node:net"
import type { Resolve } from "../fetch/guard/address-guard.ts"

/** Addresses that count as public; what listens on this machine's 127.0.0.1 stands behind them. */
export const PUBLIC_ADDRESS = "93.184.215.14"
const STAND_IN = "127.0.0.1"

type Connect = (this: Socket, ...args: unknown[]) => Socket

/**
 * Names that lead where a test says, and public addresses that lead to this machine: what a guard lets through reaches
 * the test's sites, and nothing leaves the machine.
 */
export class FakeInternet implements Disposable {
  readonly #names = new Map<string, readonly string[]>()
  readonly #connect = Reflect.get(Socket.prototype, "connect") as Connect
  /** Names that were looked up, in order. */
  readonly lookups: string[] = []

  constructor(names: Readonly<Record<string, string | readonly string[]>>) {
    for (const [name, addresses] of Object.entries(names)) this.lead(name, addresses)
    const connect = this.#connect
    Socket.prototype.connect = function (this: Socket, ...args: unknown[]) {
      const [first] = args
      const options = (Array.isArray(first) ? first[0] : first) as { lookup?: LookupFunction } | null
      if (typeof options === "object" && options?.lookup) options.lookup = toStandIn(options.lookup)
      return connect.apply(this, args)
    }
  }

  /** From now on `name` has these addresses; an empty list: none. */
  lead(name: string, addresses: string | readonly string[]): void {
    this.#names.set(name, [addresses].flat())
  }

  readonly resolve: Resolve = (hostname, _, callback) => {
    this.lookups.push(hostname)
    const found = this.#names.get(hostname) ?? []
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
  }
}

const toStandIn =
  (lookup: LookupFunction): LookupFunction =>
  (hostname, options, callback) => {
    lookup(hostname, options, (error, found, family) => {
      const reached = (address: string) => (address === PUBLIC_ADDRESS ? STAND_IN : address)
      if (typeof found === "string") callback(error, reached(found), family)
      else
        callback(
          error,
          found.map((one) => ({ ...one, address: reached(one.address) })),
        )
    })
  }
