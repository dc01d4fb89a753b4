import type { Router } from "@koa/router"

import { type OutboundHost, OutboundLedger } from "#base/outbound/outbound-ledger.ts"
import { OUTBOUND_PURPOSES, type OutboundPurpose } from "#base/outbound/purposes.ts"
import type { StateStore } from "#base/store/state-store.ts"

import type { RequestState } from "../../context.ts"
import { oneOfParameter, sliceOf } from "../../server/middleware/query-parameters.ts"

export const PURPOSES = Object.keys(OUTBOUND_PURPOSES) as readonly OutboundPurpose[]

/** Whom the appliance talked to: `/admin/outbound`. */
export function outboundRoutes(router: Router<RequestState>, { db }: { readonly db: StateStore }): void {
  const ledger = new OutboundLedger(db)

  router.get("/outbound", async (ctx) => {
    const slice = sliceOf(ctx)
    const purpose = oneOfParameter(ctx, "purpose", PURPOSES) ?? null
    ctx.body = {
      hosts: (await ledger.list(slice, purpose)).map(hostOnWire),
      total: await ledger.count(purpose),
      ...slice,
    }
  })
}

/** As programs get it. */
export const hostOnWire = ({ purpose, host, first, last, count }: OutboundHost) => ({
  purpose,
  host,
  first_at: new Date(first).toISOString(),
  last_at: new Date(last).toISOString(),
  count,
})
