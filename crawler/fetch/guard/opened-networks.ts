import ipaddr from "ipaddr.js"
import type { Generated, Selectable } from "kysely"
import { type Queries, queriesOf } from "#base/store/query/queries.ts"
import { migrate, type StateStore, type Step } from "#base/store/state-store.ts"
import { isMetadata } from "./address-kind.ts"

type Address = ipaddr.IPv4 | ipaddr.IPv6

/** A private network that an admin opened, on one port, for crawls of sources declared through the console or the admin API. */
export interface OpenedNetwork {
  readonly id: number
  /** In CIDR notation. */
  readonly network: string
  readonly port: number
  /** The host that the network was opened for, as the admin wrote it. */
  readonly host: string
  readonly openedAt: Date
}

interface OpenedTables {
  opened_network: { id: Generated<number>; network: string; port: number; host: string; opened_at: number }
}

const STEPS: readonly Step[] = [
  ({ id, integer, text, strict }) =>
    `create table opened_network (
     id ${id}, network ${text} not null, port ${integer} not null, host ${text} not null, opened_at ${integer} not null,
     unique (network, port)
   ) ${strict};`,
]

/** The networks that admins opened, in `state.db`. */
export class OpenedNetworks {
  readonly #queries: Queries<OpenedTables>

  constructor(db: StateStore) {
    migrate(db, "opened-networks", STEPS)
    this.#queries = queriesOf(db)
  }

  async list(): Promise<OpenedNetwork[]> {
    const opened = this.#queries.selectFrom("opened_network").selectAll().orderBy("id")
    return (await opened.execute()).map(entryOf)
  }

  async get(id: number): Promise<OpenedNetwork | null> {
    const opened = this.#queries.selectFrom("opened_network").selectAll().where("id", "=", id)
    const row = await opened.executeTakeFirst()
    return row ? entryOf(row) : null
  }

  /** Opens a network, if {@link closedBecause} has no objection; a network that is already open stays unchanged. */
  async open({
    network,
    port,
    host,
  }: Pick<OpenedNetwork, "network" | "port" | "host">): Promise<OpenedNetwork> {
    // On a conflict, the update changes nothing; it makes the statement return the existing row.
    const row = await this.#queries
      .insertInto("opened_network")
      .values({ network, port, host, opened_at: Date.now() })
      .onConflict((conflict) => conflict.columns(["network", "port"]).doUpdateSet({ network }))
      .returningAll()
      .executeTakeFirstOrThrow()
    return entryOf(row)
  }

  /** @returns whether it was open */
  async close(id: number): Promise<boolean> {
    const opened = this.#queries.deleteFrom("opened_network").where("id", "=", id)
    return (await opened.executeTakeFirst()).numDeletedRows > 0n
  }
}

/** The networks that sources declared over the API may reach: the ones that admins opened, unless the operator forbids this. */
export const openedTo = async (
  { adminNetworks }: { readonly adminNetworks: boolean },
  db: StateStore,
): Promise<readonly OpenedNetwork[]> => (adminNetworks ? await new OpenedNetworks(db).list() : [])

const entryOf = ({ opened_at, ...row }: Selectable<OpenedTables["opened_network"]>): OpenedNetwork => ({
  ...row,
  openedAt: new Date(opened_at),
})

/** Looks up which addresses are open on which ports. */
export class OpenPorts {
  readonly #networks = new Map<string, (readonly [Address, number])[]>()

  constructor(opened: readonly Pick<OpenedNetwork, "network" | "port">[]) {
    for (const { network, port } of opened) {
      const networks = this.#networks.get(String(port)) ?? []
      this.#networks.set(String(port), [...networks, ipaddr.parseCIDR(network)])
    }
  }

  /** Whether anything is open on a port. */
  has(port: string): boolean {
    return this.#networks.has(port)
  }

  includes(address: Address, port: string): boolean {
    return (this.#networks.get(port) ?? []).some((network) => isIn(address, network))
  }
}

/** Whether a network, in CIDR notation, contains an address. */
export const holdsAddress = (network: string, address: string): boolean =>
  isIn(ipaddr.process(address), ipaddr.parseCIDR(network))

function isIn(address: Address, [network, bits]: readonly [Address, number]): boolean {
  return address.kind() === network.kind() && address.match([network, bits] as [ipaddr.IPv4, number])
}

/** The kinds of private networks used at home and at work, except link-local ones, where clouds keep credentials. */
const OPENABLE = new Set(["private", "uniqueLocal", "carrierGradeNat", "loopback"])
/** Prefix lengths of the widest networks that may be opened: a whole site has at most a /16 or a /48. */
const WIDEST = { ipv4: 16, ipv6: 48 }
const WHOLE = { ipv4: 32, ipv6: 128 }
/** Prefix lengths of the usual network segments. */
const SEGMENT = { ipv4: 24, ipv6: 64 }

/** Networks that may be opened for an address, narrowest first: the address itself, and its segment. Empty if none may be opened. */
export function choicesFor(text: string): string[] {
  const address = ipaddr.process(text)
  const kind = address.kind()
  return [WHOLE[kind], SEGMENT[kind]]
    .map((bits) => cidr(address, bits))
    .filter((network) => closedBecause(network) === null)
}

/** Why a network may not be opened, worded as the end of a sentence whose subject is the network; `null` if it may. */
export function closedBecause(network: string): string | null {
  if (!ipaddr.isValidCIDR(network)) return "must be a network in CIDR notation, such as 10.20.30.7/32"
  const [address, bits] = ipaddr.parseCIDR(network)
  const kind = address.kind()
  if (cidr(address, bits) !== network) return `must be written as ${cidr(address, bits)}`
  if (bits < WIDEST[kind]) return `must be a /${WIDEST[kind]} or narrower`
  if (!OPENABLE.has(address.range()) || isMetadata(address)) return "can't be allowed here"
  if (address.range() === "loopback" && bits !== WHOLE[kind])
    return `must be a single address of this machine, a /${WHOLE[kind]}`
  return null
}

/** The network with this prefix length that contains an address. */
function cidr(address: Address, bits: number): string {
  const form = address.kind() === "ipv4" ? ipaddr.IPv4 : ipaddr.IPv6
  return `${form.networkAddressFromCIDR(`${address.toString()}/${bits}`).toString()}/${bits}`
}
