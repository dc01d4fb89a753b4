import type { Router } from "@koa/router"

import { type OutboundHost, OutboundLedger } from "#base/outbound/outbound-ledger.ts"
import type { StateStore } from "#base/store/state-store.ts"

import type { RequestState } from "../../context.ts"
import { serve } from "../../server/serving/serve-operation.ts"
import { outboundOperations } from "./operations.ts"

/** The hosts the appliance contacted: `/admin/outbound`. */
export function outboundRoutes(router: Router<RequestState>, { db }: { readonly db: StateStore }): void {
  const ledger = new OutboundLedger(db)

  serve(router, outboundOperations.listOutbound, async ({ query: { limit, offset, purpose = null } }) => ({
    hosts: (await ledger.list({ limit, offset }, purpose)).map(hostOnWire),
    total: await ledger.count(purpose),
    limit,
    offset,
  }))
}

/** A host, in the form that programs receive. */
export const hostOnWire = ({ purpose, host, first, last, count }: OutboundHost) => ({
  purpose,
  host,
  first_at: new Date(first).toISOString(),
  last_at: new Date(last).toISOString(),
  count,
})
