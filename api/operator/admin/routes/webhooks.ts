import type { Router } from "@koa/router"

import { environment } from "#base/settings.ts"
import { NOTIFYING } from "#crawler/reporting/alerts/channels/registry.ts"
import { userAgentHeader } from "#crawler/settings.ts"

import type { RequestState } from "../../../context.ts"
import { ApiError } from "../../../errors.ts"
import type { AdminParts } from "../admin-parts.ts"
import { serve } from "../../../server/serving/serve-operation.ts"
import { webhookOperations as calls } from "../operations/webhooks.ts"
import { whileWaiting } from "./while-waiting.ts"
import { alertOnWire, deliveryOnWire, noticesOnWire } from "../wire.ts"

/** Messages sent to webhook receivers and by e-mail, those that failed, and current problems. */
export function webhookRoutes(
  router: Router<RequestState>,
  { webhooks, alerts, crawlerConfig: config }: AdminParts,
): void {
  let testing = false

  serve(router, calls.testAlerts, async ({ ctx }) => {
    if (testing) throw new ApiError(429, "Alerts are being tested. Try again shortly.")
    testing = true
    try {
      // Loaded on the first call, like everything that is needed to send e-mail.
      const { NO_RECEIVERS, testAlerts } = await import("#crawler/reporting/alerts/try-receivers.ts")
      const tested = await testAlerts({
        config,
        userAgent: userAgentHeader(config),
        env: environment(),
        signal: whileWaiting(ctx),
      })
      if (tested.length === 0) throw new ApiError(409, `${NO_RECEIVERS}.`)
      return { tested: tested.map(({ by, to, error }) => ({ by, to, error })) }
    } finally {
      testing = false
    }
  })

  serve(router, calls.listAlerts, async ({ query: { mail_limit: limit } }) => {
    return {
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

  serve(router, calls.listDeliveries, async ({ query: { state, limit, offset } }) => {
    return {
      deliveries: (await webhooks.list({ limit, offset }, { state })).map(deliveryOnWire),
      total: await webhooks.count({ state }),
      limit,
      offset,
    }
  })

  serve(router, calls.retryDelivery, async ({ path: { id } }) => {
    if (!(await webhooks.retry(id)))
      throw new ApiError(404, `There is no delivery ${JSON.stringify(id.slice(0, 50))}.`)
    return { id, state: "waiting" } as const
  })
}
