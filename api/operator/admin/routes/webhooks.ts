import type { Router } from "@koa/router"

import { environment } from "#base/settings.ts"
import { NOTIFYING } from "#crawler/reporting/alerts/channels/registry.ts"
import { userAgentHeader } from "#crawler/settings.ts"

import type { RequestState } from "../../../context.ts"
import { ApiError } from "../../../errors.ts"
import type { AdminParts } from "../admin-parts.ts"
import {
  oneOfParameter,
  sliceOf,
  strictBody,
  wholeNumber,
} from "../../../server/middleware/query-parameters.ts"
import { DELIVERY_STATES, noFields } from "../schemas.ts"
import { DEFAULT_LIMIT, MAX_LIMIT } from "../../../server/wire/body-schema.ts"
import { whileWaiting } from "./while-waiting.ts"
import { alertOnWire, deliveryOnWire, noticesOnWire } from "../wire.ts"

/** What was sent to the receivers of webhooks and by e-mail, what could not be, and what goes wrong now. */
export function webhookRoutes(
  router: Router<RequestState>,
  { webhooks, alerts, crawlerConfig: config }: AdminParts,
): void {
  const nothing = strictBody(noFields)
  let testing = false

  router.post("/alerts/test", async (ctx) => {
    nothing(ctx)
    if (testing) throw new ApiError(429, "Alerts are being tested. Try again shortly.")
    testing = true
    try {
      // Loaded with the first, as what sends e-mails.
      const { NO_RECEIVERS, testAlerts } = await import("#crawler/reporting/alerts/try-receivers.ts")
      const tested = await testAlerts({
        config,
        userAgent: userAgentHeader(config),
        env: environment(),
        signal: whileWaiting(ctx),
      })
      if (tested.length === 0) throw new ApiError(409, `${NO_RECEIVERS}.`)
      ctx.body = { tested: tested.map(({ by, to, error }) => ({ by, to, error })) }
    } finally {
      testing = false
    }
  })

  router.get("/alerts", async (ctx) => {
    const limit = wholeNumber(ctx, "mail_limit", DEFAULT_LIMIT, 0, MAX_LIMIT)
    ctx.body = {
      alerts: (await alerts.list()).map(alertOnWire),
      mails: await noticesOnWire(alerts, "email", limit),
      notifications: (
        await Promise.all(
          NOTIFYING.map(async (channel) =>
            (await noticesOnWire(alerts, channel, limit)).map((notice) => ({ channel, ...notice })),
          ),
        )
      ).flat(),
    }
  })

  router.get("/webhooks/deliveries", async (ctx) => {
    const { limit, offset } = sliceOf(ctx)
    const state = oneOfParameter(ctx, "state", DELIVERY_STATES)
    ctx.body = {
      deliveries: (await webhooks.list({ limit, offset }, { state })).map(deliveryOnWire),
      total: await webhooks.count({ state }),
      limit,
      offset,
    }
  })

  router.post("/webhooks/deliveries/:id/retry", async (ctx) => {
    nothing(ctx)
    const id = ctx.params["id"] ?? ""
    if (!(await webhooks.retry(id)))
      throw new ApiError(404, `There is no delivery ${JSON.stringify(id.slice(0, 50))}.`)
    ctx.status = 202
    ctx.body = { id, state: "waiting" }
  })
}
