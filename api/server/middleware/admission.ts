import { actingFor } from "#base/flow/caller.ts"

import type { Admissions, AdmitOptions } from "../../identity/accounts/admission.ts"
import type { LimitedEndpoint } from "../../identity/accounts/rates/rate-limits.ts"
import { MOST_QUERY_CHARS } from "../../identity/accounts/call-log.ts"
import { type Middleware, untilClosed } from "../../context.ts"

/** Lets in calls to an endpoint once their key is known, and sets what they may see and how they pay. */
export function admission(
  admissions: Admissions,
  endpoint: LimitedEndpoint,
  options: AdmitOptions = {},
): Middleware {
  return async (ctx, next) => {
    const admitted = await admissions.admit(endpoint, ctx.state, options)
    untilClosed(ctx, admitted.memory)
    ctx.state.reach = admitted.reach
    ctx.state.bill = {
      project: admitted.bill.project,
      reserve: (most) => admitted.bill.reserve(most),
      settle: (cost, served) => {
        ctx.state.asked = served.query?.slice(0, MOST_QUERY_CHARS)
        return admitted.bill.settle(cost, served)
      },
    }
    try {
      await actingFor(ctx.state.key.id, next)
    } finally {
      // Credits that can't be refunded now expire later; the response is not affected.
      await admitted
        .end()
        .catch((error: unknown) =>
          ctx.state.log.warn({ err: error }, "reserved credits could not be released"),
        )
    }
  }
}
