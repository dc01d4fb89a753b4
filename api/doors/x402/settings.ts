import {
  baseUrl,
  headerSecret,
  integer,
  list,
  onOff,
  type Setting,
  SettingsError,
  text,
  type Values,
} from "#base/settings.ts"

import { type Address, parseAddress } from "./chain/address.ts"

// The supervisor also reads this file, so nothing here may load code needed only for payments.

/** Seconds for which a payer's authorization should stay valid after it is signed. */
export const MAX_TIMEOUT_SECONDS = 120

/** Longest time a paid search may take. */
export const SEARCH_MS = 25_000

/** Networks whose USDC supports transfers by signed authorization (EIP-3009): the network's name in x402 version 2 (CAIP-2), and in version 1. */
export const NETWORKS = { "eip155:8453": "base", "eip155:84532": "base-sepolia" } as const
type Network = keyof typeof NETWORKS

const payTo: Setting<Address | ""> = {
  name: "X402_PAY_TO",
  default: "",
  about: "Address that receives the payments, with its checksum. If empty, no searches are sold.",
  parse: (value) => (value === "" ? value : parseAddress(value)),
}

const network: Setting<Network | ""> = {
  name: "X402_NETWORK",
  default: "",
  about:
    "Network that payments are made on: `eip155:8453` (Base) or `eip155:84532` (Base Sepolia, test money).",
  parse(value) {
    if (value !== "" && !Object.hasOwn(NETWORKS, value)) {
      throw new Error(`must be one of ${Object.keys(NETWORKS).join(", ")}`)
    }
    return value as Network | ""
  },
}

const rpcUrl: Setting<string> = {
  name: "X402_RPC_URL",
  default: "",
  about:
    "JSON-RPC address of a node on that network, which is asked whether a payment arrived when the facilitator doesn't say. If empty, no node is asked.",
  // Providers put the customer's key into the path.
  secret: true,
  parse(value) {
    const url = URL.parse(value)
    if (value !== "" && (url === null || !["http:", "https:"].includes(url.protocol))) {
      throw new Error("must be an http or https address")
    }
    return value
  },
}

/** Settings for the paid search. */
export const x402Settings = {
  port: integer(
    { name: "FOSSICK_X402_PORT", default: "8402", about: "Port of the paid search, when searches are sold." },
    0,
    65_535,
  ),
  host: text({
    name: "FOSSICK_X402_HOST",
    default: "",
    about:
      "Network address that the paid search listens on; empty means the same as the rest of the appliance.",
  }),
  sources: list({
    name: "FOSSICK_X402_SOURCES",
    default: "",
    about:
      "Names of the sources whose pages are sold, separated by commas; `*` alone sells all sources. By default nothing is sold.",
  }),
  collections: list({
    name: "FOSSICK_X402_COLLECTIONS",
    default: "",
    about:
      "Names of the collections whose pages are sold as well, separated by commas; changes to a collection apply at once.",
  }),
  payTo,
  network,
  facilitatorUrl: baseUrl({
    name: "X402_FACILITATOR_URL",
    default: "",
    about: "Base address of the facilitator, which checks payments and submits them to the network.",
  }),
  publicUrl: baseUrl({
    name: "X402_PUBLIC_URL",
    default: "",
    about: "Address where payers reach the paid search, without `/search`.",
  }),
  rpcUrl,
  verifyBearer: headerSecret({
    name: "X402_VERIFY_BEARER",
    default: "",
    about: "Token sent to the facilitator's `/verify` as `Authorization: Bearer`; empty sends none.",
  }),
  settleBearer: headerSecret({
    name: "X402_SETTLE_BEARER",
    default: "",
    about: "Token sent to the facilitator's `/settle` as `Authorization: Bearer`; empty sends none.",
  }),
  verifyTimeoutMs: integer(
    {
      name: "X402_VERIFY_TIMEOUT_MS",
      default: "10000",
      about: "Milliseconds the facilitator may take to check a payment.",
    },
    100,
    15_000,
  ),
  settleTimeoutMs: integer(
    {
      name: "X402_SETTLE_TIMEOUT_MS",
      default: "30000",
      about: "Milliseconds the facilitator may take to settle a payment; it is asked at most twice.",
    },
    100,
    30_000,
  ),
  v1: onOff({
    name: "X402_V1",
    default: "on",
    about:
      "Whether to serve clients that use version 1 of the protocol, as well as those that use version 2.",
  }),
}

type Given = Values<typeof x402Settings>

/** Settings that determine whether searches are sold. */
export interface X402Config extends Omit<Given, "payTo" | "network" | "sources" | "collections"> {
  readonly payTo: Address
  readonly network: Network
  /** The names for sale; null if everything is for sale. */
  readonly forSale: { readonly sources: readonly string[]; readonly collections: readonly string[] } | null
}

const NEEDED = {
  payTo: x402Settings.payTo.name,
  network: x402Settings.network.name,
  facilitatorUrl: x402Settings.facilitatorUrl.name,
  publicUrl: x402Settings.publicUrl.name,
} as const satisfies Partial<Record<keyof Given, string>>

/** Whether searches are sold, and how. `missing` names the settings still needed, when some are set. */
export type Selling =
  | { readonly on: true; readonly config: X402Config }
  | { readonly on: false; readonly missing: readonly string[] }

/** @throws SettingsError when selling is configured but the settings are inconsistent. */
export function sellingOf(given: Given, mainPort: number): Selling {
  const missing = Object.entries(NEEDED).flatMap(([key, name]) =>
    given[key as keyof typeof NEEDED] === "" ? [name] : [],
  )
  if (missing.length > 0) {
    return { on: false, missing: missing.length < Object.keys(NEEDED).length ? missing : [] }
  }
  const problems = []
  const { sources, collections, ...rest } = given
  // Both are set at this point.
  const [payTo, network] = [given.payTo as Address, given.network as Network]
  const all = sources.includes("*")
  if (sources.length + collections.length === 0) {
    problems.push(
      `${x402Settings.sources.name} must name the sources whose pages are sold (* for all), or ${x402Settings.collections.name} must name collections, to sell searches`,
    )
  }
  if (all && sources.length + collections.length > 1) {
    problems.push(`${x402Settings.sources.name} must be either * alone or names`)
  }
  if (given.port === mainPort && mainPort !== 0) {
    problems.push(`${x402Settings.port.name} must differ from FOSSICK_PORT`)
  }
  if (problems.length > 0) throw new SettingsError(problems)
  return { on: true, config: { ...rest, payTo, network, forSale: all ? null : { sources, collections } } }
}
