import { networkInterfaces } from "node:os"

import ipaddr from "ipaddr.js"

import type { Settings } from "#base/settings.ts"
import { holdsAddress } from "#crawler/fetch/guard/opened-networks.ts"
import { crawlerSettings } from "#crawler/settings.ts"
import { engineSettings } from "#engine/settings.ts"

import type { ApiSettings } from "../../../upkeep/setting-routes.ts"
import { x402Settings } from "../../../../doors/x402/settings.ts"

/** All addresses of a host; empty if it has none. */
export type AddressesOf = (host: string) => Promise<readonly string[]>

/** Settings with addresses that aren't services of the appliance, such as a page about the crawler. */
const NO_SERVICES = new Set<string>([crawlerSettings.contactUrl.name])
/** Default ports for services whose address has none. */
const PORTS: Readonly<Record<string, number>> = {
  "http:": 80,
  "https:": 443,
  "postgres:": 5432,
  "postgresql:": 5432,
  "smtp:": 25,
  "smtps:": 465,
}

/**
 * Whether the appliance itself, or a service named in its settings (for its index, its state or its models), listens on
 * an address in a network. A crawl must not read such addresses.
 */
export async function isOwnService(
  network: string,
  port: number,
  {
    env,
    apiSettings,
    addressesOf,
  }: {
    readonly env: NodeJS.ProcessEnv
    readonly apiSettings: ApiSettings
    readonly addressesOf: AddressesOf
  },
): Promise<boolean> {
  const own = ownAddresses()
  const holdsOwn = own.some((address) => holdsAddress(network, address))
  const valueOf = ({ name, default: fallback }: Settings[string]) => env[name] || fallback
  const listeners = [apiSettings.port, x402Settings.port].map((setting) => Number(valueOf(setting)))
  if (holdsOwn && listeners.includes(port)) return true
  const hosts = Object.values({ ...engineSettings, ...crawlerSettings, ...apiSettings, ...x402Settings })
    .filter(({ name }) => !NO_SERVICES.has(name))
    .flatMap((setting) => servicesIn(valueOf(setting)))
    .filter((service) => service.port === port)
    .map(({ host }) => host)
  const found = (await Promise.all([...new Set(hosts)].map(addressesOf))).flat()
  return found.some((address) => holdsAddress(network, address) || (holdsOwn && own.includes(address)))
}

/** The hosts behind the addresses in a comma-separated setting. */
function servicesIn(value: string): { readonly host: string; readonly port: number }[] {
  return value.split(",").flatMap((part) => {
    const url = URL.parse(part.trim())
    const port = url === null ? undefined : url.port === "" ? PORTS[url.protocol] : Number(url.port)
    if (url === null || url.hostname === "" || port === undefined) return []
    return [{ host: url.hostname.replaceAll(/[[\]]/g, ""), port }]
  })
}

/** Addresses at which this machine reaches itself. */
const ownAddresses = (): readonly string[] => [
  "127.0.0.1",
  "::1",
  ...Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .map(({ address }) => ipaddr.process(address.replace(/%.*/, "")).toString()),
]
