import type { Router } from "@koa/router"

import type { StateStore } from "#base/store/state-store.ts"

import { CallLog } from "../../../identity/accounts/call-log.ts"
import type { RequestState } from "../../../context.ts"
import { serve } from "../../../server/serving/serve-operation.ts"
import { callerOperations } from "../operations/callers.ts"

/** Usage of each key, by day or month. */
export function usageRoutes(router: Router<RequestState>, { db }: { readonly db: StateStore }): void {
  const log = new CallLog(db)

  serve(router, callerOperations.keyUsage, async ({ query: { days, by, key_id: keyId = null } }) => {
    const usage = (await log.use({ days, by, keyId })).map(
      ({ time, keyId: id, calls, credits, endpoints }) => ({
        time,
        key_id: id,
        calls,
        credits,
        endpoints,
      }),
    )
    return { usage, days, by }
  })
}
