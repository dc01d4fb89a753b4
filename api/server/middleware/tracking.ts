import type { HumanHash } from "../../identity/accounts/human-ids.ts"
import { readTracking } from "../../identity/accounts/tracking.ts"
import type { Middleware } from "../../context.ts"

/** Runs first: nothing may see a request before its person's id is hashed. */
export function tracking(hash: HumanHash): Middleware {
  return async (ctx, next) => {
    ctx.state.tracking = readTracking(ctx.req, hash)
    await next()
  }
}
