import { actingFor } from "#base/flow/caller.ts"

import type { Admissions, AdmitOptions } from "../../identity/accounts/admission.ts"
import type { LimitedEndpoint } from "../../identity/accounts/rates/rate-limits.ts"
import { MOST_QUERY_CHARS } from "../../identity/accounts/call-log.ts"
import { type Middleware, untilClosed } from "../../context.ts"

/** Lets calls of an endpoint in after their key is known, and gives them what they may see and how they pay. */
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
      // What cannot be given back now is when its time is over; the answer does not suffer.
      await admitted
        .end()
        .catch((error: unknown) => ctx.state.log.warn({ err: error }, "credits were not given back"))
    }
  }
}
