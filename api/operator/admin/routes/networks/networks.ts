import { lookup } from "node:dns/promises"

import type { Router } from "@koa/router"
import ipaddr from "ipaddr.js"

import { environment } from "#base/settings.ts"
import { transaction } from "#base/store/state-store.ts"
import { isMetadataHost, isPublic } from "#crawler/fetch/guard/address-kind.ts"
import { bareHost, portOf } from "#crawler/fetch/guard/allowed-networks.ts"
import {
  choicesFor,
  closedBecause,
  holdsAddress,
  type OpenedNetwork,
  OpenedNetworks,
} from "#crawler/fetch/guard/opened-networks.ts"
import { crawlerSettings } from "#crawler/settings.ts"
import { toPageUrl } from "#engine"

import type { RequestState } from "../../../../context.ts"
import { ApiError, badRequest } from "../../../../errors.ts"
import { unprocessable } from "../../../../server/middleware/query-parameters.ts"
import type { Of } from "../../../../server/schema/schemas.ts"
import { serve } from "../../../../server/serving/serve-operation.ts"
import type { ApiSettings } from "../../../upkeep/setting-routes.ts"
import type { AdminParts } from "../../admin-parts.ts"
import { networkOperations as calls, type NetworkLook } from "../../operations/networks.ts"
import { type AddressesOf, isOwnService } from "./own-services.ts"

const OFF = `${crawlerSettings.adminNetworks.name} is off: only the operator of the machine may allow a private network, in FOSSICK_ALLOWED_NETWORKS or in the sources file.`
/** Maximum number of open networks: each is checked with each request of a crawl. */
const MOST_OPEN = 1000

/** The private networks that admins opened for the sources that are declared here: `/admin/networks`. */
export function networkRoutes(
  router: Router<RequestState>,
  {
    db,
    crawlerConfig,
    apiSettings,
  }: Pick<AdminParts, "db" | "crawlerConfig"> & { readonly apiSettings: ApiSettings },
  addressesOf: AddressesOf = systemAddresses,
): void {
  const opened = new OpenedNetworks(db)
  const env = environment()

  const look = async (address: string): Promise<Of<typeof NetworkLook>> => {
    if (!crawlerConfig.adminNetworks) throw new ApiError(409, OFF)
    const page = toPageUrl(address)
    if (page === null) throw unprocessable([{ field: "url", message: "must be an http or https address" }])
    const url = new URL(page)
    const host = bareHost(url)
    const port = Number(portOf(url))
    const addresses = isMetadataHost(host) ? [] : await addressesOf(host)
    const near = addresses.filter((one) => !isPublic(ipaddr.process(one)))
    const choices: string[] = []
    for (const network of new Set(near.flatMap(choicesFor))) {
      if (!(await isOwnService(network, port, { env, apiSettings, addressesOf }))) choices.push(network)
    }
    const known = await opened.list()
    const isOpenTo = (one: string) =>
      known.some((entry) => entry.port === port && holdsAddress(entry.network, one))
    return {
      host,
      port,
      addresses,
      is: near.length > 0 ? "private" : addresses.length > 0 ? "public" : "none",
      choices,
      open: near.length > 0 && near.every(isOpenTo),
    }
  }

  serve(router, calls.listNetworks, async () => ({
    on: crawlerConfig.adminNetworks,
    networks: (await opened.list()).map(onWire),
  }))

  serve(router, calls.lookAtNetwork, ({ body: { url } }) => look(url))

  serve(router, calls.openNetwork, async ({ body: { url, network } }) => {
    const refuse = (field: string, message: string) => unprocessable([{ field, message }])
    const { host, port, addresses } = await look(url)
    const why = closedBecause(network)
    if (why !== null) throw refuse("network", why)
    if (!addresses.some((address) => holdsAddress(network, address)))
      throw refuse("network", `must contain an address of ${host}`)
    if (await isOwnService(network, port, { env, apiSettings, addressesOf }))
      throw refuse("network", `must not be opened on port ${port}, where a service of the appliance listens`)
    const entry = await transaction(db, async () => {
      if ((await opened.list()).length >= MOST_OPEN)
        throw new ApiError(409, `${MOST_OPEN} networks are open. Close one first.`)
      return await opened.open({ network, port, host })
    })
    return onWire(entry)
  })

  serve(router, calls.closeNetwork, async ({ path: { id } }) => {
    if (!/^\d{1,15}$/.test(id)) throw badRequest("Invalid id. Must be a number.")
    if (!(await opened.close(Number(id))))
      throw new ApiError(404, `There is no open network with the id ${id}.`)
    return { id: Number(id), closed: true } as const
  })
}

export const onWire = ({ id, network, port, host, openedAt }: OpenedNetwork) => ({
  id,
  network,
  port,
  host,
  opened_at: openedAt,
})

async function systemAddresses(host: string): Promise<readonly string[]> {
  if (ipaddr.isValid(host)) return [ipaddr.process(host).toString()]
  try {
    return (await lookup(host, { all: true })).map(({ address }) => address.replace(/%.*/, ""))
  } catch {
    return []
  }
}
