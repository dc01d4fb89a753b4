import type { Router } from "@koa/router"

import type { StateStore } from "#base/store/state-store.ts"

import { CallLog } from "../../../identity/accounts/call-log.ts"
import { USE_DAYS } from "../../../identity/accounts/key-use.ts"
import type { RequestState } from "../../../context.ts"
import { oneOfParameter, parameter, wholeNumber } from "../../../server/middleware/query-parameters.ts"
import { DEFAULT_USE_DAYS, USE_PERIODS } from "../schemas.ts"

/** What each key used, by day or month. */
export function usageRoutes(router: Router<RequestState>, { db }: { readonly db: StateStore }): void {
  const log = new CallLog(db)

  router.get("/usage", async (ctx) => {
    const days = wholeNumber(ctx, "days", DEFAULT_USE_DAYS, 1, USE_DAYS)
    const by = oneOfParameter(ctx, "by", USE_PERIODS) ?? "day"
    const keyId = parameter(ctx, "key_id") ?? null
    const usage = (await log.use({ days, by, keyId })).map(
      ({ time, keyId: id, calls, credits, endpoints }) => ({
        time,
        key_id: id,
        calls,
        credits,
        endpoints,
      }),
    )
    ctx.body = { usage, days, by }
  })
}
