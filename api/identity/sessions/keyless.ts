import type { Context, Middleware } from "../../context.ts"
import { ApiError } from "../../errors.ts"
import type { KeylessBudget } from "../../server/load/keyless/keyless-budget.ts"

/**
 * Probes come from one address every few seconds, and must be answered while that address is flooding the appliance.
 * They cost next to nothing.
 */
const PROBES: ReadonlySet<string> = new Set(["/healthz", "/readyz"])

/**
 * Limits callers without a valid key to their address's budget. Every request counts against this budget until its key
 * has been verified. Once the budget is used up, a request has to present a key immediately; a request without a key is
 * refused with 429 and loses its connection, along with all requests sent ahead on that connection. The key that the
 * operator lends to callers without a key doesn't count as a key here.
 *
 * @param callerOf returns the address or network that a request comes from
 * @param hasKey whether a request contains a valid key, session or token
 */
export function keyless(
  budget: KeylessBudget,
  callerOf: (request: Context["req"]) => string,
  hasKey: (ctx: Context) => Promise<boolean>,
): Middleware {
  return async (ctx, next) => {
    if (PROBES.has(ctx.path)) {
      await next()
      return
    }
    const caller = callerOf(ctx.req)
    if (!budget.take(caller)) {
      if (!(await hasKey(ctx)))
        throw new ApiError(429, TOO_MANY, {}, { "Retry-After": String(budget.refuse()), Connection: "close" })
      await next()
      return
    }
    try {
      await next()
    } finally {
      const { key, isLent = false } = ctx.state as Partial<Context["state"]>
      if (key !== undefined && !isLent) budget.giveBack(caller)
    }
  }
}

const TOO_MANY =
  "Too many requests without a valid API key from your address. Wait a moment, or send a key (FOSSICK_KEYLESS_PER_MINUTE)."
