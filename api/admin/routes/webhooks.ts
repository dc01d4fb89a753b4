import type { Router } from "@koa/router"

import type { RequestState } from "../../context.ts"
import { ApiError } from "../../errors.ts"
import type { AdminParts } from "../admin-parts.ts"
import { oneOfParameter, sliceOf, strictBody, wholeNumber } from "../../middleware/query-parameters.ts"
import { DELIVERY_STATES, noFields } from "../schemas.ts"
import { DEFAULT_LIMIT, MAX_LIMIT } from "../../wire/body-schema.ts"
import { alertOnWire, deliveryOnWire, mailOnWire } from "../wire.ts"

/** What was sent to the receivers of webhooks and by e-mail, what could not be, and what goes wrong now. */
export function webhookRoutes(router: Router<RequestState>, { webhooks, alerts }: AdminParts): void {
  const nothing = strictBody(noFields)

  router.get("/alerts", (ctx) => {
    const limit = wholeNumber(ctx, "mail_limit", DEFAULT_LIMIT, 0, MAX_LIMIT)
    ctx.body = { alerts: alerts.list().map(alertOnWire), mails: alerts.mails.list(limit).map(mailOnWire) }
  })

  router.get("/webhooks/deliveries", (ctx) => {
    const { limit, offset } = sliceOf(ctx)
    const state = oneOfParameter(ctx, "state", DELIVERY_STATES)
    ctx.body = {
      deliveries: webhooks.list({ limit, offset, ...(state && { state }) }).map(deliveryOnWire),
      total: webhooks.count(state),
      limit,
      offset,
    }
  })

  router.post("/webhooks/deliveries/:id/retry", (ctx) => {
    nothing(ctx)
    const id = ctx.params["id"] ?? ""
    if (!webhooks.retry(id))
      throw new ApiError(404, `There is no delivery ${JSON.stringify(id.slice(0, 50))}.`)
    ctx.status = 202
    ctx.body = { id, state: "waiting" }
  })
}
