import type { Middleware } from "./context.ts"
import { ApiError } from "./errors.ts"

const REFUSED = 403

/** Refuses every call, giving the reason why the appliance is read-only. */
export const refuseAll =
  (notice: string): Middleware =>
  () => {
    throw new ApiError(REFUSED, `${notice} Pages are not read live.`)
  }

/** Refuses changes, giving the reason why the appliance is read-only; null if nothing is refused. */
export const refuseChanges =
  (notice: string | null): Middleware =>
  async (ctx, next) => {
    if (notice !== null && ctx.method !== "GET" && ctx.method !== "HEAD") throw new ApiError(REFUSED, notice)
    await next()
  }
